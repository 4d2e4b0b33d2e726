/** Range: reads of keys (executeRange of etcd's server/etcdserver/txn/txn.go). */
import type { History, KeyState } from '../stores/history.ts'
import { refusal } from './errors.ts'
import type { RangeRequest, RangeResponse } from './messages.ts'
import { checkRevision, committed, countOf, type Selected, selected, statesOf, type View } from './views.ts'

const orders = { none: 0, ascend: 1, descend: 2 } as const
const none = new Uint8Array(0)

type Compare = (a: KeyState, b: KeyState) => number

/** By number of the target: key, version, create revision, modification revision, value. */
const targets: readonly Compare[] = [
  (a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)),
  (a, b) => a.version - b.version,
  (a, b) => a.createRevision - b.createRevision,
  (a, b) => a.modRevision - b.modRevision,
  (a, b) => Buffer.compare(a.value, b.value),
]

/** @throws Refusal when a request can't be carried out, whatever is stored. */
export function checkRange({ key, sortOrder, sortTarget }: RangeRequest): void {
  if (key === '') throw refusal('emptyKey')
  if (sortOrder > orders.descend || sortTarget >= targets.length || sortOrder < 0 || sortTarget < 0) throw refusal('invalidSort')
}

/** `view`: what the read sees, unless the request names a revision. @throws Refusal. */
export function range(history: History, view: View, request: RangeRequest): RangeResponse {
  const { revision } = request
  checkRevision(history, view.revision, revision)
  const from = revision > 0 && revision < view.revision ? committed(history, revision) : view
  const header = { revision: view.revision }
  const keys = selected(request)
  if (request.countOnly) return { header, count: countOf(from, keys) }
  const { states, count } = isPlain(request) ? plain(from, keys, request.limit) : chosen(from, keys, request)
  const more = request.limit > 0 && states.length > request.limit
  const kvs = more ? states.slice(0, request.limit) : states
  return { header, kvs: request.keysOnly ? kvs.map(withoutValue) : kvs, more, count }
}

interface Found {
  readonly states: readonly KeyState[]
  /** Of the range, whatever the limit and the bounds of revisions. */
  readonly count: number
}

/** Whether the keys are wanted as they are stored, so that a limit needs no others. */
const isPlain = (request: RangeRequest) =>
  request.sortOrder === orders.none &&
  request.sortTarget === 0 &&
  request.minModRevision === 0 &&
  request.maxModRevision === 0 &&
  request.minCreateRevision === 0 &&
  request.maxCreateRevision === 0

function plain(view: View, keys: Selected, limit: number): Found {
  if (limit <= 0) {
    const states = statesOf(view, keys)
    return { states, count: states.length }
  }
  // One more tells whether there are more.
  const states = statesOf(view, keys, limit + 1)
  return { states, count: states.length <= limit ? states.length : countOf(view, keys) }
}

function chosen(view: View, keys: Selected, request: RangeRequest): Found {
  const { minModRevision, maxModRevision, minCreateRevision, maxCreateRevision, sortOrder, sortTarget } = request
  const all = statesOf(view, keys)
  const within = all.filter(
    ({ modRevision, createRevision }) =>
      (maxModRevision === 0 || modRevision <= maxModRevision) &&
      (minModRevision === 0 || modRevision >= minModRevision) &&
      (maxCreateRevision === 0 || createRevision <= maxCreateRevision) &&
      (minCreateRevision === 0 || createRevision >= minCreateRevision),
  )
  const compare = targets[sortTarget] as Compare
  const sorted = sortOrder === orders.descend ? within.sort((a, b) => compare(b, a)) : within.sort(compare)
  return { states: sorted, count: all.length }
}

/** Does not read a value that is on disk. */
const withoutValue = ({ key, createRevision, modRevision, version, lease }: KeyState): KeyState => ({
  key,
  createRevision,
  modRevision,
  version,
  lease,
  value: none,
})
