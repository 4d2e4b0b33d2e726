import { conflict, invalid, modified, notFound, unreasoned } from '../../answers/status.ts'
import { keepTimes } from '../../apply/times.ts'
import { type MaybePromise, then } from '../../common/maybe-promise.ts'
import type { ApiObject, ObjectMeta, ResourceDefinition } from '../../resources/definition.ts'
import { parseRevision } from '../../schema/formats/revision-text.ts'
import { dropDisabled } from '../../schema/gated.ts'
import { equal, isSameText } from '../../schema/json/equal.ts'
import { copyOf, hasGivenEmpty } from '../../schema/json/given-empty.ts'
import { drop } from '../../schema/json/members.ts'
import type { Json, JsonObject } from '../../schema/model.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { isGone } from './deletion.ts'
import type { WriteRequest } from './request.ts'
import { settle } from './reservations.ts'
import type { ServedResource } from './served.ts'
import { interruptible, validateStatusUpdate, validateSubresourceUpdate, validateUpdate } from './validation.ts'
import type { View } from './view.ts'

/** Maximum attempts of a write with write conflicts, caused by other servers. */
const tries = 20

export interface Update {
  readonly view: View
  /** The client sends the whole object, so that another uid means another object: 409. In a patch it is a change of the uid, which is refused. */
  readonly isWhole?: true
  /** Computes the new object from the stored one, which is that of the entry; called again after every write conflict. */
  change(existing: ApiObject, entry: StoredObject): MaybePromise<ApiObject>
}

/**
 * Sets the resourceVersion of an update without one, if the kind allows that. 0 counts as none, as in the reference. Throws 409 for another
 * version than the stored one, 422 if the kind needs one, and 500 if it is not a number.
 */
function checkVersion(resource: ServedResource, view: View, { metadata }: ApiObject, existing: ApiObject): void {
  const { name = '', resourceVersion: stored = '' } = existing.metadata
  if (metadata.resourceVersion === stored) return
  const given = parseRevision(metadata.resourceVersion ?? '')
  if (typeof given === 'string') throw unreasoned(given)
  if (given !== 0 && given !== Number(stored)) throw modified(resource.groupResource, name)
  if (given === 0 && resource.definition.updateNeedsVersion && !view.needsNoVersion) {
    const { group, resource: plural } = resource.groupResource
    const message = 'Invalid value: 0: must be specified for an update'
    throw invalid({ group, kind: plural }, name, [{ reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message }])
  }
  metadata.resourceVersion = stored
}

/** Throws 409 when the sent object has another uid than the stored one; `existing` of an absent object has none. */
export function checkUid(resource: ServedResource, { metadata: { uid = '' } }: ApiObject, existing: ObjectMeta, dryRun: boolean): void {
  if (uid === '' || uid === existing.uid) return
  const { namespace = '', name = '' } = existing
  const key = resource.store.keyInErrors({ namespace, name }, dryRun)
  throw conflict(
    resource.groupResource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${existing.uid ?? ''}`,
  )
}

/** Copies immutable metadata from the stored object. */
function keepIdentity(resource: ServedResource, view: View, incoming: ApiObject, existing: ApiObject): void {
  const { metadata } = incoming
  if (metadata === existing.metadata) return
  checkVersion(resource, view, incoming, existing)
  const { uid, creationTimestamp } = existing.metadata
  // Validation refuses another one.
  if (uid === undefined) delete metadata.uid
  else metadata.uid ||= uid
  if (creationTimestamp === undefined) delete metadata.creationTimestamp
  else metadata.creationTimestamp = creationTimestamp
  // A started deletion continues; validation refuses other changes of these fields.
  const { deletionTimestamp, deletionGracePeriodSeconds } = existing.metadata
  if (deletionTimestamp !== undefined) metadata.deletionTimestamp = deletionTimestamp
  if (deletionGracePeriodSeconds !== undefined) metadata.deletionGracePeriodSeconds ??= deletionGracePeriodSeconds
  if (existing.metadata.generation === undefined) delete metadata.generation
  else metadata.generation = existing.metadata.generation
}

/** Metadata that counts as desired state. */
const metadataCounted: { readonly [generation: string]: 'annotations' | 'labels' | undefined } = {
  specAndAnnotations: 'annotations',
  specAndLabels: 'labels',
}

/** The content with the memory of its own empty lists, too. */
const withEmpties = (object: ApiObject) => Object.assign(copyOf(object), { metadata: null, status: null }) as unknown as Json

/** Increments the generation when more than metadata and status changed (API conventions, 'Metadata'). */
function countGeneration(definition: ResourceDefinition, object: ApiObject, old: ApiObject, dropped: boolean): void {
  if (definition.generation === 'none' || definition.generation === 'once') return
  const statusCounts = definition.generation === 'specAndStatus'
  const content = ({ metadata: _metadata, status, ...rest }: ApiObject) =>
    (statusCounts ? { ...rest, status: status ?? null } : rest) as Json
  const counted = metadataCounted[definition.generation]
  const now = content(object)
  const same =
    equal(now, content(old)) &&
    (!counted || equal(object.metadata[counted] ?? {}, old.metadata[counted] ?? {})) &&
    !(definition.strategy.countsAsChange === 'empty' && hasGivenEmpty(withEmpties(object))) &&
    !(definition.strategy.countsAsChange === 'dropped' && dropped)
  if (!same) object.metadata.generation = (old.metadata.generation ?? 0) + 1
}

/** Sets the managed fields, which cover the whole object whichever view was written. */
function withOwners(written: ApiObject, { metadata: { managedFields } }: ApiObject): ApiObject {
  if (written.metadata.managedFields === managedFields) return written
  const metadata = copyOf(written.metadata)
  if (managedFields) metadata.managedFields = managedFields
  else delete metadata.managedFields
  return Object.assign(copyOf(written), { metadata })
}

/** The object as it is before the write: with the revision of the stored one. */
function withVersion(object: ApiObject, { metadata: { resourceVersion } }: ApiObject): ApiObject {
  const metadata: JsonObject = {}
  for (const name in object.metadata) {
    metadata[name] = object.metadata[name as keyof ApiObject['metadata']] as Json
    if (name === 'uid' && resourceVersion !== undefined) metadata['resourceVersion'] = resourceVersion
  }
  return { ...object, metadata: metadata as ApiObject['metadata'] }
}

/** Whether an entry, whose object is `existing`, has the bytes that a write of this object stores. Not always known without printing it. */
const stores = (entry: StoredObject, canonical: ApiObject, existing: ApiObject): boolean =>
  entry.isCanonical &&
  !entry.stale &&
  isSameText(withVersion(canonical, existing) as Json, existing as Json) &&
  !hasGivenEmpty(canonical as Json)

function warningsOf({ strategy }: ResourceDefinition, view: View, object: ApiObject, old: ApiObject, { context }: WriteRequest) {
  const warnings = !view.partial ? strategy.warnings : view.strategy ? undefined : strategy.statusWarnings
  return warnings?.(object as never, old as never, context) ?? []
}

/** Whether an attempt based on `known` has the same result with the stored entry. */
const isSame = (known: StoredObject, stored: StoredObject | undefined) =>
  stored?.revision === known.revision && stored.stale === known.stale

/** Result of an attempt: the entry for the client, or the stored entry after a conflict. */
interface Outcome {
  readonly entry?: StoredObject
  readonly lost?: StoredObject | undefined
  /** The new content was stored. */
  readonly stored: boolean
  /** The store confirmed that the attempt was based on current state. */
  readonly swapped?: true
}

/**
 * Updates one object by compare-and-swap. After a write conflict everything is repeated, including admission, unless the client gave a
 * resourceVersion. A no-op update keeps the resourceVersion unless the stored form is stale; one that removes the last
 * finalizer of an object under deletion deletes it. Throws 404, 409, 422.
 */
export function updateObject(
  resource: ServedResource,
  namespace: string,
  name: string,
  { view, isWhole, change }: Update,
  request: WriteRequest,
): Promise<StoredObject> {
  const { store, groupResource } = resource
  const { definition } = store
  const of = { namespace, name }
  /** A write was sent to the store. After an error its outcome is unknown: it must not be retried. */
  let asked = false
  function proceed(): void {
    request.proceed?.()
    asked = true
  }

  async function attempt(current: StoredObject, existing: ApiObject, written: ApiObject): Promise<Outcome> {
    const { enabled } = request.context.settings
    const dropped = dropDisabled(definition.schema, written as JsonObject, existing as JsonObject, enabled)
    if (!view.partial) definition.strategy.prepareUpdate?.(written as never, existing as never, request.context)
    else if (!view.strategy) definition.strategy.prepareStatus?.(written as never, existing as never, request.context)
    const known = current.written ?? (current.isCanonical ? undefined : store.canonical(existing))
    const canonical = store.canonical(written, known ?? existing)
    const isUnchanged = !dropped && stores(current, canonical, existing)
    // Without `known` the stored object is canonical but for its resourceVersion.
    const old = isUnchanged ? canonical : (known ?? store.canonical(existing, existing))
    if (!isUnchanged) {
      if (!view.partial || view.strategy?.fullUpdate) countGeneration(definition, canonical, old, dropped)
      keepTimes(canonical as JsonObject, old as JsonObject)
    }
    const paused = request.slices?.pause()
    if (paused) await paused
    const isStatus = view.partial && view.strategy === undefined
    const found = isStatus && request.findErrors ? await request.findErrors(canonical, existing) : undefined
    const validated = interruptible(request, () => {
      if (view.strategy) validateSubresourceUpdate(definition, view.strategy, canonical, old, request.context)
      else if (isStatus) validateStatusUpdate(definition, canonical, old, request.context, found)
      else validateUpdate(definition, canonical, old, request.context)
    })
    if (validated) await validated
    for (const text of warningsOf(definition, view, canonical, old, request)) request.warn(text)
    const admitted = request.validateAdmission(withVersion(canonical, existing), existing)
    if (admitted) await admitted
    const rested = request.slices?.pause()
    if (rested) await rested
    if (isUnchanged) return { entry: current, stored: false }
    const value = store.print(canonical)
    if (current.equals(value)) return { entry: current, stored: false }
    if (request.dryRun) {
      const preview = await store.preview(value, request.caller)
      return { entry: store.shown(of, preview, current.revision), stored: false }
    }
    if (isGone(definition, canonical)) {
      proceed()
      const removal = await store.delete(of, current.revision, request.caller)
      if (!removal.ok) return { lost: removal.current, stored: false }
      await resource.reservations?.release(existing, request)
      return { entry: store.shown(of, value, removal.revision), stored: false, swapped: true }
    }
    const lease = resource.lease && (await resource.lease(request.caller))
    const swap = await store.put(of, value, current.revision, lease, { proceed, caller: request.caller })
    return swap.ok ? { entry: swap.entry, stored: true, swapped: true } : { lost: swap.current, stored: false }
  }

  function tryFrom(current: StoredObject): MaybePromise<Outcome> {
    request.slices?.reads(current.size)
    const existing = current.base
    return then(change(existing, current), (incoming) => {
      if (isWhole) checkUid(resource, incoming, existing.metadata, request.dryRun)
      keepIdentity(resource, view, incoming, existing)
      // Only what is stored loses it, as in the reference.
      if (!request.dryRun) drop(incoming.metadata, 'selfLink')
      const written = withOwners(view.write(existing, incoming, request.context), incoming)
      const write = () => attempt(current, existing, written)
      if (view.partial || resource.reservations === undefined) return write()
      return resource.reservations
        .update(written, existing, request)
        .then((reservation) => settle(reservation, write, ({ stored }) => stored))
    })
  }

  // The first attempt is based on the cached entry, which the swap verifies. An error or a no-op result is final once the stored entry is
  // confirmed to be the same.
  async function write(waited: boolean): Promise<StoredObject> {
    let current = waited ? undefined : store.known(of)
    let live = current === undefined
    if (live) current = await store.get(of, request.caller)
    for (let count = 0; count < tries; count++) {
      if (current === undefined) throw notFound(groupResource, name)
      asked = false
      const from: StoredObject = current
      try {
        const { entry, lost, swapped } = await tryFrom(from)
        if (entry && (live || swapped)) return entry
        current = entry ? await store.live(of, request.caller) : lost
        if (entry && isSame(from, current)) return entry
      } catch (error) {
        if (live || asked) throw error
        current = await store.get(of, request.caller)
        if (isSame(from, current)) throw error
      }
      live = true
    }
    throw modified(groupResource, name)
  }

  return request.dryRun ? write(false) : store.inTurn(of, request.caller, write)
}
