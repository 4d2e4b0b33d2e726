/** Counts watches, to estimate how many a write wakes (apiserver/pkg/util/flowcontrol/watch_tracker.go). */
import type { Exchange, RequestInfo } from '../request/exchange.ts'
import { exactField, parseFieldSelector } from '../request/field-selector.ts'

interface Counts {
  all: number
  /** Of one namespace, or of one object: by namespace and name. */
  readonly narrow: Map<string, number>
}

/** Fields that watchers are indexed by: a write concerns few of the watches that select a value. */
const indexed: { readonly [resource: string]: string } = { pods: 'spec.nodeName' }

/** Whether the watch selects a value of an indexed field. */
function isIndexed({ resource, fieldSelector }: RequestInfo): boolean {
  const field = Object.hasOwn(indexed, resource) ? indexed[resource] : undefined
  if (field === undefined || fieldSelector === undefined) return false
  try {
    return (exactField(parseFieldSelector(fieldSelector), field) ?? '') !== ''
  } catch {
    return false
  }
}

const keyOf = (namespace: string, name: string) => `${namespace}/${name}`

export class WatchCounts {
  readonly #groups = new Map<string, Map<string, Counts>>()

  /** Counts a watch until the returned function is called. */
  add({ info }: Exchange): () => void {
    if (isIndexed(info)) return () => {}
    this.#change(info, 1)
    let isCounted = true
    return () => {
      if (isCounted) this.#change(info, -1)
      isCounted = false
    }
  }

  /** Watches of the resource, of its namespace, and of the object. */
  of({ group, resource, namespace, name }: RequestInfo): number {
    const counts = this.#groups.get(group)?.get(resource)
    if (counts === undefined) return 0
    const { all, narrow } = counts
    if (narrow.size === 0) return all
    const ofNamespace = namespace === '' ? 0 : (narrow.get(keyOf(namespace, '')) ?? 0)
    return all + ofNamespace + (name === '' ? 0 : (narrow.get(keyOf(namespace, name)) ?? 0))
  }

  #change({ group, resource, namespace, name }: RequestInfo, by: number): void {
    const resources = this.#groups.get(group) ?? new Map<string, Counts>()
    const counts = resources.get(resource) ?? { all: 0, narrow: new Map<string, number>() }
    this.#groups.set(group, resources.set(resource, counts))
    const { narrow } = counts
    if (namespace === '' && name === '') counts.all += by
    else {
      const key = keyOf(namespace, name)
      const count = (narrow.get(key) ?? 0) + by
      if (count === 0) narrow.delete(key)
      else narrow.set(key, count)
    }
    if (counts.all === 0 && narrow.size === 0) resources.delete(resource)
    if (resources.size === 0) this.#groups.delete(group)
  }
}
