import type { MetricRow } from '../../metrics.ts'
import { sameItems } from '../../schema/json/equal.ts'

type Names = readonly string[]
type Bounds = Pick<MetricRow, 'labels' | 'maxSeries'>

/** What one combination of label values has. */
export interface Series<T> {
  readonly values: Names
  state: T
}

export interface SeriesTable<T> {
  /** Values may be replaced: the series of the same values is looked up for each use. */
  readonly constrained: boolean
  /** The series with these values, created if need be; beyond the maximum number of series, the one that counts what exceeds it. */
  of(values: Names): Series<T>
  all(): Iterable<Series<T>>
  remove(values: Names): void
}

/** Trie node: series by the value of one label, then the next. */
type Branch<T> = Map<string, Branch<T> | Series<T>>

/** Number of series that are compared one after the other: most tables of a short-lived server have fewer. */
const few = 8

/**
 * Series by label values, created on first use; without labels there is one from the start. Many are looked up value by value, because a joined
 * key would have to be built and hashed for every request. A class, because a server has one for each of its metrics with values.
 */
class Table<T> implements SeriesTable<T> {
  readonly #row: Bounds
  readonly #initial: (values: Names) => T
  readonly #constrain: ((values: Names) => Names) | undefined
  /** All series; undefined while they are few. */
  #root: Branch<T> | undefined
  readonly #all = new Set<Series<T>>()
  /** Counts what exceeds the maximum number of series. */
  #others: Series<T> | undefined
  /** The last result: requests of one kind often come one after the other. */
  #recent: Series<T> | undefined

  constructor(row: Bounds, initial: (values: Names) => T, constrain: ((values: Names) => Names) | undefined) {
    this.#row = row
    this.#initial = initial
    this.#constrain = constrain
    if (row.labels.length === 0) this.of([])
  }

  get constrained(): boolean {
    return this.#constrain !== undefined
  }

  of(given: Names): Series<T> {
    // Each use of a value that is not allowed counts as one.
    const values = this.#constrain ? this.#constrain(given) : given
    if (this.#recent === undefined || !sameItems(this.#recent.values, values)) this.#recent = this.#find(values)
    return this.#recent
  }

  all(): Iterable<Series<T>> {
    return this.#all.values()
  }

  remove(values: Names): void {
    const found = this.#known(values)
    if (found === undefined) return
    if (this.#root) this.#branch(this.#root, found).delete(found.values[this.#last] ?? '')
    this.#all.delete(found)
    if (found === this.#others) this.#others = undefined
    if (found === this.#recent) this.#recent = undefined
  }

  get #last(): number {
    return Math.max(0, this.#row.labels.length - 1)
  }

  /** The series with these values, if there is one. */
  #known(values: Names): Series<T> | undefined {
    if (this.#root === undefined) {
      for (const each of this.#all) if (sameItems(each.values, values)) return each
      return undefined
    }
    let found: Branch<T> | Series<T> | undefined = this.#root
    for (let i = 0; i <= this.#last; i++) found = (found as Branch<T> | undefined)?.get(values[i] ?? '')
    return found as Series<T> | undefined
  }

  /** The series that share all label values of this one but the last; adds missing branches. */
  #branch(root: Branch<T>, { values }: Series<T>): Map<string, Series<T>> {
    let found = root
    for (let i = 0; i < this.#last; i++) {
      const next = found.get(values[i] as string) ?? new Map()
      found.set(values[i] as string, next)
      found = next as Branch<T>
    }
    return found as Map<string, Series<T>>
  }

  #enter(root: Branch<T>, series: Series<T>): void {
    this.#branch(root, series).set(series.values[this.#last] ?? '', series)
  }

  #add(values: Names): Series<T> {
    const created = { values: [...values], state: this.#initial(values) }
    this.#all.add(created)
    if (this.#root) this.#enter(this.#root, created)
    else if (this.#all.size > few) {
      this.#root = new Map()
      for (const each of this.#all) this.#enter(this.#root, each)
    }
    return created
  }

  #find(values: Names): Series<T> {
    const { labels, maxSeries } = this.#row
    if (values.length !== labels.length) throw new Error(`want ${labels.length} label values, have ${values.length}`)
    const found = this.#known(values)
    if (found !== undefined) return found
    if (this.#all.size - (this.#others === undefined ? 0 : 1) < maxSeries) return this.#add(values)
    this.#others ??= this.#add(labels.map(() => 'other'))
    return this.#others
  }
}

/** `constrain` replaces label values that are not allowed. */
export const createSeries = <T>(row: Bounds, initial: (values: Names) => T, constrain?: (values: Names) => Names): SeriesTable<T> =>
  new Table(row, initial, constrain)
