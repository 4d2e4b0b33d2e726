/**
 * The schema model. Built-in types are declared with these constructors; a CustomResourceDefinition's schema is parsed
 * into the same nodes. Values are plain JSON values: quantities, times and bytes (base64) are strings, 64-bit integers numbers.
 */

import type { Platform } from '../platform.ts'
import type { FieldErrors } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import type { RuleMetrics } from './rule-metrics.ts'

export type Json = string | number | bigint | boolean | null | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Cluster-wide settings that validation depends on. */
export interface ClusterSettings {
  /** Allow privileged containers. */
  readonly allowPrivileged: boolean
  /** A garbage collector is running, so deletions may rely on it. */
  readonly garbageCollection: boolean
  /** Whether a feature gate is on. */
  enabled(gate: string): boolean
}

/** Runs one part of a validation. `start` gets the time slices of the part: when `over`, it must await `next`. */
export type DoPart = <T>(start: (slices: { readonly over: boolean; resumed(): void; next(): Promise<void> }) => { finish(): T }) => T

/** Context of hooks on messages and resources. */
export interface HookContext {
  readonly platform: Platform
  readonly settings: ClusterSettings
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Version of the client's request, such as `apps/v1`; absent for the server's own writes and for reads. */
  readonly apiVersion?: string
  /** The caller; absent for the server's own writes and for reads. */
  readonly user?: {
    readonly name: string
    readonly uid?: string
    readonly groups: readonly string[]
    readonly extra?: { readonly [key: string]: readonly string[] }
  }
  /** Result of the kind's `signatureFault`, while a new object is validated. */
  readonly signatureFault?: string
  /**
   * Runs a long part of a validation (cel/replay.ts): when the validation is repeated after an interruption, completed parts are not, and
   * the interrupted one resumes. Absent: no interruptions.
   */
  part?: DoPart
  /** Absent: durations are not reported. */
  readonly rules?: RuleMetrics | undefined
  /** Sends a warning to the client; absent without a client. */
  warn?(text: string): void
}

/** Constraints of a value, checked by the `validate` walker in this order. */
export interface Facets {
  readonly nullable?: boolean
  /** Allowed values; `closed` sets also appear in OpenAPI. */
  readonly enum?: readonly Json[]
  readonly openEnum?: readonly string[]
  /** Allowed values for OpenAPI only: the kind validates them itself, at its place among its errors and in its words. */
  readonly publishedEnum?: readonly string[]
  /** A format of schema/formats.ts, such as `dns1123Label`; for custom resources the OpenAPI format. */
  readonly format?: string
  readonly pattern?: string
  readonly min?: number
  readonly max?: number
  readonly exclusiveMin?: boolean
  readonly exclusiveMax?: boolean
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minProperties?: number
  readonly maxProperties?: number
  /** Keeps unknown fields (custom resources: x-kubernetes-preserve-unknown-fields). */
  readonly preserveUnknown?: boolean
  /** The value is a whole API object (x-kubernetes-embedded-resource). */
  readonly embeddedResource?: boolean
  /** Keys that must be present, whatever their value (custom resources). */
  readonly requiredKeys?: readonly string[]
  /** Any JSON type is allowed; the structure applies to values of its type (custom resources). */
  readonly untyped?: true
  /** Default for null in lists and maps (custom resources); fields have defaults of their own. */
  readonly nullDefault?: Json
  readonly allOf?: readonly Condition[]
  readonly anyOf?: readonly Condition[]
  readonly oneOf?: readonly Condition[]
  readonly not?: Condition
  /** Constraints in a custom resource's schema on a value with fixed structure (metadata). */
  readonly declared?: Condition
  /** CEL validation rules (x-kubernetes-validations). */
  readonly rules?: readonly Rule[]
}

/** A constraint without structure of its own: a branch of `allOf`, `anyOf`, `oneOf` or `not`. */
export interface Condition {
  /** OpenAPI types; empty: any. */
  readonly types: readonly string[]
  readonly facets: Facets
  readonly properties?: ReadonlyMap<string, Condition>
  readonly additional?: Condition
  readonly items?: Condition
}

/** A validation rule of a custom resource (x-kubernetes-validations). */
export interface Rule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

export type ScalarType =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  | 'bytes'
  | 'time'
  | 'microTime'
  | 'duration'
  | 'quantity'
  | 'intOrString'

declare const typeOf: unique symbol

export interface Scalar<T = unknown> {
  readonly type: ScalarType
  readonly facets?: Facets
  readonly [typeOf]?: T
}

/** A value with one of several JSON types, such as boolean or object; in protobuf a message with a field for each. */
export interface Union {
  readonly message: Message
  wrap(value: Json): JsonObject
  unwrap(message: JsonObject): Json
}

/** Model of any value in OpenAPI. */
export interface AnyModel {
  /** Name below the root package, such as `apimachinery.pkg.apis.meta.v1.FieldsV1`. */
  readonly path: string
  /** Published as an object; otherwise without type. */
  readonly object?: true
}

/** Any JSON value, unchanged (FieldsV1); with `raw`, its text is kept too (RawExtension). In protobuf `{raw: bytes}` unless it is a union. */
export interface AnySchema {
  readonly type: 'any'
  readonly union?: () => Union
  readonly raw?: true
  /** Default: RawExtension. */
  readonly model?: AnyModel
  readonly facets?: Facets
}

export type ListType = 'atomic' | 'set' | 'map'

export interface List<S extends Schema = Schema> {
  readonly type: 'list'
  readonly items: S
  /** Ownership of items in server-side apply; default atomic. */
  readonly listType?: ListType
  /** JSON names of the fields that identify an item, for listType `map`. */
  readonly keys?: readonly string[]
  /** Encoded in protobuf as a message with `items = 1` (Go: a named slice type). */
  readonly wrapper?: true
  /** Named type of the list in the reference's Go code: decoding errors show it. */
  readonly goType?: string
  readonly facets?: Facets
}

/** Map with string keys. */
export interface MapOf<S extends Schema = Schema> {
  readonly type: 'map'
  readonly values: S
  /** Owned as a whole in server-side apply (atomic). */
  readonly atomic?: true
  readonly facets?: Facets
  /** Defaults of the members, in place; null members are possible. */
  defaults?(members: JsonObject): void
}

/** Fields of which at most one is set, as published in OpenAPI. */
export interface MessageUnion {
  /** Field that says which one is set. */
  readonly discriminator?: string
  readonly members: readonly string[]
}

export interface Message<F extends Fields = Fields> {
  readonly type: 'message'
  /** Local name, such as `PodSpec`. */
  readonly name: string
  readonly doc: string
  readonly fields: F
  /** All fields in JSON order: an inlined message is replaced by its fields. */
  readonly json: ReadonlyMap<string, Field>
  /** Go package in decoding errors; default v1. */
  readonly goPackage?: string
  /** Owned as a whole in server-side apply (mapType / structType atomic). */
  readonly atomic?: true
  /** Published in OpenAPI; validation is up to the message. */
  readonly unions?: readonly MessageUnion[]
  /** JSON starts with `kind` and `apiVersion` (Go: TypeMeta), which are neither fields nor part of protobuf. */
  readonly typeMeta?: true
  /** Errors show values as JSON, because the reference has no internal type of it (meta/v1) or validates the versioned one. */
  readonly versioned?: true
  /** JSON names in the order of the reference's internal struct, if it differs: errors show values in it. */
  readonly internalOrder?: readonly string[]
  /** Moves fields that the reference's internal struct has elsewhere; `shown` has those of `internalOrder`. */
  internalForm?(shown: JsonObject, value: JsonObject): JsonObject
  /** The kind validates these values with their members, in the reference's order: the walker passes them by. */
  readonly byKind?: true
  /**
   * Set on messages of custom resources: decoding only prunes, and values keep the JSON types that they have; validation checks types and
   * required keys, with the texts of an OpenAPI validator. They have no protobuf form. Absent: decoding ensures types and the presence of
   * required fields; `notEmpty` rejects empty values.
   */
  readonly open?: true
  /** Custom resources: schema of keys that are not fields. */
  readonly additional?: Schema
  readonly facets?: Facets
  /** Defaults that field defaults can't express. Runs after the defaults of its own fields and before those of its children. */
  defaults?(value: Infer<Message<F>>, context: HookContext): void
  /** Validation beyond facets, before that of the fields. */
  validateFirst?(value: Infer<Message<F>>, path: FieldPath, errors: FieldErrors, context: HookContext): void
  /** Validation beyond facets. Runs on every value of this type, after its fields. */
  validate?(value: Infer<Message<F>>, path: FieldPath, errors: FieldErrors, context: HookContext): void
  /** Gated values that can't be expressed by a single field (`Field.gate`). */
  readonly gated?: readonly Gated<Infer<Message<F>>>[]
}

/** A use of a gated feature; methods, so that messages of all kinds have a common type. */
export interface Gated<T> {
  readonly gate: string
  uses(value: T): boolean
  /** Removes the use, in place. */
  drop(value: T): void
}

export type Schema = Scalar | AnySchema | List | MapOf | Message

export interface Field<S extends Schema = Schema, Required extends boolean = boolean> {
  /** Protobuf tag; 0: not in protobuf. */
  readonly tag: number
  readonly schema: S
  readonly doc: string
  /** Listed as required in OpenAPI, and written to JSON even when empty. */
  readonly required: Required
  /** Distinguishes nil from zero: a set zero is kept in JSON and protobuf, and an unset message is omitted. */
  readonly pointer: boolean
  /** Omitted in JSON when zero, empty or unset. Non-pointer messages are always written. */
  readonly omitEmpty: boolean
  /** Non-pointer message or time that is omitted when zero (Go: omitzero). */
  readonly omitZero?: boolean
  /** Flattened into the parent in JSON, a message of its own in protobuf. */
  readonly inline?: true
  readonly default?: Json
  /**
   * Named type of the text, of the items of a list or of the map in the reference's Go code: decoding errors show it. A name that begins with
   * a dot is in the package of the message.
   */
  readonly goType?: string
  /** Name in the reference's internal struct, which errors show, if it does not follow from the JSON name (internal-value.ts). */
  readonly internalName?: string
  /** Unset or empty is an error: `Required value`. */
  readonly notEmpty?: true
  /** Updates can't change it: `field is immutable`. */
  readonly immutable?: true
  readonly patchStrategy?: 'merge' | 'replace' | 'retainKeys' | 'merge,retainKeys'
  readonly patchMergeKey?: string
  /** `x-` keywords that are published in OpenAPI and have no effect here. */
  readonly extensions?: JsonObject
  /** Feature gate without which the field is dropped; several required gates are separated by commas. */
  readonly gate?: string
}

export type Fields = { readonly [json: string]: Field }

/** What a field may have beside its tag, schema and description. */
export interface FieldOptions extends Facets, Omit<Field, 'tag' | 'schema' | 'doc' | 'required' | 'pointer' | 'omitEmpty' | 'inline'> {
  /** With `required`: omit when empty. With `field` or `pointer`: false writes it even when empty. */
  readonly omitEmpty?: boolean
}

type Lazy<S> = S | (() => S)

const facetNames = new Set<string>([
  'nullable',
  'enum',
  'openEnum',
  'publishedEnum',
  'format',
  'pattern',
  'min',
  'max',
  'exclusiveMin',
  'exclusiveMax',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'preserveUnknown',
  'embeddedResource',
])

/** A copy with lazy members unresolved, so that it can be created before what they refer to. */
function copyWith<S extends Schema>(schema: S, facets: Facets): S {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema))
  return Object.assign(copy, { facets: { ...schema.facets, ...facets } }) as S
}

function makeField<S extends Schema, R extends boolean>(
  tag: number,
  schema: Lazy<S>,
  doc: string,
  own: { required: R; pointer: boolean; omitEmpty: boolean; inline?: true },
  options?: FieldOptions,
): Field<S, R> {
  let facets: Record<string, unknown> | undefined
  const result: Record<string, unknown> = { tag, doc, ...own }
  for (const name in options) {
    const value = options[name as keyof FieldOptions]
    if (facetNames.has(name)) facets = { ...facets, [name]: value }
    else result[name] = value
  }
  const narrow = (base: S): S => (facets === undefined ? base : copyWith(base, facets))
  if (typeof schema !== 'function') {
    result['schema'] = narrow(schema)
    return result as unknown as Field<S, R>
  }
  let resolved: S | undefined
  return Object.defineProperty(result, 'schema', {
    enumerable: true,
    get: () => {
      resolved ??= narrow((schema as () => S)())
      return resolved
    },
  }) as unknown as Field<S, R>
}

/** An optional value: omitted in JSON when zero; a message is always present, possibly as `{}`. */
export function field<S extends Schema>(tag: number, schema: Lazy<S>, doc: string, options?: FieldOptions): Field<S, false> {
  return makeField(tag, schema, doc, { required: false, pointer: false, omitEmpty: true }, options)
}

/** An optional value that distinguishes absent from zero. */
export function pointer<S extends Schema>(tag: number, schema: Lazy<S>, doc: string, options?: FieldOptions): Field<S, false> {
  return makeField(tag, schema, doc, { required: false, pointer: true, omitEmpty: true }, options)
}

/** A value that OpenAPI lists as required; written even when zero. Facets and hooks decide whether empty values are invalid. */
export function required<S extends Schema>(tag: number, schema: Lazy<S>, doc: string, options?: FieldOptions): Field<S, true> {
  return makeField(tag, schema, doc, { required: true, pointer: false, omitEmpty: false }, options)
}

/** A required value that is a pointer in Go, such as a workload's `selector`. */
export function requiredPointer<S extends Schema>(tag: number, schema: Lazy<S>, doc: string, options?: FieldOptions): Field<S, true> {
  return makeField(tag, schema, doc, { required: true, pointer: true, omitEmpty: false }, options)
}

/** An optional list in which a key identifies the items, in server-side apply (listType) and in strategic merge patches (patchStrategy). */
export function keyedList<S extends Schema>(
  tag: number,
  items: Lazy<S>,
  key: string,
  doc: string,
  options?: FieldOptions,
): Field<List<S>, false> {
  return field(tag, list(items, { listType: 'map', keys: [key] }), doc, { patchStrategy: 'merge', patchMergeKey: key, ...options })
}

/** A message whose fields appear in the parent's JSON. */
export function inline<S extends Message>(tag: number, schema: S, options?: FieldOptions): Field<S, false> & { readonly inline: true } {
  const made = makeField<S, false>(tag, schema, '', { required: false, pointer: false, omitEmpty: true, inline: true }, options)
  return made as Field<S, false> & { readonly inline: true }
}

/** What a message may have beside its name, description and fields. */
export type MessageOptions<F extends Fields> = Omit<Message<F>, 'type' | 'name' | 'doc' | 'fields' | 'json'>

/** A message as declared, which may get more than its fields. */
export interface DeclaredMessage<F extends Fields> extends Message<F> {
  /** The message with options, such as defaults and validation. */
  with(options: MessageOptions<F>): Message<F>
}

function declare<F extends Fields>(name: string, doc: string, fields: F | (() => F), options: MessageOptions<F>): Message<F> {
  let flat: ReadonlyMap<string, Field> | undefined
  const result = {
    type: 'message' as const,
    name,
    doc,
    fields: typeof fields === 'function' ? ({} as F) : fields,
    ...options,
    get json(): ReadonlyMap<string, Field> {
      flat ??= new Map(
        Object.entries(result.fields).flatMap(([key, own]) => (own.inline ? [...(own.schema as Message).json] : [[key, own] as const])),
      )
      return flat
    },
  }
  if (typeof fields !== 'function') return result
  let made: F | undefined
  return Object.defineProperty(result, 'fields', { enumerable: true, get: () => (made ??= fields()) })
}

/** What a message and its copies have in common: their fields, or what makes them. */
export function sourceOf<F extends Fields>(schema: Message<F>): F | (() => F) {
  const { get, value } = Object.getOwnPropertyDescriptor(schema, 'fields') ?? {}
  return (get ?? value) as F | (() => F)
}

/** One function for all messages, which are many. */
function withOptions<F extends Fields>(this: Message<F>, options: MessageOptions<F>): Message<F> {
  return declare(this.name, this.doc, sourceOf(this), options)
}

/**
 * Declares a message: name, description, and fields by JSON name in output order. Those that a function returns are made when they are first used:
 * most kinds are not used in most processes.
 */
export function message<const F extends Fields>(name: string, doc: string, fields: F | (() => F)): DeclaredMessage<F> {
  return Object.assign(declare(name, doc, fields, {}), { with: withOptions })
}

/** A custom resource's message that is parsed on first use: most definitions of a cluster are never used. */
export function lazy(read: () => Message): Message {
  let made: Message | undefined
  const part = (name: keyof Message) => ({
    enumerable: true,
    get: () => {
      made ??= read()
      return made[name]
    },
  })
  const parts = (['fields', 'json', 'facets', 'additional', 'atomic'] as const).map((name) => [name, part(name)] as const)
  const known = { type: 'message' as const, name: '', doc: '', open: true as const }
  return Object.defineProperties(known, Object.fromEntries(parts)) as unknown as Message
}

const scalar = <T>(type: ScalarType): Scalar<T> => ({ type })
export const string = scalar<string>('string')
export const bool = scalar<boolean>('bool')
export const int32 = scalar<number>('int32')
export const int64 = scalar<number>('int64')
export const double = scalar<number>('double')
export const bytes = scalar<string>('bytes')
/** RFC 3339 in UTC with whole seconds. */
export const time = scalar<string>('time')
/** RFC 3339 in UTC with six fraction digits. */
export const microTime = scalar<string>('microTime')
/** Go's duration text, such as `1h2m3.5s`. */
export const duration = scalar<string>('duration')
export const quantity = scalar<string>('quantity')
export const intOrString = scalar<number | string>('intOrString')
export const any: AnySchema = { type: 'any' }
/** Any value of a client's choice; its text is kept. */
export const raw: AnySchema = { type: 'any', raw: true }
export const oneOf = (union: () => Union, model: AnyModel): AnySchema => ({ type: 'any', union, model })

/** The schema with additional constraints, for list items or map values. */
export function withFacets<S extends Schema>(schema: S, facets: Facets): S {
  return Object.keys(facets).length === 0 ? schema : copyWith(schema, facets)
}

/** The message with granular instead of atomic ownership in server-side apply. */
export function granular<S extends Message>(schema: S): S {
  const { atomic: _, ...rest } = Object.getOwnPropertyDescriptors(schema)
  return Object.defineProperties({}, rest) as S
}

export function list<S extends Schema>(
  items: Lazy<S>,
  options: { listType?: ListType; keys?: readonly string[]; wrapper?: true; goType?: string } = {},
): List<S> {
  if (typeof items !== 'function') return { type: 'list', items, ...options }
  return {
    type: 'list',
    get items() {
      return (items as () => S)()
    },
    ...options,
  }
}

/** A list that one manager owns as a whole in server-side apply, and that OpenAPI says this of. */
export const atomicList = <S extends Schema>(items: Lazy<S>): List<S> => list(items, { listType: 'atomic' })

export function map<S extends Schema>(
  values: Lazy<S>,
  options: { atomic?: true; defaults?: (members: JsonObject) => void } = {},
): MapOf<S> {
  if (typeof values !== 'function') return { type: 'map', values, ...options }
  return {
    type: 'map',
    get values() {
      return (values as () => S)()
    },
    ...options,
  }
}

// ── TypeScript types from schemas ───────────────────────────────────────────────────────────────

type Simplify<T> = { -readonly [K in keyof T]: T[K] }
type UnionToIntersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never
type Inlined = { readonly inline: true }
type InlineOf<F extends Fields> = [InlineKeys<F>] extends [never]
  ? unknown
  : UnionToIntersection<{ [K in InlineKeys<F>]: Infer<F[K]['schema']> }[InlineKeys<F>]>
type InlineKeys<F extends Fields> = { [K in keyof F]: F[K] extends Inlined ? K : never }[keyof F]

/** The JSON value of a schema. Fields that are not required may be missing. */
export type Infer<S> =
  S extends Scalar<infer T>
    ? T
    : S extends AnySchema
      ? Json
      : S extends List<infer I>
        ? Infer<I>[]
        : S extends MapOf<infer V>
          ? { [key: string]: Infer<V> }
          : S extends Message<infer F>
            ? Simplify<
                { [K in keyof F as F[K] extends Field<Schema, true> ? K : never]: Infer<F[K]['schema']> } & {
                  [K in keyof F as F[K] extends Field<Schema, true> | Inlined ? never : K]?: Infer<F[K]['schema']> | undefined
                } & InlineOf<F>
              >
            : never
