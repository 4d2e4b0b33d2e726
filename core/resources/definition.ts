/**
 * What a resource is, as data. Built-in resources are rows made with `resource()`; a CustomResourceDefinition yields the
 * same shape at run time. Nothing outside a definition asks which kind it deals with.
 */
import type { Platform } from '../platform.ts'
import type { FieldErrors } from '../schema/field-error.ts'
import type { HookContext, Infer, Json, JsonObject, Message } from '../schema/model.ts'

/** Metadata as the registry reads and writes it (metav1.ObjectMeta). */
export interface ObjectMeta {
  name?: string
  generateName?: string
  selfLink?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: { [key: string]: string }
  annotations?: { [key: string]: string }
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  managedFields?: Json[]
}

export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** Any object of this API. */
export type ApiObject = { kind: string; apiVersion: string; metadata: ObjectMeta } & { [key: string]: unknown }

/** A path into an object such as `.spec.nodeName`; only names and dots. */
export type Path = `.${string}`

export interface ResourceNames {
  readonly plural: string
  readonly singular: string
  readonly short?: readonly string[]
  readonly categories?: readonly string[]
}

/** What a cell may look at. */
export interface CellContext extends HookContext {
  /** Told when a cell that tells time will read differently; milliseconds since the epoch. */
  changesAt?(time: number): void
}

/** Written as a method so that rows of different kinds fit into one table. */
type Cell<T> = { cell(object: T, context: CellContext): Json }['cell']

/** One column of `kubectl get`. A cell is a string, number, boolean or null. */
export interface Column<T = ApiObject> {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  readonly doc: string
  /** 0 is shown always, 1 only with `-o wide`. */
  readonly priority: number
  readonly cell: Path | Cell<T>
}

export interface Scale {
  readonly specReplicas: Path
  readonly statusReplicas: Path
  /** Path of a label selector (object or text) that the scale's status repeats. */
  readonly selector?: Path
}

/** Releases as `1.36`. */
export interface Lifecycle {
  readonly introduced: string
  readonly deprecated?: string
  readonly removed?: string
  readonly replacement?: { readonly group: string; readonly version: string; readonly kind: string }
}

/** What a kind adds to the generic life cycle. All hooks change or read the decoded object; none does I/O. */
export interface Strategy<T = ApiObject> {
  /** Clears or sets fields that a client may not decide, on create. Status is cleared already where `status` is set. */
  prepareCreate?(object: T, context: HookContext): void
  /** What a new object that was validated is read with, where that is more than it says; absent or undefined: nothing. */
  completeCreate?(object: T, context: HookContext): ApiObject | undefined
  /** The same on update of the main resource. `spec` or `status` of the other side is kept already. */
  prepareUpdate?(object: T, old: T, context: HookContext): void
  /** Last changes before an object starts to be deleted, such as a phase. */
  prepareDelete?(object: T, context: HookContext): void
  /** Rules of creates and updates; `old` is what an update finds, for rules that hold for new or changed values only. */
  validate?(object: T, errors: FieldErrors, context: HookContext, old?: T): void
  /** Runs after `validate` on updates. Fields marked immutable are checked already. */
  validateUpdate?(object: T, old: T, errors: FieldErrors, context: HookContext): void
  /** What a write through `/status` may not change; `spec` and the like are kept already. */
  prepareStatus?(object: T, old: T, context: HookContext): void
  /** Runs on updates through `/status`, instead of the two above. */
  validateStatus?(object: T, old: T, errors: FieldErrors, context: HookContext): void
  /** Defaults that hold for this kind only, not for its messages elsewhere. */
  defaults?(object: T, context: HookContext): void
  /** Warnings that a create, or an update of the main resource or its scale, answers with. */
  warnings?(object: T, old: T | undefined, context: HookContext): readonly string[]
  /** The same of updates through `/status`. */
  statusWarnings?(object: T, old: T, context: HookContext): readonly string[]
}

/** Rule for `metadata.name`: a format of schema/formats.ts. */
export type NameFormat = 'dns1123Subdomain' | 'dns1123Label' | 'dns1035Label' | 'pathSegment'

/** A part of an object that a subresource writes by itself; its bodies are whole objects of the kind. Does no I/O. */
export interface Side {
  /** The object after a write: what is stored, with this part taken from what the client wants. Changes neither. */
  write(existing: ApiObject, incoming: ApiObject, context: HookContext): ApiObject
  /** Rules of a write, after those of metadata. */
  validate?(object: ApiObject, old: ApiObject, errors: FieldErrors, context: HookContext): void
  /** Paths that a write leaves as they are, so that nobody gets to own them by it. */
  readonly reset?: readonly (readonly string[])[]
  /** It changes what is wanted: the rules of a new object hold before its own, and generations count. */
  readonly whole?: boolean
}

/** Between a version and the one that is stored. Changes neither; the result is brought into canonical form. */
export interface Conversion {
  toStored(object: ApiObject, platform: Platform): ApiObject
  fromStored(object: ApiObject, platform: Platform): ApiObject
}

/** Between the versions of a resource, where that may take time. */
export interface Converter {
  /** Objects of any versions in the one that is named, in their order; none is changed. What can be had at once is no promise. */
  convert(objects: readonly ApiObject[], apiVersion: string): readonly ApiObject[] | Promise<readonly ApiObject[]>
}

/** What answers where a request is not about a stored object (verbs/actions/index.ts). */
export type ActionName =
  | 'binding'
  | 'collectedBinding'
  | 'componentStatuses'
  | 'eviction'
  | 'localSubjectAccessReview'
  | 'nodeProxy'
  | 'podForward'
  | 'podLog'
  | 'podProxy'
  | 'podStream'
  | 'selfSubjectAccessReview'
  | 'selfSubjectReview'
  | 'selfSubjectRulesReview'
  | 'serviceProxy'
  | 'subjectAccessReview'
  | 'tokenRequest'
  | 'tokenReview'

export interface Subresource {
  /** Path element after the name. */
  readonly name: string
  /** Kind, group and version of its body when they differ from the parent's. */
  readonly kind: string
  readonly group?: string
  readonly version?: string
  readonly verbs: readonly string[]
  readonly schema: Message
  /** Set where it reads the whole object and writes a part of it. */
  readonly side?: Side
  readonly action?: ActionName
  /** Set where the connection is handed on: a stream of our protocols, or a proxy that takes any method and any path below. */
  readonly connects?: 'stream' | 'proxy'
}

/** Addresses and node ports of services. */
export type ReservationName = 'serviceAddresses'

export interface ResourceDefinition<M extends Message = Message> {
  /** Empty for the core group; `<domain>` stands for the platform's domain until the definition is bound. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly names: ResourceNames
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly schema: M
  /** The schema of a custom resource as its author wrote it (JSONSchemaProps), for OpenAPI documents; undefined: it has none. */
  published?(): JsonObject | undefined
  readonly nameFormat: NameFormat
  /** Key in the store below the prefix, without slashes at its ends: `services/specs`. Empty: nothing is stored (reviews, bindings). */
  readonly storageKey: string
  /** `apiVersion` of the objects in the store, when it is not this row's own. */
  readonly storageVersion?: string
  /** Versions that are served no more, in which objects may be stored all the same, and how those are read; the given object is not changed. */
  readonly formerVersions?: { readonly [apiVersion: string]: (object: ApiObject, apiVersion: string) => ApiObject }
  /** How objects become those of `storageVersion` where the fields differ too. */
  readonly conversion?: Conversion
  /** Set when the definition is bound: version that is stored, and how this one becomes it; absent: stored as it is. */
  readonly storage?: {
    readonly version: string
    readonly toStored: (object: ApiObject) => ApiObject
    readonly fromStored: (object: ApiObject) => ApiObject
  }
  /**
   * Set where objects are stored in whatever version was the stored one when they were written, and are converted, pruned and completed when
   * they are read. The rows of one resource share it; `storage` is absent then, and `storageVersion` says in which version to write.
   */
  readonly converter?: Converter
  readonly action?: ActionName
  /** Why no objects can be made any more; discovery then lists no verb that writes. */
  readonly closing?: string
  /** Without `--runtime-config`: what is neither alpha nor beta. */
  readonly servedByDefault: boolean
  readonly lifecycle: Lifecycle
  /** Warning that every request for this version gets (custom resources); built-in ones follow from the lifecycle. */
  readonly deprecationWarning?: string
  /** Has `/status`; spec and status are then written apart. */
  readonly status: boolean
  /** Writes through `/status` change nothing of the metadata. */
  readonly statusKeepsMetadata?: boolean
  /** Writes through `/status` change no labels. */
  readonly statusKeepsLabels?: boolean
  /** A create may bring its status (nodes register themselves with it). */
  readonly keepsStatusOnCreate?: boolean
  readonly scale?: Scale
  /** All but `/status` and `/scale`, which follow from the two properties above. */
  readonly subresources: readonly Subresource[]
  /** What raises `metadata.generation`: changes outside metadata and status, those and annotations, labels or status, or nothing. */
  readonly generation: 'spec' | 'specAndAnnotations' | 'specAndLabels' | 'specAndStatus' | 'none'
  /** Field selectors beyond `metadata.name` and `metadata.namespace`: label to path. */
  readonly selectable: { readonly [label: string]: Path | ((object: ApiObject) => string) }
  /** Those of them by which many clients watch and list a small part: the watch cache finds it without looking at all objects. */
  readonly indexed?: readonly string[]
  readonly columns: readonly Column<Infer<M>>[]
  readonly strategy: Strategy<Infer<M>>
  /** Seconds that a delete waits when the client names none; a function sees the object. Absent: deletes are immediate. */
  gracePeriod?(object: Infer<M>, requested: number | undefined): number
  /** Default propagation when the client names none: `orphan` for some old workload kinds. */
  readonly defaultPropagation: 'Background' | 'Orphan'
  /** What a delete is warned of when its client names no propagation. */
  readonly propagationWarning?: string
  /** Finalizers that live in `spec.finalizers` and the `/finalize` subresource (namespaces). */
  readonly specFinalizers?: boolean
  /** Objects vanish after this flag's time-to-live (events). */
  readonly ttl?: 'event'
  /** A finished delete answers with the object, not with a Status. */
  readonly returnsDeleted?: boolean
  /** What its objects take from a shared stock (registry/reservations-built-in.ts). */
  readonly reservations?: ReservationName
  /** Media type in which objects are stored whatever the server's own is. */
  readonly storageMediaType?: string
  /** An update of an object that does not exist creates it. */
  readonly createOnUpdate: boolean
  /** An update must carry a resourceVersion (custom resources). */
  readonly updateNeedsVersion: boolean
}

export interface ResourceOptions<M extends Message>
  extends Partial<Omit<ResourceDefinition<M>, 'names' | 'schema' | 'strategy' | 'group' | 'version' | 'kind'>> {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Plural, singular, then short names. */
  readonly names: readonly [plural: string, singular: string, ...short: string[]]
  readonly categories?: readonly string[]
  readonly schema: M
  readonly strategy?: Strategy<Infer<M>>
}

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const

/** Completes a row with what most resources share. */
export function resource<M extends Message>(options: ResourceOptions<M>): ResourceDefinition<M> {
  const { names, categories, strategy, ...own } = options
  const [plural, singular, ...short] = names
  return {
    listKind: `${options.kind}List`,
    namespaced: true,
    verbs: allVerbs,
    nameFormat: 'dns1123Subdomain',
    storageKey: plural,
    servedByDefault: /^v\d+$/.test(options.version),
    lifecycle: { introduced: '1.0' },
    status: false,
    subresources: [],
    generation: 'none',
    selectable: {},
    columns: [],
    defaultPropagation: 'Background',
    createOnUpdate: false,
    updateNeedsVersion: false,
    ...own,
    names: { plural, singular, ...(short.length > 0 && { short }), ...(categories && { categories }) },
    strategy: strategy ?? {},
  }
}

/** `v1` or `apps/v1`. */
export function apiVersionOf(definition: { readonly group: string; readonly version: string }): string {
  return definition.group === '' ? definition.version : `${definition.group}/${definition.version}`
}

/** `configmaps` or `deployments.apps`, as it stands in messages and details. */
export function qualifiedPlural(definition: { readonly group: string; readonly names: ResourceNames }): string {
  return definition.group === '' ? definition.names.plural : `${definition.names.plural}.${definition.group}`
}
