import type { Entry } from '../storage/entry.ts'
import type { Keys } from '../storage/keys.ts'
import type { FeedList, FeedQuery } from './feed.ts'
import type { SortedEntries } from './sorted-entries.ts'

type Remembered = Required<Pick<FeedList, 'entries' | 'kept'>>

/** A whole list, and its first pages by their limit. */
interface Whole extends Remembered {
  readonly pages: Map<number, Remembered>
}

/** Lists remembered at a time, and pages of each. */
const recentLists = 4
const recentPages = 2

/** Lists of what the cache holds. Whole lists are remembered until something changes, as many clients ask for the same ones. */
export class CachedLists {
  readonly #entries: SortedEntries
  readonly #keys: Keys
  readonly #namespaced: boolean
  readonly #recent = new Map<string, Whole>()

  constructor(entries: SortedEntries, keys: Keys, namespaced: boolean) {
    this.#entries = entries
    this.#keys = keys
    this.#namespaced = namespaced
  }

  /** Something has changed. */
  forget(): void {
    this.#recent.clear()
  }

  /** What is there at a revision, which is the one that the cache is at. */
  select(query: FeedQuery, revision: number): FeedList {
    const { name, matches, limit = 0 } = query
    const whole = this.#remembered(query)
    const found = whole.entries
    if (limit === 0 || found.length <= limit) return { entries: found, ...('kept' in whole && { kept: whole.kept }), revision }
    const page = pageOf(whole, limit)
    return {
      ...page,
      revision,
      next: page.entries.at(-1)!.key,
      ...(!matches && name === undefined && { remaining: found.length - limit }),
    }
  }

  #remembered(query: FeedQuery): Pick<FeedList, 'entries'> | Whole {
    const { namespace, name, matches, selector, after } = query
    if (name !== undefined || after !== undefined || (matches !== undefined && selector === undefined))
      return { entries: this.#find(query) }
    const key = `${namespace}\n${selector ?? ''}`
    let found = this.#recent.get(key)
    if (found === undefined) {
      found = { entries: this.#find(query), kept: new Map(), pages: new Map() }
      if (this.#recent.size >= recentLists) this.#recent.clear()
      this.#recent.set(key, found)
    }
    return found
  }

  #find({ namespace, name, indexed, matches, after }: FeedQuery): readonly Entry[] {
    let found: readonly Entry[]
    if (name !== undefined && (namespace !== '' || !this.#namespaced)) {
      const one = this.#entries.get(this.#keys.of(namespace, name))
      found = one && (after === undefined || one.key > after) ? [one] : []
    } else {
      const prefix = this.#keys.prefix(namespace)
      found = indexed ? this.#entries.withField(indexed, prefix, after) : this.#entries.range(prefix, after)
      if (name !== undefined) found = found.filter((entry) => this.#keys.parse(entry.key).name === name)
    }
    return matches ? found.filter(matches) : found
  }
}

/** The first entries of a list; remembered with those of a whole list that is. */
function pageOf(list: Pick<FeedList, 'entries'> | Whole, limit: number): Pick<FeedList, 'entries' | 'kept'> {
  const first = () => list.entries.slice(0, limit)
  if (!('pages' in list)) return { entries: first() }
  let page = list.pages.get(limit)
  if (page === undefined) {
    page = { entries: first(), kept: new Map() }
    if (list.pages.size >= recentPages) list.pages.clear()
    list.pages.set(limit, page)
  }
  return page
}
