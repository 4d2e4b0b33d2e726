import { ApiError, alreadyExists, type GroupResource, modified, noUniqueName, unreasoned } from '../../answers/status.ts'
import type { ApiObject, ResourceDefinition } from '../../resources/definition.ts'
import { parseRevision } from '../../schema/formats/revision-text.ts'
import { timestamp } from '../../schema/formats/time.ts'
import { dropDisabled } from '../../schema/gated.ts'
import { clone, drop } from '../../schema/json/members.ts'
import type { JsonObject } from '../../schema/model.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { generateName } from './names.ts'
import type { WriteRequest } from './request.ts'
import { settle } from './reservations.ts'
import type { ServedResource } from './served.ts'
import { interruptible, validateCreate } from './validation.ts'

/** Sets metadata that only the server may set. */
function stampMetadata(definition: ResourceDefinition, object: ApiObject, now: number): void {
  const { metadata } = object
  drop(metadata, 'selfLink')
  drop(metadata, 'deletionTimestamp')
  drop(metadata, 'deletionGracePeriodSeconds')
  metadata.uid = crypto.randomUUID()
  metadata.creationTimestamp = timestamp(now)
  if (definition.generation !== 'none') metadata.generation = 1
  if (!definition.namespaced) drop(metadata, 'namespace')
}

function nameOf({ strategy }: ResourceDefinition, { metadata }: ApiObject): string {
  const { generateName: base } = metadata
  if (!metadata.name && base) metadata.name = strategy.keepsGenerateName ? base : generateName(base)
  return metadata.name ?? ''
}

/** A resourceVersion in a new object, which is an error; 0 for none and for malformed ones. */
function givenRevision({ metadata: { resourceVersion = '' } }: ApiObject): number {
  const revision = parseRevision(resourceVersion)
  return typeof revision === 'number' ? revision : 0
}

function occupied(groupResource: GroupResource, { metadata }: ApiObject, current: StoredObject | undefined): Error {
  const name = metadata.name ?? ''
  const error = metadata.generateName ? noUniqueName(groupResource, name) : alreadyExists(groupResource, name)
  if (current?.copy().metadata.deletionTimestamp !== undefined) error.status.message = `object is being deleted: ${error.status.message}`
  return error
}

/** Maximum attempts of a create while objects that it relies on change. */
const tries = 20

/** Maximum generated names: enough for a million objects with one `generateName` (KEP-4420). */
const generatedNames = 8

const isTaken = (error: unknown) => error instanceof ApiError && error.status.reason === 'AlreadyExists'

/**
 * Stores a new object. Throws 409 when the name exists, 422 with all validation errors, 500 when it has a resourceVersion. Generated names
 * are retried on conflict.
 */
export function createObject(resource: ServedResource, object: ApiObject, request: WriteRequest): Promise<StoredObject> {
  const { name, generateName: base } = object.metadata
  return name || !base ? createNamed(resource, object, request) : createWithSuffix(resource, object, request)
}

function createWithSuffix(
  resource: ServedResource,
  object: ApiObject,
  request: WriteRequest,
  left = generatedNames,
): Promise<StoredObject> {
  // What else an attempt writes into the object, the next one writes again.
  const keepsRest = resource.store.definition.strategy.prepareCreate === undefined && resource.reservations === undefined
  const attempt = keepsRest ? object : (clone(object as JsonObject) as ApiObject)
  return createNamed(resource, attempt, request).catch((error: unknown) => {
    drop(object.metadata, 'name')
    if (left === 1 || !isTaken(error)) throw error
    return createWithSuffix(resource, object, request, left - 1)
  })
}

function createNamed(resource: ServedResource, object: ApiObject, request: WriteRequest): Promise<StoredObject> {
  const { definition } = resource.store
  const given = givenRevision(object)
  stampMetadata(definition, object, request.context.now)
  const name = nameOf(definition, object)
  if (definition.status && !definition.strategy.keepsStatusOnCreate) drop(object, 'status')
  const store = () => prepareAndStore(resource, object, name, given, request)
  if (resource.reservations === undefined) return store()
  return resource.reservations.create(object, request).then((reservation) => settle(reservation, store, () => !request.dryRun))
}

async function prepareAndStore(resource: ServedResource, object: ApiObject, name: string, given: number, request: WriteRequest) {
  const { store, groupResource } = resource
  const { definition } = store
  definition.strategy.prepareCreate?.(object as never, request.context)
  dropDisabled(definition.schema, object as JsonObject, undefined, request.context.settings.enabled)
  const canonical = store.canonical(object)
  const paused = request.slices?.pause()
  if (paused) await paused
  const found = request.findErrors && (await request.findErrors(canonical, undefined))
  const fault = definition.strategy.signatureFault && (await definition.strategy.signatureFault(canonical as never))
  const context = fault === undefined ? request.context : { ...request.context, signatureFault: fault }
  const validated = interruptible(request, () => validateCreate(definition, canonical, context, found))
  if (validated) await validated
  for (const text of definition.strategy.warnings?.(canonical as never, undefined, request.context) ?? []) request.warn(text)
  const admitted = request.validateAdmission(canonical, undefined)
  if (admitted) await admitted
  const rested = request.slices?.pause()
  if (rested) await rested
  const of = { namespace: canonical.metadata.namespace ?? '', name }
  const complete = definition.strategy.completeCreate?.(canonical as never, request.context)
  const value = store.print(complete ? store.canonical(complete) : canonical)
  if (request.dryRun) {
    const current = await store.get(of, request.caller)
    if (current) throw occupied(groupResource, canonical, current)
    // In the reference server, a dry run does not reach the check of resourceVersion.
    return store.shown(of, await store.preview(value, request.caller), object.metadata.resourceVersion || undefined)
  }
  if (given > 0) throw unreasoned('resourceVersion should not be set on objects to be created')
  const lease = resource.lease && (await resource.lease(request.caller))
  for (let attempt = 0; attempt < tries; attempt++) {
    const swap = await store.put(of, value, 0, lease, request, request.preconditions?.guards(store.holder))
    if (swap.ok) return swap.entry
    if (swap.current !== undefined) throw occupied(groupResource, canonical, swap.current)
    // The name is free: something that admission relied on has changed, or the object was deleted after the comparison.
    await request.preconditions?.renew()
  }
  throw modified(groupResource, name)
}
