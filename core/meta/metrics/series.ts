import type { MetricRow } from '../../metrics.ts'
import { sameItems } from '../../schema/json/equal.ts'

type Names = readonly string[]

/** What one combination of label values has. */
export interface Series<T> {
  readonly values: Names
  state: T
}

export interface SeriesTable<T> {
  /** The series with these values, created if need be; beyond the maximum number of series, the one that counts what exceeds it. */
  of(values: Names): Series<T>
  all(): Iterable<Series<T>>
  remove(values: Names): void
}

/** Trie node: series by the value of one label, then the next. */
type Branch<T> = Map<string, Branch<T> | Series<T>>

/**
 * Series by label values, created on first use; without labels there is one from the start. Looked up value by value, because a joined
 * key would have to be built and hashed for every request.
 */
export function createSeries<T>(
  { labels, maxSeries }: Pick<MetricRow, 'labels' | 'maxSeries'>,
  initial: (values: Names) => T,
): SeriesTable<T> {
  const root: Branch<T> = new Map()
  const all = new Set<Series<T>>()
  const last = Math.max(0, labels.length - 1)
  /** Counts what exceeds the maximum number of series. */
  let others: Series<T> | undefined
  /** The last result: requests of one kind often come one after the other. */
  let recent: Series<T> | undefined

  /** The series that share all label values but the last; `create` adds missing branches. */
  function branch(values: Names, create: boolean): Map<string, Series<T>> | undefined {
    let found = root
    for (let i = 0; i < last; i++) {
      let next = found.get(values[i] as string)
      if (next === undefined) {
        if (!create) return undefined
        next = new Map()
        found.set(values[i] as string, next)
      }
      found = next as Branch<T>
    }
    return found as Map<string, Series<T>>
  }

  function add(values: Names): Series<T> {
    const created = { values: [...values], state: initial(values) }
    branch(values, true)?.set(values[last] ?? '', created)
    all.add(created)
    return created
  }

  function of(values: Names): Series<T> {
    if (recent === undefined || !sameItems(recent.values, values)) recent = find(values)
    return recent
  }

  function find(values: Names): Series<T> {
    if (values.length !== labels.length) throw new Error(`want ${labels.length} label values, have ${values.length}`)
    const found = branch(values, false)?.get(values[last] ?? '')
    if (found !== undefined) return found
    if (all.size - (others === undefined ? 0 : 1) < maxSeries) return add(values)
    others ??= add(labels.map(() => 'other'))
    return others
  }

  if (labels.length === 0) of([])
  return {
    of,
    all: () => all.values(),
    remove(values: Names) {
      const siblings = branch(values, false)
      const value = values[last] ?? ''
      const found = siblings?.get(value)
      if (found === undefined) return
      siblings?.delete(value)
      all.delete(found)
      if (found === others) others = undefined
      if (found === recent) recent = undefined
    },
  }
}
