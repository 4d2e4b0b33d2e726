/** Put, DeleteRange and Txn (checkTxnRequest of etcd's server/etcdserver/api/v3rpc/key.go, and server/etcdserver/txn/txn.go). */

import { append } from '../../core/common/lists.ts'
import type { Decide } from '../stores/commit.ts'
import type { Draft, Transaction } from '../stores/draft.ts'
import type { History, KeyState } from '../stores/history.ts'
import type { Leases } from '../stores/leases.ts'
import { refusal } from './errors.ts'
import type {
  Compare,
  DeleteRangeRequest,
  DeleteRangeResponse,
  PutRequest,
  PutResponse,
  RequestOp,
  ResponseOp,
  TxnRequest,
  TxnResponse,
} from './messages.ts'
import { checkRange, range } from './range.ts'
import { checkRevision, committed, drafted, selected, statesOf, type View } from './views.ts'

// ── Checks that need no state ────────────────────────────────────────────────────────────────────

export function checkPut({ key, value, lease, ignoreValue, ignoreLease }: PutRequest): void {
  if (key === '') throw refusal('emptyKey')
  if (ignoreValue && value.length > 0) throw refusal('valueProvided')
  if (ignoreLease && lease !== 0n) throw refusal('leaseProvided')
}

export function checkDelete({ key }: DeleteRangeRequest): void {
  if (key === '') throw refusal('emptyKey')
}

/** `maxOps`: of a list; those of a transaction in a list count for both. */
export function checkTxn(request: TxnRequest, maxOps: number): void {
  checkOps(request, maxOps)
  changesOf(request.success)
  changesOf(request.failure)
}

function checkOps({ compare, success, failure }: TxnRequest, maxOps: number): void {
  const count = Math.max(compare.length, success.length, failure.length)
  if (count > maxOps) throw refusal('tooManyOps')
  for (const { key } of compare) if (key === '') throw refusal('emptyKey')
  for (const ops of [success, failure]) for (const op of ops) checkOp(op, maxOps - count)
}

function checkOp({ range, put, deleteRange, txn }: RequestOp, maxOps: number): void {
  if (range) checkRange(range)
  else if (put) checkPut(put)
  else if (deleteRange) checkDelete(deleteRange)
  else if (txn) checkOps(txn, maxOps)
  else throw refusal('keyNotFound')
}

interface Changes {
  readonly puts: ReadonlySet<string>
  readonly deletes: readonly DeleteRangeRequest[]
}

/** As etcd sees it, for which a deletion of all keys from one on overlaps with nothing: a put beside it is executed in its turn. */
const overlaps = ({ key: from, rangeEnd }: DeleteRangeRequest, key: string) =>
  rangeEnd === '' ? key === from : key >= from && key < rangeEnd

/** The keys that a list of operations may change. @throws Refusal when it is seen that a key may be changed twice. */
function changesOf(ops: readonly RequestOp[]): Changes {
  const puts = new Set<string>()
  const deletes = ops.flatMap(({ deleteRange }) => deleteRange ?? [])
  const add = (key: string, isSafe = false) => {
    if ((puts.has(key) && !isSafe) || deletes.some((range) => overlaps(range, key))) throw refusal('duplicateKey')
    puts.add(key)
  }
  for (const { txn } of ops) {
    if (txn === undefined) continue
    const [success, failure] = [changesOf(txn.success), changesOf(txn.failure)]
    for (const key of success.puts) add(key)
    // Only one of both lists is executed.
    for (const key of failure.puts) add(key, success.puts.has(key))
    append(deletes, success.deletes)
    append(deletes, failure.deletes)
  }
  for (const { put } of ops) if (put) add(put.key)
  return { puts, deletes }
}

export const isReadOnly = ({ success, failure }: TxnRequest): boolean =>
  [success, failure].every((ops) => ops.every(({ put, deleteRange, txn }) => !put && !deleteRange && (!txn || isReadOnly(txn))))

// ── Decisions ─────────────────────────────────────────────────────────────────────────────────

/** A transaction with its comparisons made: the operations to execute. */
interface Path {
  readonly succeeded: boolean
  readonly ops: readonly { readonly op: RequestOp; readonly path: Path | undefined }[]
}

/** All comparisons are made before anything is changed. */
function pathOf(view: View, { compare, success, failure }: TxnRequest): Path {
  const succeeded = compare.every((each) => holds(view, each))
  return { succeeded, ops: (succeeded ? success : failure).map((op) => ({ op, path: op.txn && pathOf(view, op.txn) })) }
}

const absent: Omit<KeyState, 'key'> = { createRevision: 0, modRevision: 0, version: 0, lease: 0n, value: new Uint8Array(0) }

const order = <T extends number | bigint>(a: T, b: T) => (a < b ? -1 : Number(a > b))

/** By number of the target: version, create revision, modification revision, value, lease. */
const orders: readonly ((state: Omit<KeyState, 'key'>, compare: Compare) => number)[] = [
  (state, { version }) => order(state.version, version),
  (state, { createRevision }) => order(state.createRevision, createRevision),
  (state, { modRevision }) => order(state.modRevision, modRevision),
  (state, { value }) => Buffer.compare(state.value, value),
  (state, { lease }) => order(state.lease, lease),
]
const valueTarget = 3

/** By number of the result: equal, greater, less, not equal. */
const results: readonly ((order: number) => boolean)[] = [(o) => o === 0, (o) => o > 0, (o) => o < 0, (o) => o !== 0]

function holds(view: View, compare: Compare): boolean {
  const states = statesOf(view, selected(compare))
  const isHeldBy = (state: Omit<KeyState, 'key'>) => {
    const found = orders[compare.target]?.(state, compare) ?? 0
    return results[compare.result]?.(found) ?? true
  }
  // An absent value can't be told from an empty one: neither compares.
  if (states.length === 0) return compare.target !== valueTarget && isHeldBy(absent)
  return states.every(isHeldBy)
}

/** What keeps the operations from being executed, before the first of them is. */
function checkPath(history: History, leases: Leases, view: View, { ops }: Path): void {
  for (const { op, path } of ops) {
    if (op.range) checkRevision(history, view.revision, op.range.revision)
    else if (op.put) {
      checkKey(view, op.put)
      checkLease(leases, op.put)
    } else if (path) checkPath(history, leases, view, path)
  }
}

function checkKey(view: View, { key, ignoreValue, ignoreLease }: PutRequest): void {
  if ((ignoreValue || ignoreLease) && view.state(key) === undefined) throw refusal('keyNotFound')
}

function checkLease(leases: Leases, { lease }: PutRequest): void {
  if (lease !== 0n && !leases.has(lease)) throw refusal('leaseNotFound')
}

function put(view: View, transaction: Transaction, request: PutRequest): PutResponse {
  const { key, prevKv, ignoreValue, ignoreLease } = request
  const before = prevKv || ignoreValue || ignoreLease ? view.state(key) : undefined
  const value = ignoreValue ? (before?.value ?? request.value) : request.value
  transaction.put(key, value, ignoreLease ? (before?.lease ?? 0n) : request.lease)
  return { header: { revision: transaction.revision }, ...(prevKv && before && { prevKv: before }) }
}

function deleteRange(view: View, transaction: Transaction, request: DeleteRangeRequest): DeleteRangeResponse {
  const states = statesOf(view, selected(request))
  for (const { key } of states) transaction.delete(key)
  return { header: { revision: view.revision }, deleted: states.length, ...(request.prevKv && { prevKvs: states }) }
}

/** Executes operations: a transaction in it sees what was changed before. */
function execute(history: History, view: View, transaction: Transaction, { succeeded, ops }: Path): TxnResponse {
  const responses = ops.map(({ op, path }): ResponseOp => {
    if (op.range) return { range: range(history, view, op.range) }
    if (op.put) return { put: put(view, transaction, op.put) }
    if (op.deleteRange) return { deleteRange: deleteRange(view, transaction, op.deleteRange) }
    return { txn: { header: {}, ...(path && execute(history, view, transaction, path)) } }
  })
  return { succeeded, responses }
}

/** The store that a call began with: writes that wait when it is closed are still made. */
export interface Store {
  readonly history: History
  readonly leases: Leases
  readonly commit: <T>(decide: Decide<T>) => Promise<T>
}

/** Resolves when the write is durable. Rejects with a Refusal or a StoreError. */
export function commitPut({ history, leases, commit }: Store, request: PutRequest): Promise<PutResponse> {
  return commit((draft) => {
    const view = drafted(history, draft)
    // Outside of a transaction, in this order.
    checkLease(leases, request)
    checkKey(view, request)
    return put(view, draft.begin(), request)
  })
}

export const commitDelete = ({ history, commit }: Store, request: DeleteRangeRequest): Promise<DeleteRangeResponse> =>
  commit((draft) => deleteRange(drafted(history, draft), draft.begin(), request))

/** A transaction that writes waits for its turn; others read what is committed. */
export function commitTxn({ history, leases, commit }: Store, request: TxnRequest): TxnResponse | Promise<TxnResponse> {
  const decide = (view: View, transaction: () => Transaction): TxnResponse => {
    const path = pathOf(view, request)
    checkPath(history, leases, view, path)
    const done = execute(history, view, transaction(), path)
    return { ...done, header: { revision: view.revision } }
  }
  if (isReadOnly(request)) return decide(committed(history), () => noChanges)
  return commit((draft: Draft) => decide(drafted(history, draft), () => draft.begin()))
}

/** Of a transaction that only reads. */
const noChanges: Transaction = {
  revision: 0,
  put() {},
  delete() {},
}
