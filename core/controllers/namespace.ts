/** Deletes the content of a namespace under deletion, then removes its finalizer. */

import type { ServedResource } from '../registry/served.ts'
import type { ApiObject } from '../resources/definition.ts'
import { messageOf } from '../schema/message-of.ts'
import { isStale } from './client.ts'
import type { Controller, ControllerContext } from './controller.ts'
import { deletionConditions, type Remaining } from './namespace-conditions.ts'
import { createWaits, type Left } from './namespace-waits.ts'
import { core, eachNamespace } from './namespaced.ts'

interface NamespaceFields {
  spec?: { finalizers?: string[] }
  status?: object
}

/** All namespaced resources, each stored one once. */
function contents({ table }: ControllerContext): ServedResource[] {
  const byKey = new Map<string, ServedResource>()
  for (const each of table.all()) {
    const { namespaced, verbs, storageKey } = each.definition
    if (namespaced && verbs.includes('deletecollection') && !byKey.has(storageKey)) byKey.set(storageKey, each)
  }
  return [...byKey.values()]
}

/** Deletes what can be deleted, and counts the rest. */
async function empty(context: ControllerContext, namespace: string): Promise<{ remaining: Remaining; left: readonly Left[] }> {
  const resources = new Map<string, number>()
  const finalizers = new Map<string, number>()
  const failures: string[] = []
  const left: Left[] = []
  for (const { definition, store } of contents(context)) {
    if ((await store.list({ namespace, limit: 1 })).entries.length === 0) continue
    try {
      await context.client(definition).deleteCollection(namespace)
    } catch (error) {
      failures.push(messageOf(error))
    }
    const { entries, revision } = await store.list({ namespace })
    if (entries.length > 0) {
      resources.set(`${definition.names.plural}.${definition.group}`, entries.length)
      left.push({ store, revision, keys: new Set(entries.map(({ key }) => key)) })
    }
    for (const entry of entries) {
      for (const each of entry.decode().metadata.finalizers ?? []) finalizers.set(each, (finalizers.get(each) ?? 0) + 1)
    }
  }
  return { remaining: { resources, finalizers, failures }, left }
}

/** Updates the status conditions; returns the updated namespace. */
async function report(context: ControllerContext, namespace: ApiObject, remaining: Remaining): Promise<ApiObject> {
  const conditions = deletionConditions(namespace, remaining, context.platform, context.clock.now())
  if (conditions === undefined) return namespace
  const { status } = namespace as NamespaceFields
  return core(context, 'namespaces').client.update({ ...namespace, status: { ...status, conditions } }, 'status')
}

async function finalize(context: ControllerContext, namespace: ApiObject): Promise<void> {
  const { finalizer } = context.platform
  const { spec = {} } = namespace as NamespaceFields
  const finalizers = (spec.finalizers ?? []).filter((each) => each !== finalizer)
  await core(context, 'namespaces').client.update({ ...namespace, spec: { ...spec, finalizers } }, 'finalize')
}

export const namespaceController: Controller = (context) => {
  const waits = createWaits(context.clock)
  const stop = eachNamespace(
    'namespace',
    async (_context, namespace, again) => {
      const { name = '', deletionTimestamp } = namespace.metadata
      const held = (namespace as NamespaceFields).spec?.finalizers?.includes(context.platform.finalizer)
      if (deletionTimestamp === undefined || !held) return
      waits.pause(name)
      const { remaining, left } = await empty(context, name)
      const { resources, failures } = remaining
      try {
        const reported = await report(context, namespace, remaining)
        if (resources.size === 0 && failures.length === 0) return await finalize(context, reported)
      } catch (error) {
        // A write conflict: the change queues the namespace again.
        if (!isStale(error)) throw error
        return
      }
      if (failures.length > 0) throw new Error(failures.join(', '))
      waits.wait(name, left, () => again(0))
    },
    waits.forget,
  )(context)
  return () => {
    waits.close()
    stop()
  }
}
