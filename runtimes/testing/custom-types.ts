/** Types of custom resources, inferred from the schema of a definition that is given as a constant. */

/** What is read of a definition of custom resources. */
export interface CustomDefinition {
  readonly spec: {
    readonly group: string
    readonly names: { readonly kind: string }
    readonly versions: readonly { readonly name: string; readonly schema?: { readonly openAPIV3Schema?: object } }[]
  }
}

/** The forms of an object: a field with a default may be missing when it is written, and is there when it is read. */
type Form = 'written' | 'stored'

/** The names of a definition's versions. */
export type VersionOf<D extends CustomDefinition> = D['spec']['versions'][number]['name']

type SchemaOf<D extends CustomDefinition, V> =
  Extract<D['spec']['versions'][number], { readonly name: V }> extends { readonly schema: { readonly openAPIV3Schema: infer S } }
    ? S
    : object

type RequiredOf<S> = S extends { readonly required: readonly (infer K)[] } ? K : never

/** Whether a property is always there. */
type IsPresent<S, P, K extends keyof P, F extends Form> =
  K extends RequiredOf<S>
    ? F extends 'written'
      ? P[K] extends { readonly default: unknown }
        ? false
        : true
      : true
    : F extends 'stored'
      ? P[K] extends { readonly default: unknown }
        ? true
        : false
      : false

type Members<S, P, F extends Form> = {
  -readonly [K in keyof P as IsPresent<S, P, K, F> extends true ? K : never]: FromSchema<P[K], F>
} & { -readonly [K in keyof P as IsPresent<S, P, K, F> extends true ? never : K]?: FromSchema<P[K], F> | undefined }

interface Anything {
  [key: string]: unknown
}

type Structure<S, F extends Form> = S extends { readonly 'x-kubernetes-int-or-string': true }
  ? number | string
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly type: 'string' }
      ? string
      : S extends { readonly type: 'integer' | 'number' }
        ? number
        : S extends { readonly type: 'boolean' }
          ? boolean
          : S extends { readonly type: 'array'; readonly items: infer I }
            ? FromSchema<I, F>[]
            : S extends { readonly type: 'object'; readonly properties: infer P }
              ? Members<S, P, F> & (S extends { readonly 'x-kubernetes-preserve-unknown-fields': true } ? Anything : unknown)
              : S extends { readonly type: 'object'; readonly additionalProperties: infer A extends object }
                ? { [key: string]: FromSchema<A, F> }
                : S extends { readonly type: 'object' }
                  ? Anything
                  : unknown

/** The type of the values of a schema (OpenAPI v3, as definitions have it). */
export type FromSchema<S, F extends Form> = S extends { readonly nullable: true } ? Structure<S, F> | null : Structure<S, F>

/** Metadata that clients write. */
export interface WrittenMeta {
  name?: string | undefined
  generateName?: string | undefined
  namespace?: string | undefined
  labels?: { [key: string]: string } | undefined
  annotations?: { [key: string]: string } | undefined
  finalizers?: string[] | undefined
  resourceVersion?: string | undefined
  ownerReferences?:
    | { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean; blockOwnerDeletion?: boolean }[]
    | undefined
}

interface StoredMeta extends WrittenMeta {
  name: string
  uid: string
  resourceVersion: string
  creationTimestamp: string
  generation: number
  deletionTimestamp?: string
}

type Own<S, F extends Form> = Omit<FromSchema<S, F>, 'apiVersion' | 'kind' | 'metadata'>

/** A body for a version of a definition. */
export type WrittenCustom<D extends CustomDefinition, V> = Own<SchemaOf<D, V>, 'written'> & {
  apiVersion?: string
  kind?: string
  metadata?: WrittenMeta
}

/** An object of a version of a definition. */
export type StoredCustom<D extends CustomDefinition, V> = Own<SchemaOf<D, V>, 'stored'> & {
  apiVersion: string
  kind: D['spec']['names']['kind']
  metadata: StoredMeta
}
