import type { User } from '../request/exchange.ts'
import type { ApiObject } from '../resources/definition.ts'
import type { GroupResource } from '../respond/status.ts'
import type { JsonObject, Message } from '../schema/model.ts'
import type { Slices } from '../slices.ts'

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

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

/** The versions in which the objects of a resource are served. */
export interface ObjectVersions {
  /**
   * Group versions of the same stored objects that have the subresource as well, the requested one included (EquivalentResourceRegistry). The
   * same array for all requests of the resource and subresource until they change.
   */
  all(): readonly ServedVersion[]
  /** An object of any of these versions in the version of `kind`; the object itself when it is in that version already. */
  convert(object: ApiObject, kind: GroupVersionKind): Promise<ApiObject>
  /** A value that should be an object of this kind and version, with defaults. Unknown fields are dropped. Throws an Error when it does not fit. */
  decode(value: JsonObject, kind: GroupVersionKind): ApiObject
  /** What objects of one of these kinds may hold. */
  schemaOf(kind: GroupVersionKind): Message
}

/** What admission is asked about (apiserver/pkg/admission.Attributes). */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation
  /** Verb of the request as authorization sees it, such as `patch`; absent for the server's own writes. */
  readonly verb?: string
  /** Resource without its version. */
  readonly groupResource: GroupResource
  /** Resource and kind as the request names them; the kind is that of the body, such as Scale or Eviction. */
  readonly resource: GroupVersionResource
  readonly kind: GroupVersionKind
  readonly namespaced: boolean
  readonly subresource: string
  readonly namespace: string
  /** Empty for a create with generateName until the name is generated, and for a deletecollection. */
  readonly name: string
  /**
   * The new object, in the stored version or of the kind of the subresource. Mutating plugins change it in place or put another in its place.
   * Absent for a delete; the options (PodExecOptions and the like) for a connect.
   */
  object: ApiObject | undefined
  /** As `object`; never changed. */
  readonly oldObject: ApiObject | undefined
  readonly versions: ObjectVersions
  /** CreateOptions, UpdateOptions or DeleteOptions as the client gave them, with kind and apiVersion; absent for a connect. */
  readonly options: JsonObject | undefined
  readonly user: User
  readonly dryRun: boolean
  /** Aborts when the client is gone or the request's deadline has passed. */
  readonly signal: AbortSignal
  /** When the request is to have ended, in milliseconds since the epoch; absent: it has no end. */
  readonly deadline?: number | undefined
  /** The time that expressions about this request take from others; absent: as much as they want. */
  readonly slices?: Slices
  /** Adds a `Warning` header. */
  warn(text: string): void
  /**
   * Adds an audit annotation under a key `DOMAIN/NAME`, unless there is one. With `Request`, what it says is as confidential as the request's
   * body: it belongs into events that have that body only.
   */
  annotate(key: string, value: string, level?: AnnotationLevel): void
}

export type AnnotationLevel = 'Metadata' | 'Request'

/** The rounds in which one object is mutated: a second one when a plugin asks for it in the first. There is no third. */
export interface MutationRounds {
  /** Whether this is the second round. */
  readonly again: boolean
  /** Asks for the second round, in which all plugins run again. Plugins that must not, such as webhooks with `Never`, see to it themselves. */
  repeat(): void
}

/** One plugin; either phase may be missing. Throws an ApiError to refuse. */
export interface AdmissionPlugin {
  readonly name: string
  readonly operations: readonly AdmissionOperation[]
  /** Absent: all. Subresources are the plugin's own concern. */
  readonly resources?: readonly GroupResource[]
  /** A plugin that keeps notes between the rounds of one object keys them by `rounds`, in a WeakMap. */
  mutate?(attributes: AdmissionAttributes, rounds: MutationRounds): Promise<void> | void
  validate?(attributes: AdmissionAttributes): Promise<void> | void
  /** Ends background work when the server closes. */
  close?(): void
}
