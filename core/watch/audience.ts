import type { Change } from './change.ts'
import type { FieldTerm, Subscriber } from './feed.ts'

/** Maximum bytes of the objects in changes whose frames are joined. */
const maxJoined = 64 * 1024

/** The subscribers that want one field to have some value. */
interface FieldGroups {
  readonly read: FieldTerm['read']
  readonly byValue: Map<string, Set<Subscriber>>
}

/**
 * The subscribers of one scope: those of all changes, and those of objects whose field has a value, as a node agent's with `spec.nodeName`.
 * A change costs the latter one lookup, however many there are.
 */
export class Audience {
  readonly #all = new Set<Subscriber>()
  readonly #fields = new Map<string, FieldGroups>()

  get isEmpty(): boolean {
    return this.#all.size === 0 && this.#fields.size === 0
  }

  add(subscriber: Subscriber, term?: FieldTerm): void {
    if (term === undefined) {
      this.#all.add(subscriber)
      return
    }
    const groups = this.#fields.get(term.field) ?? { read: term.read, byValue: new Map() }
    this.#fields.set(term.field, groups)
    const group = groups.byValue.get(term.value) ?? new Set()
    groups.byValue.set(term.value, group.add(subscriber))
  }

  delete(subscriber: Subscriber, term?: FieldTerm): void {
    if (term === undefined) {
      this.#all.delete(subscriber)
      return
    }
    const groups = this.#fields.get(term.field)
    const group = groups?.byValue.get(term.value)
    group?.delete(subscriber)
    if (group?.size === 0) groups?.byValue.delete(term.value)
    if (groups?.byValue.size === 0) this.#fields.delete(term.field)
  }

  *members(): Generator<Subscriber> {
    yield* this.#all
    for (const { byValue } of this.#fields.values()) for (const group of byValue.values()) yield* group
  }

  changes(changes: readonly Change[]): void {
    if (this.#all.size > 0) {
      const size = changes.reduce((sum, { entry }) => sum + entry.size, 0)
      const joined = size <= maxJoined ? new Map() : undefined
      for (const subscriber of this.#all) subscriber.changes(changes, joined)
    }
    for (const [field, groups] of this.#fields) this.#tellGroups(changes, field, groups)
  }

  #tellGroups(changes: readonly Change[], field: string, { read, byValue }: FieldGroups): void {
    const chosen = new Map<Set<Subscriber>, Change[]>()
    for (const change of changes) {
      const { deleted, entry, previous } = change
      const before = previous?.field(field, read)
      // A deletion shows the previous content.
      const now = deleted && previous ? before : entry.field(field, read)
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
