/** Deletes objects without remaining owners, and performs foreground and orphan deletion (API concept 'Garbage Collection'). */
import { append } from '../common/lists.ts'
import { Pauses } from '../common/slices.ts'
import type { ServedResource } from '../objects/registry/served.ts'
import { type FedObject, type FedRef, followStore } from '../objects/registry/store-feed.ts'
import { hasMetadata } from '../objects/storage/served-metadata.ts'
import { closing } from '../objects/watch/follow.ts'
import type { ApiObject, OwnerReference } from '../resources/definition.ts'
import { openBrace } from '../schema/json/bytes.ts'
import { equal } from '../schema/json/equal.ts'
import { Name } from '../schema/json/scan.ts'
import type { Json } from '../schema/model.ts'
import { ownWrite } from './client.ts'
import type { Controller } from './controller.ts'
import { type Dependent, ObjectGraph, type Owner } from './object-graph.ts'
import { createQueue } from './queue.ts'
import type { StoredChange } from './wakes.ts'

const orphan = 'orphan'
const foreground = 'foregroundDeletion'
/** Only objects with one of these members are parsed. */
const worthALook = [new Name('ownerReferences'), new Name('deletionTimestamp')]

/** Owners that are asked for at once: an object may name tens of thousands. */
const askedAtOnce = 50

/** Whether a change may end or begin a relation between owners and dependents. What is not JSON may be anything. */
export const concernsOwners = ({ value }: StoredChange): boolean =>
  value === null || value[0] !== openBrace || hasMetadata(value, worthALook)

type EditOwners = (owners: readonly OwnerReference[]) => readonly OwnerReference[]
type OwnerState = 'present' | 'absent' | 'waiting'

interface OwnerKey extends Owner {
  readonly resource: ServedResource
}

const ownerKeyOf = ({ resource, namespace, name }: FedRef): OwnerKey => ({ resource, kind: resource.definition.kind, namespace, name })

export const garbageCollector: Controller = (context) => {
  if (!context.garbageCollection) return () => {}
  const { table, client } = context
  const graph = new ObjectGraph()
  const pauses = new Pauses(context.clock)
  /** UIDs of objects in foreground deletion, by key: they wait for their dependents. */
  const awaiting = new Map<string, string>()
  /** Keys to queue once the initial list is complete, so that all dependents are known; undefined afterwards. */
  let early: Set<string> | undefined = new Set()
  /** Revision up to which the graph has all changes, by storage key. */
  const seen = new Map<string, number>()

  const queue = createQueue({
    ...context,
    name: 'garbage-collector',
    async work(key) {
      if (!(await ownWrite(() => attend(key)))) queue.addLater(key, 100)
    },
  })

  function enqueue(key: string): void {
    if (early) early.add(key)
    else queue.add(key)
  }

  /** Queues owners in foreground deletion again when a dependent was deleted or no longer blocks them. */
  function wakeOwners({ owners, namespace }: Dependent): void {
    if (awaiting.size === 0) return
    for (const { apiVersion, kind, name, uid } of owners) {
      const resource = table.ofKind(apiVersion, kind)
      const key = resource && feed.keyOf(resource, { namespace: resource.definition.namespaced ? namespace : '', name })
      if (key !== undefined && awaiting.get(key) === uid) enqueue(key)
    }
  }

  function locate(key: string): OwnerKey | undefined {
    const found = feed.find(key)
    return found && ownerKeyOf(found)
  }

  /** State of an owner. Owners of unknown kinds count as present, so that nothing is deleted by mistake. */
  async function standing(owner: OwnerReference, namespace: string): Promise<OwnerState> {
    const resource = table.ofKind(owner.apiVersion, owner.kind)
    if (resource === undefined) return 'present'
    // A cluster-scoped object can't refer to a namespaced owner: such references are ignored.
    if (resource.definition.namespaced && namespace === '') return 'present'
    const found = await client(resource.definition).get(resource.definition.namespaced ? namespace : '', owner.name)
    if (found?.metadata.uid !== owner.uid) return 'absent'
    return found.metadata.deletionTimestamp !== undefined && found.metadata.finalizers?.includes(foreground) ? 'waiting' : 'present'
  }

  /** States of all owners, in slices. */
  async function standings(owners: readonly OwnerReference[], namespace: string): Promise<readonly OwnerState[]> {
    const slices = pauses.sharedSlices()
    const states: OwnerState[] = []
    for (let at = 0; at < owners.length; at += askedAtOnce) {
      if (slices.over) await slices.next()
      append(states, await Promise.all(owners.slice(at, at + askedAtOnce).map((owner) => standing(owner, namespace))))
    }
    return states
  }

  async function attend(key: string): Promise<void> {
    if (early) return void early.add(key)
    const place = locate(key)
    if (place === undefined) return
    const { resource } = place
    const found = await resource.store.get(place)
    if (found === undefined) return
    const object = found.copy()
    if (object.metadata.deletionTimestamp !== undefined) {
      // The graph is older than this read and may lack dependents; a later event of this object repeats the check.
      if (found.revision > (seen.get(resource.definition.storageKey) ?? 0)) return
      if (object.metadata.finalizers?.includes(orphan)) return releaseDependents(object, place)
      if (object.metadata.finalizers?.includes(foreground)) return awaitDependents(object, place)
      return
    }
    await collect(object, place)
  }

  /** Deletes an object without remaining owners; removes references to missing owners if others exist. */
  async function collect(object: ApiObject, place: OwnerKey): Promise<void> {
    const { resource, namespace, name } = place
    const { uid = '', resourceVersion, ownerReferences: owners = [], finalizers = [] } = object.metadata
    if (owners.length === 0) return
    const states = await standings(owners, namespace)
    const present = owners.filter((_, index) => states[index] === 'present')
    if (present.length === owners.length) return
    const own = client(resource.definition)
    if (present.length > 0) {
      await own.mergePatch(namespace, name, { metadata: { uid, resourceVersion, ownerReferences: present } })
      return
    }
    const dependents = graph.dependentsOf(place, uid)
    const inForeground = states.includes('waiting') && dependents.length > 0
    if (inForeground && dependents.some((each) => awaiting.get(each.key) === each.uid)) await unblock(uid, dependents)
    const propagationPolicy =
      inForeground || finalizers.includes(foreground) ? 'Foreground' : finalizers.includes(orphan) ? 'Orphan' : 'Background'
    await own.delete(namespace, name, { propagationPolicy, preconditions: { uid, ...(resourceVersion && { resourceVersion }) } })
  }

  /** Resolves cycles of objects in foreground deletion, which would block each other forever. */
  async function unblock(owner: string, dependents: readonly Dependent[]): Promise<void> {
    await editOwnersOf(dependents, (owners) => owners.map((each) => (each.uid === owner ? { ...each, blockOwnerDeletion: false } : each)))
  }

  async function dropFinalizer(object: ApiObject, finalizer: string, place: OwnerKey): Promise<void> {
    const { uid, resourceVersion, finalizers = [] } = object.metadata
    const left = finalizers.filter((each) => each !== finalizer)
    await client(place.resource.definition).mergePatch(place.namespace, place.name, {
      metadata: { uid, resourceVersion, finalizers: left.length > 0 ? left : null },
    })
  }

  async function releaseDependents(object: ApiObject, place: OwnerKey): Promise<void> {
    const { uid = '' } = object.metadata
    await editOwnersOf(graph.dependentsOf(place, uid), (owners) => owners.filter((each) => each.uid !== uid))
    await dropFinalizer(object, orphan, place)
  }

  /** Updates the owner references of all dependents, in slices. */
  async function editOwnersOf(dependents: readonly Dependent[], edit: EditOwners): Promise<void> {
    const slices = pauses.sharedSlices()
    for (const dependent of dependents) {
      if (slices.over) await slices.next()
      await editOwners(dependent, edit)
    }
  }

  /** Updates the owner references of an object. If the object was replaced, nothing is done; a write conflict is an error. */
  async function editOwners({ key, uid }: Dependent, edit: EditOwners): Promise<void> {
    const place = locate(key)
    const own = place && client(place.resource.definition)
    const found = await own?.get(place?.namespace ?? '', place?.name ?? '')
    if (place === undefined || found?.metadata.uid !== uid) return
    const { resourceVersion, ownerReferences = [] } = found.metadata
    const edited = edit(ownerReferences)
    await own?.mergePatch(place.namespace, place.name, {
      metadata: { uid, resourceVersion, ownerReferences: edited.length > 0 ? edited : null },
    })
  }

  async function awaitDependents(object: ApiObject, place: OwnerKey): Promise<void> {
    const { uid = '' } = object.metadata
    const dependents = graph.dependentsOf(place, uid)
    for (const { key } of dependents) queue.add(key)
    const blocking = dependents.some(({ owners }) => owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion))
    if (!blocking) await dropFinalizer(object, foreground, place)
  }

  function look({ resource, entry }: FedObject): void {
    const { storageKey } = resource.definition
    seen.set(storageKey, Math.max(seen.get(storageKey) ?? 0, entry.revision))
    const before = graph.get(entry.key)
    if (before) wakeOwners(before)
    if (!entry.hasMetadata(worthALook)) {
      graph.delete(entry.key)
      return
    }
    const { metadata } = entry.object
    const { uid = '', ownerReferences: owners = [], finalizers = [] } = metadata
    // Most updates change neither: they need no look at the owners, which tell their dependents when they go.
    const isKnown = before?.uid === uid && equal(before.owners as unknown as Json, owners as unknown as Json)
    if (!isKnown) graph.set({ key: entry.key, namespace: metadata.namespace ?? '', uid, owners })
    const terminating = metadata.deletionTimestamp !== undefined
    if (terminating && finalizers.includes(foreground)) awaiting.set(entry.key, uid)
    if ((!isKnown && owners.length > 0) || (terminating && (finalizers.includes(orphan) || finalizers.includes(foreground))))
      enqueue(entry.key)
  }

  function forget(deleted: FedRef): void {
    const dependent = graph.delete(deleted.key)
    awaiting.delete(deleted.key)
    for (const { key } of graph.dependentsOf(ownerKeyOf(deleted))) enqueue(key)
    if (dependent) wakeOwners(dependent)
  }

  const feed = followStore(context, `${context.prefix}/`, {
    reset() {
      graph.clear()
      awaiting.clear()
      early = new Set()
    },
    ready() {
      const keys = early ?? []
      early = undefined
      for (const key of keys) queue.add(key)
    },
    put: look,
    delete: forget,
    arrived(root) {
      // Until now these owners counted as present, because their kind was unknown.
      const isOwner = ({ apiVersion, kind }: OwnerReference) => {
        const resource = table.ofKind(apiVersion, kind)
        return resource !== undefined && feed.rootOf(resource) === root
      }
      for (const { key, owners } of graph.all) if (owners.some(isOwner)) enqueue(key)
    },
    forget(root) {
      for (const { key } of graph.all) if (key.startsWith(root)) graph.delete(key)
      for (const key of awaiting.keys()) if (key.startsWith(root)) awaiting.delete(key)
    },
  })
  return closing([feed, queue])
}
