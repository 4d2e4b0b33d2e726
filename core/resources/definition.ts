/**
 * Resources as data. Built-in resources are rows made with `resource()`; CustomResourceDefinitions yield the
 * same shape at run time. No code outside a definition depends on a specific kind.
 */

import type { MaybePromise } from '../common/maybe-promise.ts'
import type { Platform } from '../platform.ts'
import type { Context } from '../ports.ts'
import type { Release } from '../release.ts'
import type { FieldErrors } from '../schema/field-error.ts'
import type { HookContext, Infer, Json, JsonObject, Message } from '../schema/model.ts'
import type { ObjectMeta, OwnerReference } from '../schema/object-meta.ts'

export type { ObjectMeta, OwnerReference }

/** Any object of this API. */
export type ApiObject = { kind: string; apiVersion: string; metadata: ObjectMeta } & { [key: string]: unknown }

/** A path such as `.spec.nodeName`: names and dots only. */
export type Path = `.${string}`

export interface ResourceNames {
  readonly plural: string
  readonly singular: string
  readonly short?: readonly string[]
  readonly categories?: readonly string[]
}

/** Context of table cells. */
export interface CellContext extends HookContext {
  /** Called with the time when a cell's content changes, in milliseconds since the epoch. */
  changesAt?(time: number): void
}

/** A method, so that columns of different kinds have a common type. */
type Cell<T> = { cell(object: T, context: CellContext): Json }['cell']

/** One column of `kubectl get`. A cell is a string, number, boolean or null. */
export interface Column<T = ApiObject> {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  readonly doc: string
  /** 0: always shown; 1: only with `-o wide`. */
  readonly priority: number
  readonly cell: Path | Cell<T>
  /** Rows have the cell, but no column is announced for it. */
  readonly unannounced?: true
}

export interface Scale {
  readonly specReplicas: Path
  readonly statusReplicas: Path
  /** Path of a label selector (object or string) for the scale's status. */
  readonly selector?: Path
  /** The kind's strategy validates the replicas, as those of custom resources do. */
  readonly strategyValidates?: true
}

export interface Lifecycle {
  readonly introduced: Release
  readonly deprecated?: Release
  readonly removed?: Release
  readonly replacement?: { readonly group: string; readonly version: string; readonly kind: string }
}

/** Hooks of a kind in the generic life cycle. All work on the decoded object; none does I/O. */
export interface Strategy<T = ApiObject> {
  /** Resets or sets fields that clients can't choose, on create. The status is already cleared if `status` is set. */
  prepareCreate?(object: T, context: HookContext): void
  /** The object to return and store after validation of a create, if it differs; absent or undefined: unchanged. */
  completeCreate?(object: T, context: HookContext): ApiObject | undefined
  /** As `prepareCreate`, for updates of the main resource. The status is already kept. */
  prepareUpdate?(object: T, old: T, context: HookContext): void
  /** Final changes when deletion starts, such as a phase. */
  prepareDelete?(object: T, context: HookContext): void
  /** All problems of the object's name, or of what it is generated from, given those of its format. Default: those. */
  nameProblems?(object: T, name: string, found: readonly string[]): readonly string[]
  /**
   * Why a signature in a new object is not that of its key, which its validation reports; undefined: it is, or can't be read. Web Crypto answers
   * later, so that it is asked before.
   */
  signatureFault?(object: T): Promise<string | undefined>
  /** Validation on create and update; `old` is set on updates, for rules on new or changed values only. */
  validate?(object: T, errors: FieldErrors, context: HookContext, old?: T): void
  /** Runs after `validate` on updates. Immutable fields are already validated. */
  validateUpdate?(object: T, old: T, errors: FieldErrors, context: HookContext): void
  /** Keeps fields that `/status` can't change; the spec is already kept. */
  prepareStatus?(object: T, old: T, context: HookContext): void
  /** Runs on updates through `/status`, instead of the previous two. */
  validateStatus?(object: T, old: T, errors: FieldErrors, context: HookContext): void
  /** A `generateName` is the name as it is. */
  readonly keepsGenerateName?: true
  /** A create keeps its status (nodes register themselves with it). */
  readonly keepsStatusOnCreate?: true
  /** What increments `metadata.generation` beside changed content: an empty list or map in place of an absent one; fields that are dropped because their feature is disabled. */
  readonly countsAsChange?: 'empty' | 'dropped'
  /** Number by which the rows of a list's Table are sorted; rows with the same number stay in the list's order. Absent: all do. */
  rowOrder?(object: T): number
  /** Why the object of this name can't be deleted, unless with a collection. */
  undeletable?(name: string): string | undefined
  /** Default grace period of a delete in seconds. Absent: deletes are immediate. */
  gracePeriod?(object: T, requested: number | undefined): number
  /** Warning for deletes without propagation policy. */
  readonly propagationWarning?: string
  /**
   * Changes an object from a client, in place, before its defaults, as the reference's conversion to the version that it works with does, such as
   * annotations that hold fields of former versions. Throws ConversionError where that conversion fails.
   */
  convertGiven?(object: ApiObject, platform: Platform): void
  /** Defaults for this kind only, not for its messages elsewhere. */
  defaults?(object: T, context: HookContext): void
  /** Warnings for creates and for updates of the main resource or its scale. */
  warnings?(object: T, old: T | undefined, context: HookContext): readonly string[]
  /** Warnings for updates through `/status`. */
  statusWarnings?(object: T, old: T, context: HookContext): readonly string[]
}

/** Format of `metadata.name` (schema/formats.ts). */
export type NameFormat = 'dns1123Subdomain' | 'dns1123Label' | 'dns1035Label' | 'longName' | 'pathSegment' | 'configMapKey' | 'strictIP'

/** Hooks of a subresource such as `/resize` that writes a part of the object; its bodies are complete objects of the kind. Does no I/O. */
export interface SubresourceStrategy {
  /** The object after a write: the stored object with this part of the incoming one. Changes neither. */
  write(existing: ApiObject, incoming: ApiObject, context: HookContext): ApiObject
  /** Validation of a write, after metadata. */
  validate?(object: ApiObject, old: ApiObject, errors: FieldErrors, context: HookContext): void
  /** Paths that a write doesn't change, so that it can't own them (resetFields). */
  readonly reset?: readonly (readonly string[])[]
  /** As on updates of the main resource, the kind's `validate` runs too, and a changed spec increments the generation. */
  readonly fullUpdate?: boolean
}

/** Converts between a version and the storage version. Changes neither object; the result is canonicalized afterwards. */
export interface Conversion {
  toStored(object: ApiObject, platform: Platform): ApiObject
  fromStored(object: ApiObject, platform: Platform): ApiObject
}

/** Converts between versions of a resource, possibly asynchronously (converter.ts). */
export interface Converter {
  /**
   * Converts objects of any version to one version, in order, without changing them. Returns a plain value when synchronous. `context`: what they
   * are converted for; undefined: the server's own work, or a watch.
   */
  convert(objects: readonly ApiObject[], apiVersion: string, context: Context | undefined): MaybePromise<readonly ApiObject[]>
  /** As `convert`, for one object; absent if conversions may be asynchronous. Throws an Error for an unknown version. */
  now?(object: ApiObject, apiVersion: string): ApiObject
}

export interface SyncConverter extends Converter {
  convert(objects: readonly ApiObject[], apiVersion: string, context?: Context): readonly ApiObject[]
  now(object: ApiObject, apiVersion: string): ApiObject
}

/** The version in which the server holds objects, as `apiVersion`, and the converter to and from it. */
export interface Hub {
  readonly version: string
  readonly converter: SyncConverter
}

/**
 * How the server handles the versions of a resource. It holds objects (caches, admits, validates and updates them) in one version: that of
 * storage, in which values of other versions are read, too; or in the version of the request, and then stored values keep their version
 * and are converted, pruned and defaulted on read.
 */
export type Versioning = (Hub & { readonly heldIn: 'storage' }) | { readonly heldIn: 'requested'; readonly converter: Converter }

export interface Subresource {
  /** Path segment after the name. */
  readonly name: string
  /** Kind, group and version of its body, if different from the parent's. */
  readonly kind: string
  readonly group?: string
  readonly version?: string
  readonly verbs: readonly string[]
  readonly schema: Message
  /** Set if its bodies are complete objects of the parent's kind, of which it writes a part. */
  readonly strategy?: SubresourceStrategy
  /** Its handler, by its name in verbs/actions/index.ts. */
  readonly action?: string
  /** Set if it connects to a backend: a stream, or a proxy for any method and subpath. */
  readonly connects?: 'stream' | 'proxy'
  /** Set if it answers with plain text; the fields of `options` are query parameters. */
  readonly text?: { readonly options: Message }
}

/** Pools of allocations: IP addresses and node ports of services. */
export type ReservationName = 'serviceAddresses'

/**
 * Checks of metadata in updates: those of every object, and those that compare it with the stored one, possibly behind other validation. `changes`: the
 * rest of the object is compared with the stored one here already, not at the end.
 */
export type MetadataCheck = 'object' | 'update' | 'lateUpdate' | 'changes'

/** Where a resource comes from, and what depends on it in the reference: one handler serves the types compiled in, another custom resources. */
export interface Origin {
  /**
   * What selects the handler of a request: `path` and method (routes.ts), or the `verb` of RequestInfo alone, whatever the method and the rest
   * of the path.
   */
  readonly routing: 'path' | 'verb'
  /** Whether objects in bodies and lists carry their own kind and apiVersion (`explicit`: those of requests are required), or path and list imply them. */
  readonly typeMeta: 'implied' | 'explicit'
  /** Accepts strategic merge patches. */
  readonly strategicMerge: boolean
  /** Order of subresources in discovery: by name, or status, scale, then the others as listed. */
  readonly subresourceOrder: 'name' | 'listed'
  /** Columns may show managed fields. */
  readonly columnsShowManagers: boolean
  /** Set if OpenAPI has the schema as its author wrote it (JSONSchemaProps; undefined: none) instead of models of the messages. */
  published?(): JsonObject | undefined
  /** Warning for every request to this version; absent: as derived from the lifecycle. */
  readonly deprecationWarning?: string
  /** The CustomResourceDefinition of the row, and its newest known revision. */
  readonly definedBy?: { readonly name: string; readonly uid: string | undefined; revision(): number }
}

const builtIn: Origin = {
  routing: 'path',
  typeMeta: 'implied',
  strategicMerge: true,
  subresourceOrder: 'name',
  columnsShowManagers: false,
}

export interface ResourceDefinition<M extends Message = Message> {
  readonly origin: Origin
  /** Empty for the core group; `<domain>` stands for the platform's domain until the definition is bound. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly names: ResourceNames
  readonly namespaced: boolean
  /** In discovery's order. */
  readonly verbs: readonly string[]
  readonly schema: M
  /** Or a function of the context, where it depends on the version of the request. */
  readonly nameFormat: NameFormat | ((context: HookContext) => NameFormat)
  /** Paths, beside the status, that updates of the main resource don't change, so that they have no manager (resetFields). */
  readonly reset?: readonly (readonly string[])[]
  /**
   * Checks of metadata that the reference repeats for this kind on updates: errors are listed once for each. Default: `update`. None: it leaves metadata to
   * what all kinds have in common, which creates reach when the rest is valid.
   */
  readonly metadataOnUpdate: readonly MetadataCheck[]
  /** Takes finalizers without a domain that are not known ones. */
  readonly anyFinalizers?: true
  /** Store key below the prefix, without slashes at the ends: `services/specs`. Empty: nothing is stored (reviews, bindings). */
  readonly storageKey: string
  /** Storage version as `apiVersion`, if different from this row's. */
  readonly storageVersion?: string
  /** Versions that are not served any more but may be stored, with their converters, which don't change the given object. */
  readonly formerVersions?: { readonly [apiVersion: string]: (object: ApiObject, apiVersion: string) => ApiObject }
  /** Conversion to `storageVersion`, if the fields differ. */
  readonly conversion?: Conversion
  /** Shared by the rows of a resource, and set when they are bound; absent: there is one version. */
  readonly versioning?: Versioning
  /** Handler of its requests, which are not about stored objects: a name in verbs/actions/index.ts. */
  readonly action?: string
  /** Why objects can't be created any more; discovery then lists no writing verbs. */
  readonly closing?: string
  /** Whether it is served without `--runtime-config`: neither alpha nor beta. */
  readonly servedByDefault: boolean
  readonly lifecycle: Lifecycle
  /** False: has the errors and continue tokens of a resource without a watch cache, which events have not in the reference. Default: true. */
  readonly cached?: false
  /** Feature gate without which the resource is not served, whatever --runtime-config says. */
  readonly gate?: string
  /** Has a status subresource; spec and status are written separately. */
  readonly status: boolean
  /** False: responses of `/status` can't be a Table. Default: true. */
  readonly statusTables?: false
  /** What `/status` doesn't change: all metadata, or these fields of it. By default only the fields that no update changes. */
  readonly statusKeeps?: 'metadata' | readonly ('deletionTimestamp' | 'labels' | 'ownerReferences')[]
  readonly scale?: Scale
  /** All except `/status` and `/scale`, which the two properties above define. */
  readonly subresources: readonly Subresource[]
  /**
   * What increments `metadata.generation`: changes outside metadata and status, additionally of annotations, labels or status, or nothing
   * (`once`: it stays 1; `none`: the server doesn't set it).
   */
  readonly generation: 'spec' | 'specAndAnnotations' | 'specAndLabels' | 'specAndStatus' | 'once' | 'none'
  /**
   * Field selectors beyond `metadata.name` and, if namespaced, `metadata.namespace`: label to path. Absent: exactly these two, whatever the
   * scope.
   */
  readonly selectable?: { readonly [label: string]: Path | ((object: ApiObject) => string) }
  /** Error for a label that is not selectable, if the kind has an error of its own. */
  unselectable?(label: string, apiVersion: string): string
  /** Selectable fields that the watch cache indexes, because many clients select small subsets by them. */
  readonly indexed?: readonly string[]
  readonly columns: readonly Column<Infer<M>>[]
  /** Conditions of the object's row in a Table. */
  rowConditions?(object: ApiObject): readonly JsonObject[] | undefined
  /** Annotations that hold fields of former versions. Metadata without the object (PartialObjectMetadata, rows of tables) lack them. */
  readonly fieldAnnotations?: readonly string[]
  readonly strategy: Strategy<Infer<M>>
  /** Default propagation policy: `Orphan` for some old workload kinds. `Unsupported`: the policy of a request has no effect either. */
  readonly defaultPropagation: 'Background' | 'Orphan' | 'Unsupported'
  /** What bookmarks of the kind have besides their own metadata, because the zero of a field is written. */
  readonly bare?: JsonObject
  /** Finalizers are in `spec.finalizers`, written by `/finalize` (namespaces). */
  readonly specFinalizers?: boolean
  /** Objects expire after the time-to-live of this flag (events). */
  readonly ttl?: 'event'
  /** A completed delete returns the object instead of a Status. */
  readonly returnsDeleted?: boolean
  /** Allocations of its objects from a shared pool (registry/reservations-built-in.ts). */
  readonly reservations?: ReservationName
  /** Fixed media type of stored objects, regardless of the server's. */
  readonly storageMediaType?: string
  /** An update of a missing object creates it. */
  readonly createOnUpdate: boolean
  /** An update requires a resourceVersion (custom resources). */
  readonly updateNeedsVersion: boolean
}

export interface ResourceOptions<M extends Message>
  extends Partial<Omit<ResourceDefinition<M>, 'names' | 'schema' | 'strategy' | 'group' | 'version' | 'kind'>> {
  readonly group: string
  readonly version: string
  /** Default: the name of its message. */
  readonly kind?: string
  /** Plural, singular, then short names. */
  readonly names: readonly [plural: string, singular: string, ...short: string[]]
  readonly categories?: readonly string[]
  readonly schema: M
  readonly strategy?: Strategy<Infer<M>>
}

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const

/** Completes a row with common defaults. */
export function resource<M extends Message>(options: ResourceOptions<M>): ResourceDefinition<M> {
  const { names, categories, strategy, kind = options.schema.name, ...own } = options
  const [plural, singular, ...short] = names
  return {
    kind,
    listKind: `${kind}List`,
    namespaced: true,
    verbs: allVerbs,
    origin: builtIn,
    nameFormat: 'dns1123Subdomain',
    metadataOnUpdate: ['update'],
    storageKey: plural,
    servedByDefault: /^v\d+$/.test(options.version),
    lifecycle: { introduced: '1.0' },
    status: false,
    subresources: [],
    generation: 'none',
    columns: [],
    defaultPropagation: 'Background',
    createOnUpdate: false,
    updateNeedsVersion: false,
    ...own,
    names: { plural, singular, ...(short.length > 0 && { short }), ...(categories && { categories }) },
    strategy: strategy ?? {},
  }
}

/** The row of a resource in another version, which differs in these properties. */
export const otherVersion = (
  row: ResourceDefinition,
  differences: Pick<ResourceDefinition, 'version' | 'lifecycle'> & Partial<ResourceDefinition>,
): ResourceDefinition => {
  const { storageVersion, ...own } = { ...row, ...differences }
  return { ...own, ...(storageVersion !== undefined && storageVersion !== apiVersionOf(own) && { storageVersion }) }
}

/** `v1` or `apps/v1`. */
export function apiVersionOf(definition: { readonly group: string; readonly version: string }): string {
  return definition.group === '' ? definition.version : `${definition.group}/${definition.version}`
}
