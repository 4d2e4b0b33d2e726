import type { StoreEvent } from '../../core/ports.ts'

/** Items by key prefix. The cost of a look-up depends on the length of the key, not on the number of prefixes. */
export class PrefixIndex<T> {
  readonly #groups = new Map<string, Set<T>>()
  /** Number of distinct prefixes by their length. */
  readonly #lengths = new Map<number, number>()

  add(prefix: string, item: T): void {
    const group = this.#groups.get(prefix)
    if (group) {
      group.add(item)
      return
    }
    this.#groups.set(prefix, new Set([item]))
    this.#lengths.set(prefix.length, (this.#lengths.get(prefix.length) ?? 0) + 1)
  }

  delete(prefix: string, item: T): void {
    const group = this.#groups.get(prefix)
    if (!group?.delete(item) || group.size > 0) return
    this.#groups.delete(prefix)
    const left = (this.#lengths.get(prefix.length) ?? 1) - 1
    if (left > 0) this.#lengths.set(prefix.length, left)
    else this.#lengths.delete(prefix.length)
  }

  /** A copy of all items. */
  items(): readonly T[] {
    return [...this.#groups.values()].flatMap((group) => [...group])
  }

  /** The events for the items of each prefix, in order. */
  select(events: readonly StoreEvent[]): [items: readonly T[], events: readonly StoreEvent[]][] {
    const selected = new Map<string, StoreEvent[]>()
    for (const event of events) {
      const key = event.type === 'put' ? event.kv.key : event.key
      for (const length of this.#lengths.keys()) {
        if (length > key.length) continue
        const prefix = key.slice(0, length)
        const list = selected.get(prefix)
        if (list) list.push(event)
        else if (this.#groups.has(prefix)) selected.set(prefix, [event])
      }
    }
    return [...selected].map(([prefix, list]) => [[...(this.#groups.get(prefix) ?? [])], list])
  }
}
