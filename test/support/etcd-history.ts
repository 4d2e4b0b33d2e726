/**
 * Checks histories of clients of etcd's API, as etcd's own robustness tests do: revisions are the order of all operations, so that every answer
 * must be that of its revision, and an operation that began after another's end must not have an earlier one.
 */

export interface Change {
  readonly key: string
  /** Absent: the key was deleted. */
  readonly value?: string
  readonly version: number
  readonly createRevision: number
  /** Value before, as the event has it. */
  readonly previous?: string | undefined
}

/** The changes of a revision, in one response of a watch. */
export interface Commit {
  readonly revision: number
  readonly changes: readonly Change[]
}

export type Values = ReadonlyMap<string, string>

interface Timed {
  /** Times of request and response on one clock. */
  readonly begin: number
  readonly end: number
  readonly revision: number
}

/** A write that was answered: it put these values and deleted these keys. */
export interface Written extends Timed {
  readonly puts: Values
  readonly deletes: readonly string[]
}

/** A read of all keys. `of`: the revision that was asked for; default: the newest. */
export interface Read extends Timed {
  readonly of?: number
  readonly values: Values
}

export interface History {
  readonly written: readonly Written[]
  readonly reads: readonly Read[]
  /** Values of writes without an answer: each may have been put. */
  readonly tried: ReadonlySet<string>
}

/** A watch: commits that it told from a revision on, and the revisions of its notifications of progress, each with the number of commits before. */
export interface Told {
  readonly from: number
  readonly commits: readonly Commit[]
  readonly progress: readonly { readonly revision: number; readonly after: number }[]
}

const shown = (values: Values) => JSON.stringify([...values].toSorted())

/** The values after each revision. `all`: every commit since the empty store. Returns a problem instead. */
function replay(all: readonly Commit[]): ReadonlyMap<number, Values> | string {
  const states = new Map<number, Values>([[1, new Map()]])
  const current = new Map<string, Change>()
  let before = 1
  for (const { revision, changes } of all) {
    if (revision !== before + 1) return `revision ${revision} after ${before}`
    for (const change of changes) {
      const last = current.get(change.key)
      if (change.previous !== last?.value) return `revision ${revision}: ${change.key} was ${last?.value}, not ${change.previous}`
      if (change.value === undefined) {
        if (last === undefined) return `revision ${revision}: ${change.key} deleted, and was not there`
        current.delete(change.key)
        continue
      }
      const [version, created] = [(last?.version ?? 0) + 1, last?.createRevision ?? revision]
      if (change.version !== version || change.createRevision !== created)
        return `revision ${revision}: ${change.key} has version ${change.version} since ${change.createRevision}, not ${version} since ${created}`
      current.set(change.key, change)
    }
    states.set(revision, new Map([...current].map(([key, { value = '' }]) => [key, value])))
    before = revision
  }
  return states
}

function orderProblem({ written, reads }: History): string | undefined {
  const writes = new Set<Timed>(written)
  const all: readonly Timed[] = [...written, ...reads]
  const ends = all.toSorted((a, b) => a.end - b.end)
  let [at, newest] = [0, 0]
  for (const operation of all.toSorted((a, b) => a.begin - b.begin)) {
    for (let ended = ends[at]; ended !== undefined && ended.end < operation.begin; ended = ends[++at])
      newest = Math.max(newest, ended.revision)
    if (operation.revision < newest || (writes.has(operation) && operation.revision === newest))
      return `${writes.has(operation) ? 'a write' : 'a read'} at revision ${operation.revision} began after the end of one at ${newest}`
  }
  return undefined
}

/** Undefined when a history is linearizable, and `all` are exactly its commits. */
export function historyProblem(all: readonly Commit[], history: History): string | undefined {
  const states = replay(all)
  if (typeof states === 'string') return states
  const byRevision = new Map(all.map(({ revision, changes }) => [revision, changes]))
  const known = new Set(history.tried)
  for (const { revision, puts, deletes } of history.written) {
    const changes = byRevision.get(revision) ?? []
    const found = new Map(changes.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value] as const])))
    const gone = changes.filter(({ value }) => value === undefined).map(({ key }) => key)
    if (shown(found) !== shown(puts) || gone.toSorted().join() !== deletes.toSorted().join())
      return `revision ${revision} has ${JSON.stringify(changes)}, not ${shown(puts)} without ${deletes}`
    for (const value of puts.values()) known.add(value)
  }
  const seen = new Set<string>()
  for (const { revision, changes } of all)
    for (const { value } of changes) {
      if (value === undefined) continue
      if (!known.has(value)) return `revision ${revision}: ${value} was put by no client`
      if (seen.has(value)) return `revision ${revision}: ${value} was put twice`
      seen.add(value)
    }
  for (const { revision, of = revision, values } of history.reads)
    if (shown(states.get(of) ?? new Map()) !== shown(values)) return `a read of revision ${of} has ${shown(values)}`
  return orderProblem(history)
}

/** Whether a watch told this commit. The value before a change may be gone if its revision was compacted. */
function isCommit(told: Commit, expected: Commit | undefined, compacted: ReadonlySet<number>): boolean {
  const mayLack = compacted.has(told.revision)
  const isGone = (index: number) => mayLack && told.changes[index]?.previous === undefined
  const changes = expected?.changes.map((change, index) => (isGone(index) ? { ...change, previous: undefined } : change))
  return JSON.stringify(told) === JSON.stringify({ ...expected, changes })
}

/**
 * Undefined when a watch told what was committed from its revision on: in order, once, each commit whole, and progress after its events.
 * `compacted`: revisions of compactions.
 */
export function watchProblem(
  all: readonly Commit[],
  { from, commits, progress }: Told,
  compacted: ReadonlySet<number> = new Set(),
): string | undefined {
  const expected = all.filter(({ revision }) => revision >= from).slice(0, commits.length)
  for (const [at, commit] of commits.entries())
    if (!isCommit(commit, expected[at], compacted))
      return `from ${from}, commit ${at} is ${JSON.stringify(commit)}, not ${JSON.stringify(expected[at])}`
  for (const { revision, after } of progress) {
    // An older revision than that of the last event promises nothing new: etcd 3.5 sends such ones.
    const next = expected[after]
    if (next !== undefined && next.revision <= revision)
      return `from ${from}: progress ${revision} after ${after} commits, before ${next.revision}`
  }
  return undefined
}
