import { ApiError } from '../../answers/status.ts'
import { objectAtom } from '../../apply/atom.ts'
import { blankOf } from '../../apply/blank.ts'
import { noFields } from '../../apply/field-set.ts'
import { updateManaged } from '../../apply/ownership.ts'
import { createObject } from '../../objects/registry/create.ts'
import { ownRequest } from '../../objects/registry/request.ts'
import type { ResourceTable, ServedResource } from '../../objects/registry/served.ts'
import { updateObject } from '../../objects/registry/update.ts'
import { mainView } from '../../objects/registry/view.ts'
import type { StoredObject } from '../../objects/storage/stored-object.ts'
import { type ApiObject, apiVersionOf } from '../../resources/definition.ts'
import { applyDefaults } from '../../schema/defaults.ts'
import type { HookContext, Json, JsonObject } from '../../schema/model.ts'
import { serverManager } from '../client.ts'

/** Fills in the defaults of a kind. */
function complete({ store: { definition } }: ServedResource, object: ApiObject, context: HookContext): void {
  applyDefaults(definition.schema, object as Json, context)
  definition.strategy.defaults?.(object as never, context)
}

/** Adds the fields of an object, or of a change to the stored one, to those that the server itself manages. */
function recordOwner({ store: { definition } }: ServedResource, object: ApiObject, stored: ApiObject | undefined, context: HookContext) {
  const { platform, now } = context
  const { schema, kind } = definition
  const apiVersion = apiVersionOf(definition)
  const entries = updateManaged(
    {
      platform,
      kind,
      apiVersion,
      subresource: '',
      manager: serverManager(platform),
      now: () => now,
      reset: noFields,
      blank: blankOf(schema),
      versions: {
        atom: (version) => (version === apiVersion ? objectAtom(schema) : undefined),
        convert(_object, from, to) {
          throw new Error(`no conversion from ${from} to ${to}`)
        },
      },
    },
    stored as JsonObject | undefined,
    object as JsonObject,
  )
  if (entries !== undefined) object.metadata.managedFields = entries
}

const isTaken = (error: unknown) => error instanceof ApiError && error.status.reason === 'AlreadyExists'

/** Finds the stored object of the same name. All objects of the resource are read at once; those that can't be read are not found. */
export async function storedObjects(resource: ServedResource): Promise<(like: ApiObject) => StoredObject | undefined> {
  const { items } = await resource.sample(1)
  // A new cluster: a list would start the watch cache, which costs less when the objects are there.
  if (items.length === 0) return () => undefined
  const { entries } = await resource.store.list({ namespace: '', unreadable: () => {} })
  const byName = new Map(entries.map((entry) => [`${entry.namespace}/${entry.name}`, entry]))
  return ({ metadata: { namespace = '', name = '' } }) => byName.get(`${namespace}/${name}`)
}

/** Creates an object. Does nothing when its name exists. */
export async function createUnlessTaken(resource: ServedResource, object: ApiObject, context: HookContext): Promise<void> {
  try {
    complete(resource, object, context)
    recordOwner(resource, object, undefined, context)
    await createObject(resource, object, ownRequest(context))
  } catch (error) {
    if (!isTaken(error)) throw error
  }
}

/** As `createUnlessTaken`, for an object that is usually there. */
export async function ensure(resource: ServedResource, object: ApiObject, context: HookContext): Promise<void> {
  const { namespace = '', name = '' } = object.metadata
  if ((await resource.store.get({ namespace, name })) === undefined) await createUnlessTaken(resource, object, context)
}

/** Creates the objects whose names do not exist, unless their resource is not served. */
export async function ensureAll(resource: ServedResource | undefined, objects: readonly ApiObject[], context: HookContext): Promise<void> {
  if (resource) await Promise.all(objects.map((each) => ensure(resource, each, context)))
}

/** Replaces the stored object, whatever its resourceVersion. */
export async function overwrite(resource: ServedResource, object: ApiObject, context: HookContext): Promise<void> {
  const { namespace = '', name = '' } = object.metadata
  const change = async (stored: ApiObject) => {
    const { metadata, ...rest } = structuredClone(object)
    const changed: ApiObject = {
      ...rest,
      metadata: { ...stored.metadata, ...metadata, resourceVersion: stored.metadata.resourceVersion ?? '' },
    }
    complete(resource, changed, context)
    recordOwner(resource, changed, stored, context)
    return changed
  }
  await updateObject(resource, namespace, name, { view: mainView(resource.definition), change }, ownRequest(context))
}

/** Creates the system's namespaces. */
export function ensureNamespaces(table: ResourceTable, context: HookContext): Promise<void> {
  const { system, public: open, nodeLease } = context.platform.namespaces
  const objects = ['default', system, open, nodeLease].map((name) => ({ kind: 'Namespace', apiVersion: 'v1', metadata: { name } }))
  return ensureAll(table.lookup('', 'v1', 'namespaces'), objects, context)
}
