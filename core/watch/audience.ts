import type { Change } from './change.ts'
import type { RequiredValue, Subscriber } from './feed.ts'

/** Maximum bytes of the objects in changes whose frames are joined. */
const maxJoined = 64 * 1024

/** The subscribers that require some value of one field or label. */
interface ValueGroups {
  readonly read: RequiredValue['read']
  readonly byValue: Map<string, Set<Subscriber>>
}

/**
 * The subscribers of one scope: those of all changes, and those that require a value, such as a node agent's watch by `spec.nodeName`. A change
 * costs the latter one lookup for each field and label that any of them requires.
 */
export class Audience {
  readonly #all = new Set<Subscriber>()
  readonly #required = new Map<string, ValueGroups>()

  get isEmpty(): boolean {
    return this.#all.size === 0 && this.#required.size === 0
  }

  add(subscriber: Subscriber, required?: RequiredValue): void {
    if (required === undefined) {
      this.#all.add(subscriber)
      return
    }
    const { key, value, read } = required
    const groups = this.#required.get(key) ?? { read, byValue: new Map() }
    this.#required.set(key, groups)
    const group = groups.byValue.get(value) ?? new Set()
    groups.byValue.set(value, group.add(subscriber))
  }

  delete(subscriber: Subscriber, required?: RequiredValue): void {
    if (required === undefined) {
      this.#all.delete(subscriber)
      return
    }
    const { key, value } = required
    const groups = this.#required.get(key)
    const group = groups?.byValue.get(value)
    group?.delete(subscriber)
    if (group?.size === 0) groups?.byValue.delete(value)
    if (groups?.byValue.size === 0) this.#required.delete(key)
  }

  *members(): Generator<Subscriber> {
    yield* this.#all
    for (const { byValue } of this.#required.values()) for (const group of byValue.values()) yield* group
  }

  changes(changes: readonly Change[]): void {
    if (this.#all.size > 0) {
      const size = changes.reduce((sum, { entry }) => sum + entry.size, 0)
      const joined = size <= maxJoined ? new Map() : undefined
      for (const subscriber of this.#all) subscriber.changes(changes, joined)
    }
    for (const groups of this.#required.values()) this.#tellGroups(changes, groups)
  }

  #tellGroups(changes: readonly Change[], { read, byValue }: ValueGroups): void {
    const chosen = new Map<Set<Subscriber>, Change[]>()
    for (const change of changes) {
      const { deleted, entry, previous } = change
      const before = previous && read(previous)
      // A deletion shows the previous content.
      const now = deleted && previous ? before : read(entry)
      for (const value of now === before ? [now] : [before, now]) {
        const group = value === undefined ? undefined : byValue.get(value)
        if (group === undefined) continue
        const own = chosen.get(group)
        if (own) own.push(change)
        else chosen.set(group, [change])
      }
    }
    for (const [group, own] of chosen) for (const subscriber of group) subscriber.changes(own)
  }
}
