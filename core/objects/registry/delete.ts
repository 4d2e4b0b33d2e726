import { conflict, type GroupResource, modified, notFound } from '../../answers/status.ts'
import type { ApiObject, ResourceDefinition } from '../../resources/definition.ts'
import { timestamp } from '../../schema/formats/time.ts'
import type { HookContext } from '../../schema/model.ts'
import type { ObjectName } from '../storage/keys.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { isGone, specFinalizersOf } from './deletion.ts'
import type { WriteRequest } from './request.ts'
import type { ServedResource } from './served.ts'

const tries = 20
const orphanFinalizer = 'orphan'
const foregroundFinalizer = 'foregroundDeletion'

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
}

/** As `checkPreconditions`, for kinds with finalizers in the spec, which the reference checks in a place of their own. */
function checkOwnPreconditions(on: GroupResource, { metadata }: ApiObject, { preconditions = {} }: DeleteOptions): void {
  const { uid = '', resourceVersion = '', name = '' } = metadata
  const check = (what: string, given: string | undefined, stored: string) => {
    if (given !== undefined && given !== stored)
      throw conflict(on, name, `Precondition failed: ${what} in precondition: ${given}, ${what} in object meta: ${stored}`)
  }
  check('UID', preconditions.uid, uid)
  check('ResourceVersion', preconditions.resourceVersion, resourceVersion)
}

/** Throws 409 when preconditions don't match. The message names the kind instead of the resource, as clients expect. */
function checkPreconditions(definition: ResourceDefinition, object: ApiObject, { preconditions = {} }: DeleteOptions): void {
  const { uid = '', resourceVersion = '', name = '' } = object.metadata
  const on = { group: definition.group, resource: definition.kind }
  if (preconditions.uid !== undefined && preconditions.uid !== uid)
    throw conflict(
      on,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    )
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion)
    throw conflict(
      on,
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    )
}

/** Converts the propagation policy to a finalizer for the garbage collector. False when the object has it already. */
function applyPropagation({ defaultPropagation }: ResourceDefinition, object: ApiObject, policy: DeleteOptions['propagationPolicy']) {
  if (defaultPropagation === 'Unsupported') return false
  const present = object.metadata.finalizers ?? []
  const kept = present.filter((each) => each !== orphanFinalizer && each !== foregroundFinalizer)
  const wanted = policy ?? (kept.length < present.length ? undefined : defaultPropagation)
  if (wanted === undefined) return false
  const finalizers = wanted === 'Orphan' ? [...kept, orphanFinalizer] : wanted === 'Foreground' ? [...kept, foregroundFinalizer] : kept
  if (finalizers.length === present.length && finalizers.every((each) => present.includes(each))) return false
  if (finalizers.length > 0) object.metadata.finalizers = finalizers
  else delete object.metadata.finalizers
  return true
}

/** Milliseconds of a grace period. Overflows beyond 292 years like a Go duration. */
const milliseconds = (seconds: number | bigint) => Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n)

/** Starts graceful deletion, or shortens the remaining grace period. False when nothing changes. */
function startTermination(definition: ResourceDefinition, object: ApiObject, options: DeleteOptions, context: HookContext): boolean {
  const { metadata } = object
  const requested = options.gracePeriodSeconds
  if (metadata.deletionTimestamp !== undefined) {
    const left = metadata.deletionGracePeriodSeconds ?? 0
    if (requested === undefined || requested >= left) return false
    const end = Date.parse(metadata.deletionTimestamp) - milliseconds(left) + milliseconds(requested)
    const isOver = end < context.now
    metadata.deletionTimestamp = timestamp(isOver ? context.now : end)
    // A period that is over leaves a second, so that its node agent still sees the change.
    metadata.deletionGracePeriodSeconds = isOver && requested > 0 ? 1 : requested
    return true
  }
  const grace = definition.strategy.gracePeriod?.(object as never, requested) ?? 0
  metadata.deletionTimestamp = timestamp(context.now + milliseconds(grace))
  metadata.deletionGracePeriodSeconds = grace
  if (metadata.generation !== undefined && metadata.generation > 0) metadata.generation++
  definition.strategy.prepareDelete?.(object as never, context)
  return true
}

/** The stored object, of which a deletion changes only the metadata, unless its kind prepares more. */
function toMark({ strategy }: ResourceDefinition, current: StoredObject): ApiObject {
  if (strategy.prepareDelete) return current.copy()
  const { object } = current
  return { ...object, metadata: { ...object.metadata } }
}

export interface Deletion {
  /** The deleted object, or the stored one while finalizers or a grace period keep it. */
  readonly entry: StoredObject
  readonly gone: boolean
}

/** As `removeNow`, serialized with other writers of the object. */
export function deleteObject(
  resource: ServedResource,
  namespace: string,
  name: string,
  options: DeleteOptions,
  request: WriteRequest,
): Promise<Deletion> {
  const of = { namespace, name }
  const work = () => removeNow(resource, of, options, request)
  return request.dryRun ? work() : resource.store.inTurn(of, request.caller, work)
}

/** Deletes an object, or marks it for deletion while finalizers or a grace period keep it. Throws 404, and 409 when preconditions fail. */
async function removeNow(resource: ServedResource, of: ObjectName, options: DeleteOptions, request: WriteRequest): Promise<Deletion> {
  const { store, groupResource } = resource
  const { definition } = store
  let current = await store.get(of, request.caller)
  for (let attempt = 0; attempt < tries; attempt++) {
    if (current === undefined) throw notFound(groupResource, of.name)
    const object = toMark(definition, current)
    if (definition.specFinalizers) checkOwnPreconditions(groupResource, object, options)
    else checkPreconditions(definition, object, options)
    const isFirst = object.metadata.deletionTimestamp === undefined
    // Only a request to finalize changes such an object now.
    if (!isFirst && specFinalizersOf(definition, object).length > 0) return { entry: current, gone: false }
    await request.validateAdmission(undefined, object)
    const isRefiled = request.context.settings.garbageCollection && applyPropagation(definition, object, options.propagationPolicy)
    const isMarked = startTermination(definition, object, options, request.context)
    // The first delete only marks kinds with finalizers in the spec, even if there are none.
    const gone = isGone(definition, object) && !(isFirst && definition.specFinalizers)
    // Kinds with a grace period are marked before they are removed, even without one: watchers see that it ended.
    const isWritten = gone ? isMarked && definition.strategy.gracePeriod !== undefined : isMarked || isRefiled
    if (isWritten) {
      const value = store.print(store.canonical(object))
      if (request.dryRun) return { entry: store.shown(of, value, current.revision), gone }
      const swap = await store.put(of, value, current.revision, undefined, request)
      if (!swap.ok) {
        current = swap.current
        continue
      }
      current = swap.entry
    }
    if (request.dryRun || !gone) return { entry: current, gone }
    request.proceed?.()
    const removal = await store.delete(of, current.revision, request.caller)
    if (removal.ok) {
      await resource.reservations?.release(object, request)
      return { entry: current.at(removal.revision), gone }
    }
    // Another server has removed it after it was marked.
    if (isWritten && removal.current === undefined) return { entry: current, gone }
    current = removal.current
  }
  throw modified(groupResource, of.name)
}
