/**
 * Checks the linearizability of operations on one register (Herlihy and Wing), with the search of Wing and Gong and
 * Lowe's cache of visited configurations. Every write has a unique value and states the value it replaced, so the state
 * is the last written value.
 */

/** Stored value; undefined if deleted. */
export type Value = string | undefined

export interface Operation {
  readonly client: number
  /** Times of request and response on one clock; an `unknown` operation may take effect at any time after its request. */
  readonly begin: number
  readonly end: number
  /**
   * `read` returned `after`. `written` replaced `before` by `after`. `refused` found a value other than `before`.
   * `unknown` tried to replace `before` by `after` and got no response.
   */
  readonly kind: 'read' | 'written' | 'refused' | 'unknown'
  readonly before?: Value
  readonly after?: Value
}

/** Completed operations: all before index `first`, and `done` after it. */
interface Configuration {
  readonly first: number
  readonly done: ReadonlySet<number>
  readonly used: ReadonlySet<number>
  readonly state: Value
}

/** The state after the operation; false if it is impossible in this state. */
function apply({ kind, before, after }: Operation, state: Value): { readonly state: Value } | false {
  if (kind === 'read') return state === after && { state }
  if (kind === 'refused') return state !== before && { state }
  return state === before && { state: after }
}

/** Undefined if the history is linearizable; otherwise a description of where the search failed. The register is initially empty. */
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

/** Unknown writes whose value was read or replaced. Others can be ignored: only further unseen writes could follow them. */
function relevantUnknowns(history: readonly Operation[]): Operation[] {
  const known = new Set(history.flatMap(({ kind, before, after }) => (kind === 'read' ? [after] : [before])))
  return history.filter(({ kind, after }) => kind === 'unknown' && (after === undefined || known.has(after)))
}

/** Operations that can be next: requested before the response of any remaining one. */
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

/** Completes all possible operations that do not change the state; delaying them never helps. */
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
 * Compares the events of a watch of one key, from its creation on, with the operations of clients: in order, each
 * acknowledged write once, and no other values. Each event must replace the value of the previous one; otherwise an
 * event is missing.
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
    if (left === 0) return `${change} at revision ${revision}: not written by any client, or an earlier event is missing`
    tried.set(change, left - 1)
    told.add(change)
    state = after
  }
  const untold = history.find(({ kind, before, after }) => kind === 'written' && !told.has(textOf(before, after)))
  return untold && `${textOf(untold.before, untold.after)} was acknowledged but not reported`
}
