import type { Keys } from '../storage/keys.ts'
import type { Change } from './change.ts'
import type { Subscriber } from './feed.ts'

/** What a subscriber receives: one namespace (empty: all), one name (absent: all). */
export interface Scope {
  readonly namespace: string
  readonly name?: string
}

/** Maximum bytes of the objects in changes whose frames are joined. */
const maxJoined = 64 * 1024

/** Subscribers indexed by scope: the cost of a change depends on the number of its subscribers only. */
export class FanOut {
  readonly #keys: Keys
  readonly #namespaced: boolean
  /** By root prefix, namespace prefix, single key, or name in all namespaces. */
  readonly #scopes = new Map<string, Set<Subscriber>>()

  constructor(keys: Keys, namespaced: boolean) {
    this.#keys = keys
    this.#namespaced = namespaced
  }

  add(scope: Scope, subscriber: Subscriber): void {
    const key = this.#keyOf(scope)
    const set = this.#scopes.get(key) ?? new Set()
    this.#scopes.set(key, set.add(subscriber))
  }

  delete(scope: Scope, subscriber: Subscriber): void {
    const key = this.#keyOf(scope)
    const set = this.#scopes.get(key)
    set?.delete(subscriber)
    if (set?.size === 0) this.#scopes.delete(key)
  }

  /** Whether a change is within a scope. */
  isIn({ namespace, name }: Scope, change: Change): boolean {
    const at = this.#keys.parse(change.entry.key)
    return (namespace === '' || at.namespace === namespace) && (name === undefined || at.name === name)
  }

  /** Delivers changes; those of one revision stay together. */
  changes(changes: readonly Change[]): void {
    const scopes = this.#scopes
    if (scopes.size === 0) return
    const root = this.#keys.prefix('')
    this.#tell(root, changes)
    if (scopes.size === 1 && scopes.has(root)) return
    const narrow = new Map<string, Change[]>()
    for (const change of changes) {
      const { namespace, name } = this.#keys.parse(change.entry.key)
      const wanted = new Set([this.#keys.prefix(namespace), change.entry.key, inAll(name)])
      wanted.delete(root)
      for (const scope of wanted) {
        if (!scopes.has(scope)) continue
        const own = narrow.get(scope)
        if (own) own.push(change)
        else narrow.set(scope, [change])
      }
    }
    for (const [scope, own] of narrow) this.#tell(scope, own)
  }

  progress(revision: number): void {
    for (const subscribers of this.#scopes.values()) for (const subscriber of subscribers) subscriber.progress(revision)
  }

  /** Ends all subscriptions; their owners resume from their last revision. */
  end(): void {
    const all = [...this.#scopes.values()].flatMap((subscribers) => [...subscribers])
    this.#scopes.clear()
    for (const subscriber of all) subscriber.end()
  }

  #tell(key: string, changes: readonly Change[]): void {
    const subscribers = this.#scopes.get(key)
    if (subscribers === undefined) return
    const size = changes.reduce((sum, { entry }) => sum + entry.size, 0)
    const joined = size <= maxJoined ? new Map() : undefined
    for (const subscriber of subscribers) subscriber.changes(changes, joined)
  }

  #keyOf({ namespace, name }: Scope): string {
    if (name === undefined) return this.#keys.prefix(namespace)
    return namespace === '' && this.#namespaced ? inAll(name) : this.#keys.of(namespace, name)
  }
}

/** Index key of a name in all namespaces; no real key starts with an asterisk. */
const inAll = (name: string) => `*/${name}`
