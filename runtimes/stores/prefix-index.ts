import type { StoreEvent } from '../../core/ports.ts'

/** Values by key prefix. A lookup costs the length of the key, however many prefixes there are. */
export class PrefixIndex<T> {
  readonly #groups = new Map<string, Set<T>>()
  /** How many groups have a prefix of this length. */
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

  /** All of them, as they are now. */
  items(): readonly T[] {
    return [...this.#groups.values()].flatMap((group) => [...group])
  }

  /** The events that each group of things is about, in order. */
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
