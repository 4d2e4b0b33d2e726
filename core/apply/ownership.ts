/** Maintains `metadata.managedFields` on every write, and applies configurations (KEP-555, API conventions 'Server-side apply'). */

import { type ApiError, badRequest, unreasoned } from '../answers/status.ts'
import type { Platform } from '../platform.ts'
import { timestamp } from '../schema/formats/time.ts'
import { equal } from '../schema/json/equal.ts'
import { givenEmpties, setGivenEmpties } from '../schema/json/given-empty.ts'
import { isObject } from '../schema/json/is-object.ts'
import { set } from '../schema/json/members.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { capUpdaters } from './cap.ts'
import { ApplyConflicts, conflictError } from './conflict.ts'
import { difference, fieldSet, intersection, noFields, union } from './field-set.ts'
import { clientName, conflictsBeyond, withLastApplied } from './last-applied.ts'
import { decodeManagers, encodeManagers, type Identity, identityOf, type Manager, type Managers } from './managers.ts'
import { atomOf, type Scope } from './scope.ts'
import { TypeMismatch } from './type-mismatch.ts'
import { apply, update } from './updater.ts'
import { validateType } from './validate-type.ts'

interface ObjectType {
  readonly apiVersion: string
  readonly kind: string
}

/** One write: its scope, field manager and time. */
export interface Writing extends Scope {
  readonly platform: Platform
  readonly kind: string
  /** Empty: the main resource. */
  readonly subresource: string
  /** Field manager as core/request/options.ts determines it; may be empty. */
  readonly manager: string
  /** Milliseconds since the epoch; called for the entries that get the time of this write. */
  readonly now: () => number
  /** An empty object of the kind, in the scope's version: the "before" of a create. */
  readonly blank: JsonObject
}

/** Fields that no manager owns: server-owned metadata, and the identity of the object. */
const serverFields = fieldSet(
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation', 'managedFields', 'resourceVersion'].map(
    (name) => ['metadata', name],
  ),
)

const unknownManager = 'unknown'
const beforeFirstApply = 'before-first-apply'

function identity({ apiVersion, subresource }: Writing, manager: string, operation: Identity['operation']): Identity {
  return { manager: manager === '' ? unknownManager : manager, operation, apiVersion, subresource }
}

const metadataOf = (object: JsonObject) => (object['metadata'] ?? {}) as JsonObject
const entriesOf = (object: JsonObject) => metadataOf(object)['managedFields'] as readonly Json[] | undefined

/** The object without managedFields, which no manager owns. */
function bare(object: JsonObject): JsonObject {
  const metadata = metadataOf(object)
  if (!Object.hasOwn(metadata, 'managedFields')) return object
  // Member by member: it takes half the time.
  const rest: JsonObject = {}
  for (const name in metadata) if (name !== 'managedFields') set(rest, name, metadata[name] as Json)
  const bared = { ...object, metadata: rest }
  setGivenEmpties(bared, givenEmpties(object))
  return bared
}

/** An empty list, or a list with one empty entry, resets ownership. */
function clears(entries: readonly Json[] | undefined): boolean {
  return entries !== undefined && (entries.length === 0 || (entries.length === 1 && Object.keys(entries[0] as JsonObject).length === 0))
}

const noManagers: Managers = new Map()

function decodeOr(entries: readonly Json[] | undefined, otherwise: () => Managers): Managers {
  if (entries === undefined) return otherwise()
  try {
    const managers = decodeManagers(entries)
    return managers.size > 0 ? managers : otherwise()
  } catch {
    return otherwise()
  }
}

/** The managers before a write: those in the request body if they are well-formed, otherwise the live ones. */
function managersOf({ subresource }: Writing, live: JsonObject, object: JsonObject): Managers {
  const stored = entriesOf(live)
  const fromLive = () => decodeOr(stored, () => noManagers)
  if (subresource !== '') return fromLive()
  const given = entriesOf(object)
  if (clears(given)) return noManagers
  // Most clients send back what they have read, of which the managers are known.
  return equal(given as Json[] | undefined, stored as Json[] | undefined) ? fromLive() : decodeOr(given, fromLive)
}

/** Assigns the fields that an update changed to its manager. Most updates change what their manager owns already: it keeps the same set. */
function record(writing: Writing, old: JsonObject, updated: JsonObject, before: Managers, name: string): Managers {
  const own = identity(writing, name, 'Update')
  const key = identityOf(own)
  const { managers, gained, lost } = update(writing, bare(old), bare(updated), before, key)
  const fields = difference(gained, serverFields)
  const last = managers.get(key)
  const owned = difference(last?.fields ?? noFields, lost)
  const kept = fields === gained || owned.length === 0 ? owned : difference(owned, intersection(gained, serverFields))
  const { manager, operation, apiVersion, subresource } = own
  const encoded = last?.encoded
  // Written out: a spread costs a microsecond.
  if (fields.length > 0)
    managers.set(key, { manager, operation, apiVersion, subresource, fields: union(fields, kept), time: timestamp(writing.now()), encoded })
  else if (kept.length === 0) managers.delete(key)
  else if (last !== undefined && kept !== last.fields) managers.set(key, { ...last, fields: kept })
  return capUpdaters(managers)
}

/**
 * The managedFields entries to store with an object that is created (`live` absent) or updated other than by apply; both are in the scope's
 * version, with defaults. An object without managers stays so on update. When fields can't be identified, all ownership is dropped
 * (UpdateNoErrors in apimachinery's managedfields).
 */
export function updateManaged(writing: Writing, live: JsonObject | undefined, object: JsonObject): Json[] | undefined {
  const old = live ?? writing.blank
  try {
    const managers = managersOf(writing, old, object)
    if (managers.size === 0 && live !== undefined) return undefined
    return encodeManagers(record(writing, old, object, managers, writing.manager))
  } catch (error) {
    if (error instanceof TypeMismatch) return undefined
    throw error
  }
}

/** Throws when this configuration can't be applied here. */
function validateApplied({ apiVersion, kind }: Writing, applied: JsonObject): void {
  const [group, version] = splitVersion(typeof applied['apiVersion'] === 'string' ? applied['apiVersion'] : '')
  const given = typeof applied['kind'] === 'string' ? applied['kind'] : ''
  const [wantedGroup, wantedVersion] = splitVersion(apiVersion)
  if (version.includes('/')) throw badRequest('invalid object type: /, Kind=')
  if (group !== wantedGroup || version !== wantedVersion || given !== kind)
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${given}`)
  // What has an entry that is no object counts as absent, as it does for Go's unstructured objects.
  const entries: unknown = entriesOf(applied)
  if (Array.isArray(entries) && entries.every(isObject)) throw badRequest('metadata.managedFields must be nil')
}

function splitVersion(apiVersion: string): [group: string, version: string] {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)]
}

/** Type of an object, as errors name it: `apps/v1, Kind=Deployment`. */
const typeTitle = ({ apiVersion, kind }: ObjectType) => `${splitVersion(apiVersion).join('/')}, Kind=${kind}`

function objectTitle(type: ObjectType, object: JsonObject): string {
  const { name, namespace } = metadataOf(object)
  const shown = (value: Json | undefined) => (typeof value === 'string' ? value : '')
  return `(${shown(namespace)}/${shown(name)}; ${typeTitle(type)})`
}

/** 500 without a reason: the result of an apply is not an object of the kind. */
export function unconvertible(type: ObjectType, applied: JsonObject, why: string): ApiError {
  const title = objectTitle(type, applied)
  return unreasoned(
    `failed to convert new object ${title} to proper version: unable to convert unstructured object to ${typeTitle(type)}: ${why}`,
  )
}

/** 500 without a reason: the result of an apply can't be converted to the version that the reference works with. */
export const unversionable = (type: ObjectType, applied: JsonObject, why: string): ApiError =>
  unreasoned(`failed to convert to unversioned ${objectTitle(type, applied)}: ${why}`)

/** What failed when an object does not match its type: the applied one, the live one, or one that is about to get its first managers. */
const typeFailures = {
  patch: (title: string) => `failed to create typed patch object ${title}`,
  live: (title: string) => `failed to create typed live object ${title}`,
  unmanaged: (title: string) => `failed to create manager for existing fields: failed to convert new object ${title} to smd typed`,
}

function validateTyped(writing: Writing, object: JsonObject, which: keyof typeof typeFailures): void {
  const { apiVersion } = writing
  try {
    validateType(atomOf(writing, apiVersion), object, which !== 'patch')
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error
    throw unreasoned(`${typeFailures[which](objectTitle(writing, object))}: ${error.message}`)
  }
}

/** Managers of the live object. Before the first apply, a manager `before-first-apply` gets all of its fields. */
function managersBefore(writing: Writing, live: JsonObject): Managers {
  let managers: Managers
  try {
    managers = decodeManagers(entriesOf(live))
  } catch (error) {
    throw unreasoned(`failed to decode managed fields: ${(error as Error).message}`)
  }
  if (managers.size > 0) return managers
  validateTyped(writing, live, 'unmanaged')
  return record(writing, writing.blank, live, managers, beforeFirstApply)
}

/** Removes the fields that the server owns. */
function stripped(managers: Map<string, Manager>, key: string): Map<string, Manager> {
  const manager = managers.get(key)
  if (manager === undefined) return managers
  const fields = difference(manager.fields, serverFields)
  if (fields.length > 0) managers.set(key, { ...manager, fields })
  else managers.delete(key)
  return managers
}

/** An apply whose configuration fits the kind. */
export interface CheckedApply {
  /** The object before it: the live one, or an empty one. */
  readonly old: JsonObject
  readonly applied: JsonObject
  readonly managers: Managers
}

/**
 * The first half of an apply of a configuration (parsed, possibly partial) to the live object, or of one that creates it; converts nothing. Throws
 * 400 for another kind or version or for given managedFields, 500 without a reason when the schema does not match.
 */
export function checkApply(writing: Writing, live: JsonObject | undefined, applied: JsonObject): CheckedApply {
  validateApplied(writing, applied)
  const old = live ?? writing.blank
  const managers = managersBefore(writing, old)
  validateTyped(writing, applied, 'patch')
  validateTyped(writing, old, 'live')
  return { old, applied, managers }
}

/**
 * The second half: returns the object with its new managedFields; it still has to be decoded and defaulted. Throws 409 for conflicts, 500 without a
 * reason when the schema of another manager's version does not match.
 */
export function applyManaged(writing: Writing, { old, applied, managers }: CheckedApply, force: boolean): JsonObject {
  const by = identity(writing, writing.manager, 'Apply')
  const unowned = bare(old)
  const attempt = (forced: boolean) => apply(writing, unowned, applied, managers, by, forced)
  const result = resolved(writing, unowned, attempt, force)
  const key = identityOf(by)
  const after = stripped(result.managers, key)
  const own = after.get(key)
  if (result.object !== undefined && own !== undefined) after.set(key, { ...own, time: timestamp(writing.now()) })
  const object = result.object ?? unowned
  const isClient = writing.manager === clientName(writing.platform)
  return withEntries(isClient ? withLastApplied(object, applied, writing.platform) : object, encodeManagers(after))
}

/** Applies; retries with force when all conflicts are with the client's own client-side apply. */
function resolved<T>(writing: Writing, live: JsonObject, attempt: (force: boolean) => T, force: boolean): T {
  try {
    return attempt(force)
  } catch (error) {
    if (error instanceof TypeMismatch) throw unreasoned(error.message)
    if (!(error instanceof ApplyConflicts)) throw error
    const { platform } = writing
    const left = writing.manager === clientName(platform) ? conflictsBeyond(writing, live, error, platform) : error
    if (left !== undefined) throw conflictError(left)
    return attempt(true)
  }
}

function withEntries(object: JsonObject, entries: Json[] | undefined): JsonObject {
  return entries === undefined ? object : { ...object, metadata: { ...metadataOf(object), managedFields: entries } }
}
