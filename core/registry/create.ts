import type { ApiObject, ResourceDefinition } from '../resources/definition.ts'
import { alreadyExists, badRequest, type GroupResource } from '../respond/status.ts'
import { dropDisabled } from '../schema/gated.ts'
import type { JsonObject } from '../schema/model.ts'
import { timestamp } from '../schema/time.ts'
import { Entry } from '../storage/entry.ts'
import { generateName } from './names.ts'
import type { WriteRequest } from './request.ts'
import { settle } from './reservations.ts'
import type { ServedResource } from './served.ts'
import { validateCreate } from './validation.ts'

/** Metadata that the server alone decides. */
function stampMetadata(definition: ResourceDefinition, object: ApiObject, now: number): void {
  const { metadata } = object
  delete metadata.deletionTimestamp
  delete metadata.deletionGracePeriodSeconds
  metadata.uid = crypto.randomUUID()
  metadata.creationTimestamp = timestamp(now)
  if (definition.generation !== 'none') metadata.generation = 1
  if (!definition.namespaced) delete metadata.namespace
}

function nameOf(object: ApiObject): string {
  const { metadata } = object
  if (!metadata.name && metadata.generateName) metadata.name = generateName(metadata.generateName)
  return metadata.name ?? ''
}

function occupied(on: GroupResource, name: string, current: Entry | undefined): Error {
  const error = alreadyExists(on, name)
  if (current?.decode().metadata.deletionTimestamp !== undefined) error.status.message = `object is being deleted: ${error.status.message}`
  return error
}

/**
 * Stores a new object. Throws 400 when it carries a resourceVersion, 409 when the name is taken, 422 with all that is wrong with it.
 */
export async function create(resource: ServedResource, object: ApiObject, request: WriteRequest): Promise<Entry> {
  const { definition } = resource.store
  if (object.metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created')
  stampMetadata(definition, object, request.context.now)
  const name = nameOf(object)
  if (definition.status && !definition.keepsStatusOnCreate) delete object['status']
  const reservation = await resource.reservations?.create(object, request)
  return settle(
    reservation,
    () => prepareAndStore(resource, object, name, request),
    () => !request.dryRun,
  )
}

async function prepareAndStore(resource: ServedResource, object: ApiObject, name: string, request: WriteRequest): Promise<Entry> {
  const { store, on } = resource
  const { definition } = store
  definition.strategy.prepareCreate?.(object as never, request.context)
  dropDisabled(definition.schema, object as JsonObject, undefined, request.context.settings.enabled)
  const canonical = store.codec.canonical(object)
  validateCreate(definition, canonical, request.context)
  for (const text of definition.strategy.warnings?.(canonical as never, undefined, request.context) ?? []) request.warn(text)
  await request.validateAdmission(canonical, undefined)
  const key = store.keys.of(canonical.metadata.namespace ?? '', name)
  const value = store.codec.print(canonical)
  if (request.dryRun) {
    const current = await store.get(key)
    if (current) throw occupied(on, name, current)
    return new Entry(key, 0, store.codec.show(value), store.codec)
  }
  const swap = await store.put(key, value, 0, await resource.lease?.())
  if (!swap.ok) throw occupied(on, name, swap.current)
  return swap.entry
}
