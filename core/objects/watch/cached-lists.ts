import { filterInSlices } from '../../common/slices.ts'
import type { Keys } from '../storage/keys.ts'
import type { CacheMetrics } from '../storage/metrics.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import type { FeedList, FeedQuery } from './feed.ts'
import type { SortedEntries } from './sorted-entries.ts'

type Remembered = Required<Pick<FeedList, 'entries' | 'kept'>>

/** A whole list, and its cached first pages by limit. */
interface Whole extends Remembered {
  readonly pages: Map<number, Remembered>
}

/** Up to this many entries, a selector is evaluated without yielding. */
const fewEntries = 100
/** Maximum cached lists, and cached pages of each. */
const recentLists = 4
const recentPages = 2

/** Lists from the watch cache. Whole lists are memoized until the next change, because many clients request the same ones. */
export class CachedLists {
  readonly #entries: SortedEntries
  readonly #keys: Keys
  readonly #namespaced: boolean
  readonly #observer: Pick<CacheMetrics, 'listed'>
  readonly #recent = new Map<string, Whole>()
  #changes = 0

  constructor(entries: SortedEntries, keys: Keys, namespaced: boolean, observer: Pick<CacheMetrics, 'listed'>) {
    this.#entries = entries
    this.#keys = keys
    this.#namespaced = namespaced
    this.#observer = observer
  }

  /** Call on each change. */
  forget(): void {
    this.#changes++
    this.#recent.clear()
  }

  /**
   * The list at `revision`, the cache's current one; changes made before it resolves are not included. The field of `query.indexed` must have
   * an index.
   */
  select(query: FeedQuery, revision: number): FeedList | Promise<FeedList> {
    const { matches, slices, limit = 0 } = query
    const [key, pageKey] = [rememberedAs(query, 0), rememberedAs(query, limit)]
    const known = key === undefined || pageKey === undefined ? undefined : (this.#recent.get(key) ?? this.#recent.get(pageKey))
    if (known !== undefined) return this.#page(known, known.entries.length, query, revision)
    if (key === undefined && limit > 0 && matches === undefined && query.name === undefined && query.indexed === undefined)
      return this.#nextPage(query, limit, revision)
    const entries = this.#find(query)
    if (matches === undefined || slices === undefined || entries.length <= fewEntries)
      return this.#page(this.#remember(key, matches ? entries.filter(matches) : entries), entries.length, query, revision)
    const asked = this.#changes
    // One more than a page shows whether there is another page.
    const maxEntries = limit === 0 ? undefined : limit + 1
    return filterInSlices(entries, slices, matches, maxEntries).then((chosen) => {
      const isPart = chosen.length === maxEntries
      const found = this.#remember(asked === this.#changes ? (isPart ? pageKey : key) : undefined, chosen)
      return this.#page(found, isPart ? chosen.length : entries.length, query, revision)
    })
  }

  /** A page of all objects after the first page: what is behind it is only counted. */
  #nextPage(query: FeedQuery, limit: number, revision: number): FeedList {
    const prefix = this.#keys.prefix(query.namespace)
    const from = this.#keys.start(query)
    const left = this.#entries.count(prefix, from)
    const entries = this.#entries.range(prefix, from, limit)
    this.#observer.listed(undefined, left, entries.length)
    return {
      entries,
      revision,
      ...(left > limit && { next: this.#keys.next(entries.at(-1)!.key, query.namespace), remaining: left - limit }),
    }
  }

  #page(found: Pick<FeedList, 'entries'> | Whole, fetched: number, query: FeedQuery, revision: number): FeedList {
    const page = pageOf(found, query, revision, this.#keys)
    // The server's own lists are not counted: the reference's caches of its own are filled by watches.
    if (query.context) this.#observer.listed(query.indexed?.field, fetched, page.entries.length)
    return page
  }

  #remember(key: string | undefined, entries: readonly StoredObject[]): Pick<FeedList, 'entries'> | Whole {
    if (key === undefined) return { entries }
    const whole = { entries, kept: new Map(), pages: new Map() }
    if (this.#recent.size >= recentLists) this.#recent.clear()
    this.#recent.set(key, whole)
    return whole
  }

  /** The candidates for `matches`. */
  #find(query: FeedQuery): readonly StoredObject[] {
    const { namespace, name, indexed } = query
    const from = this.#keys.start(query)
    let found: readonly StoredObject[]
    if (name !== undefined && (namespace !== '' || !this.#namespaced)) {
      const one = this.#entries.get(this.#keys.of(namespace, name))
      found = one && (from === undefined || one.key >= from) ? [one] : []
    } else {
      const prefix = this.#keys.prefix(namespace)
      found = indexed ? this.#entries.withField(indexed, prefix, from) : this.#entries.range(prefix, from)
      if (name !== undefined) found = found.filter(({ key }) => this.#keys.parse(key).name === name)
    }
    return found
  }
}

/** Cache key of a query's first `limit` entries and one more, or of all (0); undefined: not cacheable. */
function rememberedAs({ namespace, name, matches, selector, from }: FeedQuery, limit: number): string | undefined {
  if (name !== undefined || from !== undefined || (matches !== undefined && selector === undefined)) return undefined
  return `${limit}\n${namespace}\n${selector ?? ''}`
}

/** The page of a whole list that the query asks for. */
function pageOf(
  whole: Pick<FeedList, 'entries'> | Whole,
  { namespace, name, matches, limit = 0 }: FeedQuery,
  revision: number,
  keys: Keys,
) {
  const { entries } = whole
  if (limit === 0 || entries.length <= limit) return { entries, ...('kept' in whole && { kept: whole.kept }), revision }
  const page = firstOf(whole, limit)
  return {
    ...page,
    revision,
    next: keys.next(page.entries.at(-1)!.key, namespace),
    ...(!matches && name === undefined && { remaining: entries.length - limit }),
  }
}

/** The first entries of a list; cached with a cached whole list. */
function firstOf(list: Pick<FeedList, 'entries'> | Whole, limit: number): Pick<FeedList, 'entries' | 'kept'> {
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
