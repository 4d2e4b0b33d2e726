import type { Keys } from '../storage/keys.ts'
import { Audience } from './audience.ts'
import type { Change } from './change.ts'
import type { Scope, Subscriber } from './feed.ts'

/** Subscribers indexed by scope: the cost of a change depends on the number of its subscribers only. */
export class FanOut {
  readonly #keys: Keys
  readonly #namespaced: boolean
  /** By root prefix, namespace prefix, single key, or name in all namespaces. */
  readonly #scopes = new Map<string, Audience>()

  constructor(keys: Keys, namespaced: boolean) {
    this.#keys = keys
    this.#namespaced = namespaced
  }

  add(scope: Scope, subscriber: Subscriber): void {
    const key = this.#keyOf(scope)
    const audience = this.#scopes.get(key) ?? new Audience()
    audience.add(subscriber, scope.required)
    this.#scopes.set(key, audience)
  }

  delete(scope: Scope, subscriber: Subscriber): void {
    const key = this.#keyOf(scope)
    const audience = this.#scopes.get(key)
    audience?.delete(subscriber, scope.required)
    if (audience?.isEmpty) this.#scopes.delete(key)
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
    scopes.get(root)?.changes(changes)
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
    for (const [scope, own] of narrow) scopes.get(scope)?.changes(own)
  }

  /** Ends all subscriptions; their owners resume from their last revision. */
  end(): void {
    const all = [...this.#scopes.values()].flatMap((audience) => [...audience.members()])
    this.#scopes.clear()
    for (const subscriber of all) subscriber.end()
  }

  #keyOf({ namespace, name }: Scope): string {
    if (name === undefined) return this.#keys.prefix(namespace)
    return namespace === '' && this.#namespaced ? inAll(name) : this.#keys.of(namespace, name)
  }
}

/** Index key of a name in all namespaces; no real key starts with an asterisk. */
const inAll = (name: string) => `*/${name}`
