import type { Keys } from '../storage/keys.ts'
import type { Change } from './change.ts'
import type { Subscriber } from './feed.ts'

/** What a subscriber wants to be told of: one namespace (empty: all), one name (absent: all). */
export interface Scope {
  readonly namespace: string
  readonly name?: string
}

/** Subscribers by what they want to be told of: a change costs those it concerns, not all. */
export class FanOut {
  readonly #keys: Keys
  readonly #namespaced: boolean
  /** By the root, a namespace's prefix, one key, or a name in all namespaces. */
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

  /** Whether a change is in a scope. */
  isIn({ namespace, name }: Scope, change: Change): boolean {
    const at = this.#keys.parse(change.entry.key)
    return (namespace === '' || at.namespace === namespace) && (name === undefined || at.name === name)
  }

  /** Everybody sees the changes of one revision together. */
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

  /** Ends all: they start anew from their last revision. */
  end(): void {
    const all = [...this.#scopes.values()].flatMap((subscribers) => [...subscribers])
    this.#scopes.clear()
    for (const subscriber of all) subscriber.end()
  }

  #tell(key: string, changes: readonly Change[]): void {
    const subscribers = this.#scopes.get(key)
    if (subscribers) for (const subscriber of subscribers) subscriber.changes(changes)
  }

  #keyOf({ namespace, name }: Scope): string {
    if (name === undefined) return this.#keys.prefix(namespace)
    return namespace === '' && this.#namespaced ? inAll(name) : this.#keys.of(namespace, name)
  }
}

/** A name in all namespaces; no key starts with an asterisk. */
const inAll = (name: string) => `*/${name}`
