/** Removes the protection finalizer of storage objects when nothing uses them (API concept 'Storage Object in Use Protection'). */

import { append } from '../common/lists.ts'
import { eachInSlices, Pauses, type Slices } from '../common/slices.ts'
import type { ObjectName } from '../objects/storage/keys.ts'
import type { StoredObject } from '../objects/storage/stored-object.ts'
import type { Change } from '../objects/watch/change.ts'
import { closing, follow } from '../objects/watch/follow.ts'
import type { ApiObject } from '../resources/definition.ts'
import { ownWrite } from './client.ts'
import type { Controller } from './controller.ts'
import { core } from './namespaced.ts'
import { createQueue } from './queue.ts'
import type { Protection, Use } from './storage-uses.ts'

/** Objects of a namespace that are read at once. */
const readAtOnce = 50

type UsesOf = (user: ApiObject) => readonly Use[]

/** Whether a change ends a use. */
function frees({ deleted, entry, previous }: Change, usesOf: UsesOf): boolean {
  const before = previous === undefined ? [] : usesOf(previous.object)
  if (deleted || before.length === 0) return before.length > 0
  const left = usesOf(entry.object).map(({ name }) => name)
  return before.some(({ name }) => !left.includes(name))
}

/** Whether one of the uses refers to this object. */
function isMeant(uses: readonly Use[], { metadata }: ApiObject): boolean {
  const controller = metadata.ownerReferences?.find((each) => each.controller)?.uid
  return uses.some(({ owner }) => owner === undefined || owner === controller)
}

/** Removes the finalizer from objects under deletion that are unused; adds it to objects without it. */
export function protectInUse(controller: string, protection: Protection): Controller {
  return (context) => {
    const { platform, table, clock } = context
    const pauses = new Pauses(clock)
    const resource = table.lookup(platform.name(protection.group), 'v1', protection.plural)
    if (resource === undefined) return () => {}
    const { store, definition } = resource
    const client = context.client(definition)
    const finalizer = platform.name(protection.finalizer)
    const users = protection.users.map(({ plural, uses }) => ({ uses, store: core(context, plural).store }))
    /** Objects whose finalizer has to change, by key, including those still in use. */
    const due = new Map<string, ObjectName>()

    const isLeaving = ({ metadata }: ApiObject) => metadata.deletionTimestamp !== undefined
    const isDue = (object: ApiObject) => isLeaving(object) === (object.metadata.finalizers ?? []).includes(finalizer)

    /** Objects of a namespace to update now. */
    async function dueIn(namespace: string, slices: Slices): Promise<readonly ApiObject[]> {
      const there = [...due.values()].filter((each) => each.namespace === namespace)
      const found: ApiObject[] = []
      for (let at = 0; at < there.length; at += readAtOnce) {
        if (slices.over) await slices.next()
        const entries = await Promise.all(there.slice(at, at + readAtOnce).map((each) => store.get(each)))
        append(found, entries.flatMap((entry) => entry?.copy() ?? []).filter(isDue))
      }
      return found
    }

    /** Uses in a namespace (empty: cluster-wide), by name of the used object. */
    async function usesIn(namespace: string, slices: Slices): Promise<ReadonlyMap<string, readonly Use[]>> {
      const byName = new Map<string, Use[]>()
      for (const user of users)
        await eachInSlices((await user.store.list({ namespace })).entries, slices, (entry) => {
          for (const use of user.uses(entry.object)) {
            const known = byName.get(use.name)
            if (known) known.push(use)
            else byName.set(use.name, [use])
          }
        })
      return byName
    }

    async function flip(object: ApiObject): Promise<void> {
      const { namespace = '', name = '', uid, resourceVersion, finalizers = [] } = object.metadata
      const others = finalizers.filter((each) => each !== finalizer)
      const wanted = isLeaving(object) ? others : [...others, finalizer]
      const patch = { metadata: { uid, resourceVersion, finalizers: wanted.length > 0 ? wanted : null } }
      await ownWrite(() => client.mergePatch(namespace, name, patch))
    }

    /** Queued by namespace, so that one look at the users serves many objects. */
    const queue = createQueue({
      ...context,
      name: controller,
      async work(namespace) {
        const slices = pauses.sharedSlices()
        const objects = await dueIn(namespace, slices)
        if (objects.length === 0) return
        const uses = await usesIn(namespace, slices)
        for (const object of objects) {
          if (slices.over) await slices.next()
          const inUse = protection.busy?.(object) || isMeant(uses.get(object.metadata.name ?? '') ?? [], object)
          if (!isLeaving(object) || !inUse) await flip(object)
        }
      },
    })

    function look({ key, namespace, name, object }: StoredObject): void {
      if (isDue(object)) {
        due.set(key, { namespace, name })
        queue.add(namespace)
      } else due.delete(key)
    }

    function lookAtAll(): void {
      for (const { namespace } of due.values()) queue.add(namespace)
    }

    const followings = [
      follow(store, clock, {
        upsert: look,
        remove: ({ key }) => void due.delete(key),
      }),
      ...users.map((user) =>
        follow(user.store, clock, {
          listed: lookAtAll,
          change(change) {
            if (due.size === 0 || !frees(change, user.uses)) return
            queue.add(definition.namespaced ? change.entry.namespace : '')
          },
        }),
      ),
    ]
    return closing([...followings, queue])
  }
}
