/** Helpers for controllers with work in every namespace. */

import { closing, follow } from '../objects/watch/follow.ts'
import type { ApiObject } from '../resources/definition.ts'
import { equal } from '../schema/json/equal.ts'
import type { Json } from '../schema/model.ts'
import type { Controller, ControllerContext } from './controller.ts'
import { createQueue } from './queue.ts'

export function core(context: ControllerContext, plural: string) {
  const resource = context.table.lookup('', 'v1', plural)
  if (resource === undefined) throw new Error(`controllers need ${plural}`)
  return { store: resource.store, client: context.client(resource.definition) }
}

type Work = (namespace: ApiObject, again: (ms: number) => void) => Promise<void>

/** A queue of namespaces, to which each is added when it is created or changed. */
function followNamespaces(context: ControllerContext, name: string, work: Work, forget: (namespace: string) => void, held?: () => number) {
  const { store, client } = core(context, 'namespaces')
  const queue = createQueue({
    ...context,
    name,
    ...(held && { held }),
    async work(key) {
      const namespace = await client.get('', key)
      if (namespace) await work(namespace, (milliseconds) => queue.addLater(key, milliseconds))
      else forget(key)
    },
  })
  const following = follow(store, context.clock, { upsert: ({ name }) => queue.add(name), remove: (gone) => forget(gone.name) })
  return { following, queue }
}

/** Calls `work` for each namespace when it is created or changed, and `forget` when it is gone. `held`: number of those that wait. */
export const eachNamespace =
  (name: string, work: Work, forget: (namespace: string) => void, held: () => number): Controller =>
  (context) =>
    closing(Object.values(followNamespaces(context, name, work, forget, held)))

/** The content to restore, if it differs from the stored object. */
function restored(found: ApiObject, { kind: _kind, apiVersion: _version, metadata: _metadata, ...content }: ApiObject) {
  const same = Object.entries(content).every(([key, value]) => equal(found[key] as Json | undefined, value as Json))
  return same ? undefined : { ...found, ...structuredClone(content) }
}

/** Keeps an object in every namespace that is not under deletion: recreates it after deletion, and reverts changes. */
export function inEachNamespace(name: string, plural: string, make: (context: ControllerContext) => ApiObject | undefined): Controller {
  return (context) => {
    const wanted = make(context)
    if (wanted === undefined) return () => {}
    const { store, client } = core(context, plural)
    const ensure = async (namespace: ApiObject) => {
      const home = namespace.metadata.name ?? ''
      if (namespace.metadata.deletionTimestamp !== undefined) return
      const found = await client.get(home, wanted.metadata.name ?? '')
      const update = found && restored(found, wanted)
      if (found === undefined) await client.create(home, structuredClone(wanted))
      else if (update) await client.update(update)
    }
    const { following, queue } = followNamespaces(context, name, ensure, () => {})
    const ofObjects = follow(store, context.clock, {
      change({ entry }) {
        if (entry.name === wanted.metadata.name) queue.add(entry.namespace)
      },
    })
    return closing([following, ofObjects, queue])
  }
}
