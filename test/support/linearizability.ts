/**
 * Is there an order of operations on one register, within the time each of them took, that explains what every client saw?
 * (Herlihy and Wing's linearizability; the search is Wing and Gong's, with Lowe's memory of configurations already seen.)
 * Every write has a value of its own and says what it replaces, so a state is the last written value.
 */

/** What is stored; undefined: nothing. */
export type Value = string | undefined

export interface Operation {
  readonly client: number
  /** When it was sent and when its answer came, on one clock; an `unknown` one may happen at any time after it was sent. */
  readonly begin: number
  readonly end: number
  /**
   * `read` saw `after`. `written` replaced `before` by `after`. `refused` found something else than `before`.
   * `unknown` was to replace `before` by `after`, and nobody said whether it did.
   */
  readonly kind: 'read' | 'written' | 'refused' | 'unknown'
  readonly before?: Value
  readonly after?: Value
}

/** Operations done so far: all before `first`, and some behind it. */
interface Configuration {
  readonly first: number
  readonly done: ReadonlySet<number>
  readonly used: ReadonlySet<number>
  readonly state: Value
}

/** What the state is after the operation; false when it can't happen in this one. */
function apply({ kind, before, after }: Operation, state: Value): { readonly state: Value } | false {
  if (kind === 'read') return state === after && { state }
  if (kind === 'refused') return state !== before && { state }
  return state === before && { state: after }
}

/** Undefined when there is such an order; otherwise what can't be explained. The register begins with nothing. */
export function linearizationProblem(history: readonly Operation[]): string | undefined {
  const must = history.filter(({ kind }) => kind !== 'unknown').toSorted((a, b) => a.begin - b.begin)
  const maybe = relevantUnknowns(history)
  const seen = new Set<string>()
  let furthest = 0
  const stack: Configuration[] = [{ first: 0, done: new Set(), used: new Set(), state: undefined }]
  for (let at = stack.pop(); at; at = stack.pop()) {
    const here = settle(must, at)
    if (here.first === must.length) return undefined
    const name = `${here.first}|${[...here.done].toSorted()}|${[...here.used].toSorted()}|${here.state}`
    if (seen.has(name)) continue
    seen.add(name)
    furthest = Math.max(furthest, here.first)
    const { candidates, horizon } = next(must, here)
    for (const [index, operation] of maybe.entries()) {
      const outcome = !here.used.has(index) && operation.begin <= horizon && apply(operation, here.state)
      if (outcome) stack.push({ ...here, used: new Set(here.used).add(index), state: outcome.state })
    }
    for (const index of candidates.toReversed()) {
      const operation = must[index]
      const outcome = operation && apply(operation, here.state)
      if (outcome) stack.push({ ...here, done: new Set(here.done).add(index), state: outcome.state })
    }
  }
  const stuck = must.slice(Math.max(0, furthest - 3), furthest + 4)
  return `no order explains ${must.length} operations; the search got to ${furthest}:\n${stuck.map((each) => JSON.stringify(each)).join('\n')}`
}

/** Unknown writes whose value nobody saw or built upon explain nothing: after one only other unseen ones could follow. */
function relevantUnknowns(history: readonly Operation[]): Operation[] {
  const known = new Set(history.flatMap(({ kind, before, after }) => (kind === 'read' ? [after] : [before])))
  return history.filter(({ kind, after }) => kind === 'unknown' && (after === undefined || known.has(after)))
}

/** The operations that may be the next one: sent before any that is left has been answered. */
function next(must: readonly Operation[], { first, done }: Configuration): { candidates: number[]; horizon: number } {
  const candidates: number[] = []
  let horizon = Number.POSITIVE_INFINITY
  for (let index = first; index < must.length; index++) {
    const operation = must[index]
    if (operation === undefined || operation.begin > horizon) break
    if (done.has(index)) continue
    candidates.push(index)
    horizon = Math.min(horizon, operation.end)
  }
  return { candidates, horizon: candidates.length === 0 ? Number.POSITIVE_INFINITY : horizon }
}

/** Lets everything happen at once that changes nothing and can: putting it off would never help. */
function settle(must: readonly Operation[], at: Configuration): Configuration {
  let { first } = at
  const done = new Set(at.done)
  for (let changed = true; changed; ) {
    changed = false
    for (const index of next(must, { ...at, first, done }).candidates) {
      const operation = must[index]
      if (operation === undefined || operation.kind === 'written' || !apply(operation, at.state)) continue
      done.add(index)
      changed = true
    }
    while (done.delete(first)) first++
  }
  return { ...at, first, done }
}

/** One event of a watch; `after` is undefined for a deletion. */
export interface Observed {
  readonly revision: number
  readonly after: Value
}

/**
 * Compares what a watch of one key told, from nothing on, with what clients did: in order, each acknowledged write once, and nothing that
 * nobody tried. Each event must replace what the one before it left, or something is missing.
 */
export function watchProblem(events: readonly Observed[], history: readonly Operation[]): string | undefined {
  const tried = new Map<string, number>()
  const textOf = (before: Value, after: Value) => `${before} → ${after}`
  for (const { kind, before, after } of history)
    if (kind === 'written' || kind === 'unknown') tried.set(textOf(before, after), (tried.get(textOf(before, after)) ?? 0) + 1)
  let state: Value
  let newest = 0
  const told = new Set<string>()
  for (const { revision, after } of events) {
    if (revision <= newest) return `revision ${revision} after ${newest}`
    newest = revision
    const change = textOf(state, after)
    const left = tried.get(change) ?? 0
    if (left === 0) return `${change} at revision ${revision}: nobody did that, or an event before it is missing`
    tried.set(change, left - 1)
    told.add(change)
    state = after
  }
  const untold = history.find(({ kind, before, after }) => kind === 'written' && !told.has(textOf(before, after)))
  return untold && `${textOf(untold.before, untold.after)} was acknowledged and not told`
}
