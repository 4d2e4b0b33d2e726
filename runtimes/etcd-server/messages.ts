/** The messages of etcd's API: names and numbers of fields as in rpc.proto, kv.proto and auth.proto of etcd 3.5. */
import type { KeyState } from '../stores/history.ts'
import * as read from './decoding.ts'
import { bool, bytes, type Encoder, encoded, fields, int, key, nested, repeated, response, string } from './encoding.ts'

// ── Requests ─────────────────────────────────────────────────────────────────────────────────────

export type RangeRequest = read.Decoded<typeof rangeRequest>
export const rangeRequest = read.request({
  key: read.key(1),
  rangeEnd: read.key(2),
  limit: read.int(3),
  revision: read.int(4),
  sortOrder: read.int(5),
  sortTarget: read.int(6),
  keysOnly: read.bool(8),
  countOnly: read.bool(9),
  minModRevision: read.int(10),
  maxModRevision: read.int(11),
  minCreateRevision: read.int(12),
  maxCreateRevision: read.int(13),
})

export type PutRequest = read.Decoded<typeof putRequest>
export const putRequest = read.request({
  key: read.key(1),
  value: read.bytes(2),
  lease: read.int64(3),
  prevKv: read.bool(4),
  ignoreValue: read.bool(5),
  ignoreLease: read.bool(6),
})

export type DeleteRangeRequest = read.Decoded<typeof deleteRangeRequest>
export const deleteRangeRequest = read.request({ key: read.key(1), rangeEnd: read.key(2), prevKv: read.bool(3) })

export type Compare = read.Decoded<typeof compare>
const compare = read.request({
  result: read.int(1),
  target: read.int(2),
  key: read.key(3),
  version: read.int(4),
  createRevision: read.int(5),
  modRevision: read.int(6),
  value: read.bytes(7),
  lease: read.int64(8),
  rangeEnd: read.key(64),
})

/** At most one is there. */
export interface RequestOp {
  readonly range: RangeRequest | undefined
  readonly put: PutRequest | undefined
  readonly deleteRange: DeleteRangeRequest | undefined
  readonly txn: TxnRequest | undefined
}
const requestOp: read.Decoder<RequestOp> = read.request({
  range: read.nested(1, () => rangeRequest),
  put: read.nested(2, () => putRequest),
  deleteRange: read.nested(3, () => deleteRangeRequest),
  txn: read.nested(4, (): read.Decoder<TxnRequest> => txnRequest),
})

export interface TxnRequest {
  readonly compare: readonly Compare[]
  readonly success: readonly RequestOp[]
  readonly failure: readonly RequestOp[]
}
const required = <T>(field: read.Field<T | undefined>) => field as read.Field<T>
export const txnRequest: read.Decoder<TxnRequest> = read.request({
  compare: read.repeated(required(read.nested(1, () => compare))),
  success: read.repeated(required(read.nested(2, () => requestOp))),
  failure: read.repeated(required(read.nested(3, () => requestOp))),
})

export const compactionRequest = read.request({ revision: read.int(1), physical: read.bool(2) })
export const hashKvRequest = read.request({ revision: read.int(1) })

export type WatchCreateRequest = read.Decoded<typeof watchCreateRequest>
const watchCreateRequest = read.request({
  key: read.key(1),
  rangeEnd: read.key(2),
  startRevision: read.int(3),
  progressNotify: read.bool(4),
  filters: read.packed(5),
  prevKv: read.bool(6),
  watchId: read.int(7),
  fragment: read.bool(8),
})
const watchCancelRequest = read.request({ watchId: read.int(1) })
export const anyRequest = read.request({})
export const watchRequest = read.request({
  create: read.nested(1, () => watchCreateRequest),
  cancel: read.nested(2, () => watchCancelRequest),
  progress: read.nested(3, () => anyRequest),
})

export const leaseGrantRequest = read.request({ ttl: read.int(1), id: read.int64(2) })
/** Of a revocation and of a renewal. */
export const leaseRequest = read.request({ id: read.int64(1) })
export const leaseTimeToLiveRequest = read.request({ id: read.int64(1), keys: read.bool(2) })
export const alarmRequest = read.request({ action: read.int(1), memberId: read.uint64(2), alarm: read.int(3) })
export const downgradeRequest = read.request({ action: read.int(1), version: read.string(2) })

// ── Responses ────────────────────────────────────────────────────────────────────────────────────

/** IDs of cluster and member, of which all headers have the same. */
export const headerIds = response({ clusterId: int(1), memberId: int(2) })
const header = response({ ids: fields, revision: int(3), raftTerm: int(4) })
const withHeader = { header: nested(1, () => header) }

const ofKeyValue = { key: key(1), createRevision: int(2), modRevision: int(3), version: int(4), value: bytes(5), lease: int(6) }
const noValue = new Uint8Array(0)

/** Field by field: a response may have thousands. */
export const keyValue: Encoder<Partial<KeyState>> = (writer, kv) => {
  ofKeyValue.lease(writer, kv.lease ?? 0n)
  ofKeyValue.value(writer, kv.value ?? noValue)
  ofKeyValue.version(writer, kv.version ?? 0)
  ofKeyValue.modRevision(writer, kv.modRevision ?? 0)
  ofKeyValue.createRevision(writer, kv.createRevision ?? 0)
  ofKeyValue.key(writer, kv.key ?? '')
}

/** 0: put, 1: delete. */
export const event = response({ type: int(1), kv: nested(2, () => keyValue), prevKv: nested(3, () => keyValue) })

export const rangeResponse = response({ ...withHeader, kvs: repeated(nested(2, () => keyValue)), more: bool(3), count: int(4) })
export const putResponse = response({ ...withHeader, prevKv: nested(2, () => keyValue) })
export const deleteRangeResponse = response({ ...withHeader, deleted: int(2), prevKvs: repeated(nested(3, () => keyValue)) })

/** Bytes of a response around its keys and values, and of a key with its value around these: about as many as there are. */
const [responseBytes, keyValueBytes] = [64, 48]

/** About how many bytes a response of Range has. */
export const rangeBytes = ({ kvs = [] }: RangeResponse): number =>
  kvs.reduce((sum, { key = '', value = noValue }) => sum + key.length + value.length + keyValueBytes, responseBytes)

export type Header = Parameters<typeof header>[1]
export type RangeResponse = Parameters<typeof rangeResponse>[1]
export type PutResponse = Parameters<typeof putResponse>[1]
export type DeleteRangeResponse = Parameters<typeof deleteRangeResponse>[1]
export interface TxnResponse {
  readonly header?: Header
  readonly succeeded?: boolean
  readonly responses?: readonly ResponseOp[]
}
export interface ResponseOp {
  readonly range?: RangeResponse
  readonly put?: PutResponse
  readonly deleteRange?: DeleteRangeResponse
  readonly txn?: TxnResponse
}
const responseOp: Encoder<ResponseOp> = response({
  range: nested(1, () => rangeResponse),
  put: nested(2, () => putResponse),
  deleteRange: nested(3, () => deleteRangeResponse),
  txn: nested(4, (): Encoder<TxnResponse> => txnResponse),
})
export const txnResponse: Encoder<TxnResponse> = response({
  ...withHeader,
  succeeded: bool(2),
  responses: repeated(nested(3, () => responseOp)),
})

/** A response of nothing but its header. */
export const headerResponse = response(withHeader)
export const hashResponse = response({ ...withHeader, hash: int(2), compactRevision: int(3), hashRevision: int(4) })
export type SnapshotResponse = Parameters<typeof snapshotResponse>[1]
export const snapshotResponse = response({ ...withHeader, remainingBytes: int(2), blob: bytes(3), version: string(4) })

export type WatchResponse = Parameters<typeof watchResponse>[1]
export const watchResponse = response({
  ...withHeader,
  watchId: int(2),
  created: bool(3),
  canceled: bool(4),
  compactRevision: int(5),
  cancelReason: string(6),
  fragment: bool(7),
  events: repeated(encoded(11)),
})

export const leaseGrantResponse = response({ ...withHeader, id: int(2), ttl: int(3) })
export const leaseKeepAliveResponse = response({ ...withHeader, id: int(2), ttl: int(3) })
export const leaseTimeToLiveResponse = response({ ...withHeader, id: int(2), ttl: int(3), grantedTtl: int(4), keys: repeated(key(5)) })
const leaseStatus = response({ id: int(1) })
export const leaseLeasesResponse = response({ ...withHeader, leases: repeated(nested(2, () => leaseStatus)) })

const member = response({ id: int(1), name: string(2), peerUrls: repeated(string(3)), clientUrls: repeated(string(4)), isLearner: bool(5) })
export const memberListResponse = response({ ...withHeader, members: repeated(nested(2, () => member)) })

const alarmMember = response({ memberId: int(1), alarm: int(2) })
export const alarmResponse = response({ ...withHeader, alarms: repeated(nested(2, () => alarmMember)) })
export const statusResponse = response({
  ...withHeader,
  version: string(2),
  dbSize: int(3),
  leader: int(4),
  raftIndex: int(5),
  raftTerm: int(6),
  raftAppliedIndex: int(7),
  errors: repeated(string(8)),
  dbSizeInUse: int(9),
  isLearner: bool(10),
  storageVersion: string(11),
})
export const authStatusResponse = response({ ...withHeader, enabled: bool(2), authRevision: int(3) })
