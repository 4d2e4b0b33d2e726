import type { Change } from './change.ts'
import type { RequiredValue, Subscriber } from './feed.ts'
import { type Group, joined, left, membersOf } from './group.ts'

/** Maximum bytes of the objects in changes whose frames are joined. */
const maxJoined = 64 * 1024

/** The subscribers that require some value of one field or label. */
interface ValueGroups {
  readonly read: RequiredValue['read']
  readonly byValue: Map<string, Group<Subscriber>>
}

/**
 * The subscribers of one scope: those of all changes, and those that require a value, such as a node agent's watch by `spec.nodeName`. A change
 * costs the latter one lookup for each field and label that any of them requires.
 */
export class Audience {
  #all: Group<Subscriber> | undefined
  /** By field or label; undefined: no subscriber requires any. */
  #required: Map<string, ValueGroups> | undefined

  get isEmpty(): boolean {
    return this.#all === undefined && this.#required === undefined
  }

  add(subscriber: Subscriber, required?: RequiredValue): void {
    if (required === undefined) {
      this.#all = joined(this.#all, subscriber)
      return
    }
    const { key, value, read } = required
    this.#required ??= new Map()
    const groups = this.#required.get(key) ?? { read, byValue: new Map() }
    this.#required.set(key, groups)
    groups.byValue.set(value, joined(groups.byValue.get(value), subscriber))
  }

  delete(subscriber: Subscriber, required?: RequiredValue): void {
    if (required === undefined) {
      this.#all = left(this.#all, subscriber)
      return
    }
    const { key, value } = required
    const groups = this.#required?.get(key)
    if (groups === undefined) return
    const group = left(groups.byValue.get(value), subscriber)
    if (group === undefined) groups.byValue.delete(value)
    else groups.byValue.set(value, group)
    if (groups.byValue.size === 0) this.#required?.delete(key)
    if (this.#required?.size === 0) this.#required = undefined
  }

  *members(): Generator<Subscriber> {
    yield* membersOf(this.#all)
    for (const { byValue } of this.#required?.values() ?? []) for (const group of byValue.values()) yield* membersOf(group)
  }

  changes(changes: readonly Change[]): void {
    if (this.#all !== undefined) {
      const size = changes.reduce((sum, { entry }) => sum + entry.size, 0)
      const frames = size <= maxJoined ? new Map() : undefined
      for (const subscriber of membersOf(this.#all)) subscriber.changes(changes, frames)
    }
    for (const groups of this.#required?.values() ?? []) this.#tellGroups(changes, groups)
  }

  #tellGroups(changes: readonly Change[], { read, byValue }: ValueGroups): void {
    const chosen = new Map<Group<Subscriber>, Change[]>()
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
    for (const [group, own] of chosen) for (const subscriber of membersOf(group)) subscriber.changes(own)
  }
}
