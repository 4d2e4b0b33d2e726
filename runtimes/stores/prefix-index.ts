import type { StoreEvent } from '../../core/ports.ts'

/** Prefixes of one length that end with the same character: most end with a slash, so that few parts of a key may be one. */
interface Ending {
  readonly length: number
  /** Code of the last character; NaN: the prefix is empty. */
  readonly last: number
  /** Number of distinct prefixes. */
  count: number
}

const codes = 0x10000
const lastOf = (prefix: string) => prefix.charCodeAt(prefix.length - 1)
const endingOf = (prefix: string) => (prefix === '' ? 0 : prefix.length * codes + lastOf(prefix))

/** Items by key prefix. The cost of a look-up depends on the length of the key, not on the number of prefixes. */
export class PrefixIndex<T> {
  readonly #groups = new Map<string, Set<T>>()
  readonly #endings = new Map<number, Ending>()

  add(prefix: string, item: T): void {
    const group = this.#groups.get(prefix)
    if (group) {
      group.add(item)
      return
    }
    this.#groups.set(prefix, new Set([item]))
    const known = this.#endings.get(endingOf(prefix))
    if (known) known.count++
    else this.#endings.set(endingOf(prefix), { length: prefix.length, last: lastOf(prefix), count: 1 })
  }

  delete(prefix: string, item: T): void {
    const group = this.#groups.get(prefix)
    if (!group?.delete(item) || group.size > 0) return
    this.#groups.delete(prefix)
    const ending = this.#endings.get(endingOf(prefix))
    if (ending && --ending.count === 0) this.#endings.delete(endingOf(prefix))
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
      for (const { length, last } of this.#endings.values()) {
        if (length > key.length || (length > 0 && key.charCodeAt(length - 1) !== last)) continue
        const prefix = key.slice(0, length)
        const list = selected.get(prefix)
        if (list) list.push(event)
        else if (this.#groups.has(prefix)) selected.set(prefix, [event])
      }
    }
    return [...selected].map(([prefix, list]) => [[...(this.#groups.get(prefix) ?? [])], list])
  }
}
