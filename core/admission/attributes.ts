import type { GroupResource } from '../answers/status.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { Slices } from '../common/slices.ts'
import type { Context } from '../ports.ts'
import type { User } from '../request/exchange.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { FieldErrors } from '../schema/field-error.ts'
import type { JsonObject, Message } from '../schema/model.ts'

export const admissionOperations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const
export type AdmissionOperation = (typeof admissionOperations)[number]

export interface GroupVersionResource {
  readonly group: string
  readonly version: string
  readonly resource: string
}

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export interface ServedVersion {
  readonly resource: GroupVersionResource
  readonly kind: GroupVersionKind
}

/** The served versions of a resource's objects. */
export interface ObjectVersions {
  /**
   * Served versions of the same stored objects that have the subresource, including the requested one (EquivalentResourceRegistry). The same
   * array for all requests of the resource and subresource until they change.
   */
  all(): readonly ServedVersion[]
  /** Converts an object of any of these versions to the version of `kind`; returns the object itself if it has that version. */
  convert(object: ApiObject, kind: GroupVersionKind): Promise<ApiObject>
  /** Decodes and defaults an object of this kind and version. Unknown fields are dropped. Throws an Error when it is malformed. */
  decode(value: JsonObject, kind: GroupVersionKind): ApiObject
  /** Schema of one of these kinds. */
  schemaOf(kind: GroupVersionKind): Message
}

/** Attributes of an admission request (apiserver/pkg/admission.Attributes), and the context of the calls that plugins make for it. */
export interface AdmissionAttributes extends Context {
  readonly operation: AdmissionOperation
  /** Authorization verb of the request, such as `patch`; absent for the server's own writes. */
  readonly verb?: string
  /** Resource without its version. */
  readonly groupResource: GroupResource
  /** Requested resource and kind; the kind is that of the body, such as Scale or Eviction. */
  readonly resource: GroupVersionResource
  readonly kind: GroupVersionKind
  readonly namespaced: boolean
  readonly subresource: string
  readonly namespace: string
  /** Empty for a create with generateName until the name is generated, and for a deletecollection. */
  readonly name: string
  /**
   * The new object, in the stored version or of the subresource's kind. Mutating plugins change or replace it.
   * Absent for a delete; the options (PodExecOptions and the like) for a connect.
   */
  object: ApiObject | undefined
  /**
   * Whether this request recorded managed fields and no patch has been applied since. Their times have fractions of a second in the reference,
   * which every patch takes away: the first patch changes the object whatever it says.
   */
  isStamped?: boolean
  /** As `object`; never changed. */
  readonly oldObject: ApiObject | undefined
  readonly versions: ObjectVersions
  /** CreateOptions, UpdateOptions or DeleteOptions as the client sent them, with kind and apiVersion; absent for a connect. */
  readonly options: JsonObject | undefined
  readonly user: User
  readonly dryRun: boolean
  /** Time slices for CEL evaluation; absent: no yielding. */
  readonly slices?: Slices
  /**
   * Says that this cluster-scoped object was found to allow a create: `check` runs again if it changes before the new object is stored. Groups
   * are written with placeholders. Absent for the server's own writes.
   */
  requireUnchanged?(on: GroupResource, found: ApiObject, check: (found: ApiObject | undefined) => void): void
  /** Reports a wait for webhooks, in milliseconds. */
  waited(milliseconds: number): void
  /** Adds a `Warning` header. */
  warn(text: string): void
  /**
   * Adds an audit annotation under a key `DOMAIN/NAME`, unless it exists. Level `Request`: the value is as confidential as the request's body,
   * and only written to events that contain the body.
   */
  annotate(key: string, value: string, level?: AnnotationLevel): void
}

export type AnnotationLevel = 'Metadata' | 'Request'

/** Rounds of mutation of one object: a second one runs when a plugin requests it in the first. There is no third. */
export interface MutationRounds {
  /** Whether this is the second round. */
  readonly again: boolean
  /** Requests the second round, which runs all plugins again. Plugins themselves skip what must not run twice, such as webhooks with `Never`. */
  repeat(): void
}

/** An admission plugin; either phase may be missing. Throws an ApiError to deny the request. */
export interface AdmissionPlugin {
  readonly name: string
  readonly operations: readonly AdmissionOperation[]
  /** Absent: all. Plugins handle subresources themselves. */
  readonly resources?: readonly GroupResource[]
  /** State of a plugin between the rounds of one object belongs into a WeakMap keyed by `rounds`. */
  mutate?(attributes: AdmissionAttributes, rounds: MutationRounds): Promise<void> | void
  validate?(attributes: AdmissionAttributes): Promise<void> | void
  /** Errors of fields that depend on the rights of the user: listed with those of validation, on which they run. Needs `resources`. */
  findErrors?(attributes: AdmissionAttributes): Promise<FieldErrors>
  /** Resolves when the plugin can be called; absent: at once. */
  readonly ready?: MaybePromise<unknown>
  /** Stops background work when the server closes. */
  close?(): void
}
