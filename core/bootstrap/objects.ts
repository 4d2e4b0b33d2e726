import type { Platform } from '../platform.ts'
import { createObject } from '../registry/create.ts'
import type { WriteRequest } from '../registry/request.ts'
import type { ResourceTable, ServedResource } from '../registry/served.ts'
import { updateObject } from '../registry/update.ts'
import { mainView } from '../registry/view.ts'
import type { ApiObject } from '../resources/definition.ts'
import { ApiError } from '../respond/status.ts'
import { applyDefaults } from '../schema/defaults.ts'
import type { HookContext, Json } from '../schema/model.ts'

/** A write by the server itself: without admission and warnings. */
export function ownWrite(context: HookContext): WriteRequest {
  return { context, dryRun: false, validateAdmission: async () => {}, warn: () => {} }
}

const isTaken = (error: unknown) => error instanceof ApiError && error.status.reason === 'AlreadyExists'

/** Creates an object unless its name exists. */
export async function ensure(resource: ServedResource, object: ApiObject, context: HookContext): Promise<void> {
  const { store } = resource
  const { namespace = '', name = '' } = object.metadata
  if (await store.get(store.keys.of(namespace, name))) return
  try {
    applyDefaults(store.definition.schema, object as Json, context)
    await createObject(resource, object, ownWrite(context))
  } catch (error) {
    if (!isTaken(error)) throw error
  }
}

/** Replaces the stored object, whatever its resourceVersion. */
export async function overwrite(resource: ServedResource, object: ApiObject, context: HookContext): Promise<void> {
  const { namespace = '', name = '' } = object.metadata
  const change = async ({ metadata }: ApiObject) => ({
    ...structuredClone(object),
    metadata: { ...metadata, ...structuredClone(object.metadata), resourceVersion: '' },
  })
  await updateObject(resource, namespace, name, { view: mainView(resource.definition), change }, ownWrite(context))
}

/** Creates the system's namespaces. */
export async function ensureNamespaces(table: ResourceTable, platform: Platform, context: HookContext): Promise<void> {
  const namespaces = table.lookup('', 'v1', 'namespaces')
  if (namespaces === undefined) return
  const { system, public: open, nodeLease } = platform.namespaces
  const names = ['default', system, open, nodeLease]
  await Promise.all(names.map((name) => ensure(namespaces, { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }, context)))
}
