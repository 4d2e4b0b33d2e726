/** The messages of etcd's API: names and numbers of fields as in rpc.proto, kv.proto and auth.proto of etcd 3.5. */
import { bool, bytes, encoded, enumeration, inlined, int, int64, key, nested, packed, repeated, string, uint32, uint64 } from './fields.ts'
import { writeKeyValue } from './key-value.ts'
import { type Decoded, type Encoded, type Message, message } from './message.ts'

// ── Requests ─────────────────────────────────────────────────────────────────────────────────────

export type RangeRequest = Decoded<typeof rangeRequest>
export const rangeRequest = message('RangeRequest', {
  key: key(1),
  rangeEnd: key(2),
  limit: int(3),
  revision: int(4),
  sortOrder: enumeration(5, ['NONE', 'ASCEND', 'DESCEND']),
  sortTarget: enumeration(6, ['KEY', 'VERSION', 'CREATE', 'MOD', 'VALUE']),
  serializable: bool(7),
  keysOnly: bool(8),
  countOnly: bool(9),
  minModRevision: int(10),
  maxModRevision: int(11),
  minCreateRevision: int(12),
  maxCreateRevision: int(13),
})

export type PutRequest = Decoded<typeof putRequest>
export const putRequest = message('PutRequest', {
  key: key(1),
  value: bytes(2),
  lease: int64(3),
  prevKv: bool(4),
  ignoreValue: bool(5),
  ignoreLease: bool(6),
})

export type DeleteRangeRequest = Decoded<typeof deleteRangeRequest>
export const deleteRangeRequest = message('DeleteRangeRequest', { key: key(1), rangeEnd: key(2), prevKv: bool(3) })

export type Compare = Decoded<typeof compare>
const compare = message('Compare', {
  result: enumeration(1, ['EQUAL', 'GREATER', 'LESS', 'NOT_EQUAL']),
  target: enumeration(2, ['VERSION', 'CREATE', 'MOD', 'VALUE', 'LEASE']),
  key: key(3),
  version: int(4),
  createRevision: int(5),
  modRevision: int(6),
  value: bytes(7),
  lease: int64(8),
  rangeEnd: key(64),
})

/** At most one is there. */
export interface RequestOp {
  readonly range: RangeRequest | undefined
  readonly put: PutRequest | undefined
  readonly deleteRange: DeleteRangeRequest | undefined
  readonly txn: TxnRequest | undefined
}
const requestOp: Message<RequestOp, never> = message('RequestOp', {
  range: nested(1, () => rangeRequest, 'request_range'),
  put: nested(2, () => putRequest, 'request_put'),
  deleteRange: nested(3, () => deleteRangeRequest, 'request_delete_range'),
  txn: nested(4, (): Message<TxnRequest, never> => txnRequest, 'request_txn'),
})

export interface TxnRequest {
  readonly compare: readonly Compare[]
  readonly success: readonly RequestOp[]
  readonly failure: readonly RequestOp[]
}
export const txnRequest: Message<TxnRequest, never> = message('TxnRequest', {
  compare: repeated(nested(1, () => compare)),
  success: repeated(nested(2, () => requestOp)),
  failure: repeated(nested(3, () => requestOp)),
})

export const compactionRequest = message('CompactionRequest', { revision: int(1), physical: bool(2) })
export const hashKvRequest = message('HashKVRequest', { revision: int(1) })

export type WatchCreateRequest = Decoded<typeof watchCreateRequest>
const watchCreateRequest = message('WatchCreateRequest', {
  key: key(1),
  rangeEnd: key(2),
  startRevision: int(3),
  progressNotify: bool(4),
  filters: packed(5, ['NOPUT', 'NODELETE']),
  prevKv: bool(6),
  watchId: int(7),
  fragment: bool(8),
})
const watchCancelRequest = message('WatchCancelRequest', { watchId: int(1) })
/** A request without fields, or with some that do not matter. */
export const emptyRequest = message('Request', {})
export const watchRequest = message('WatchRequest', {
  create: nested(1, () => watchCreateRequest, 'create_request'),
  cancel: nested(2, () => watchCancelRequest, 'cancel_request'),
  progress: nested(3, () => emptyRequest, 'progress_request'),
})

export const leaseGrantRequest = message('LeaseGrantRequest', { ttl: int(1, 'TTL'), id: int64(2, 'ID') })
/** Of a revocation and of a renewal. */
export const leaseRequest = message('LeaseRequest', { id: int64(1, 'ID') })
export const leaseTimeToLiveRequest = message('LeaseTimeToLiveRequest', { id: int64(1, 'ID'), keys: bool(2) })
/** Of a removal, an update and a promotion. */
export const memberRequest = message('MemberRequest', { id: uint64(1, 'ID') })
export const memberListRequest = message('MemberListRequest', { linearizable: bool(1) })
const alarmTypes = ['NONE', 'NOSPACE', 'CORRUPT']
export const alarmRequest = message('AlarmRequest', {
  action: enumeration(1, ['GET', 'ACTIVATE', 'DEACTIVATE']),
  memberId: uint64(2, 'memberID'),
  alarm: enumeration(3, alarmTypes),
})
export const downgradeRequest = message('DowngradeRequest', {
  action: enumeration(1, ['VALIDATE', 'ENABLE', 'CANCEL']),
  version: string(2),
})

// ── Responses ────────────────────────────────────────────────────────────────────────────────────

/** IDs of cluster and member, of which all headers have the same. */
export const headerIds = message('ResponseHeader', { clusterId: uint64(1), memberId: uint64(2) })
const header = message('ResponseHeader', { ids: inlined(headerIds), revision: int(3), raftTerm: uint64(4) })
const withHeader = { header: nested(1, () => header) }

const ofKeyValue = { key: key(1), createRevision: int(2), modRevision: int(3), version: int(4), value: bytes(5), lease: int64(6) }
const noValue = new Uint8Array(0)

/** Written without its table: a response may have thousands. */
export const keyValue = message('KeyValue', ofKeyValue, writeKeyValue)

export const event = message('Event', {
  type: enumeration(1, ['PUT', 'DELETE']),
  kv: nested(2, () => keyValue),
  prevKv: nested(3, () => keyValue),
})

export const rangeResponse = message('RangeResponse', {
  ...withHeader,
  kvs: repeated(nested(2, () => keyValue)),
  more: bool(3),
  count: int(4),
})
export const putResponse = message('PutResponse', { ...withHeader, prevKv: nested(2, () => keyValue) })
export const deleteRangeResponse = message('DeleteRangeResponse', {
  ...withHeader,
  deleted: int(2),
  prevKvs: repeated(nested(3, () => keyValue)),
})

/** Bytes of a response around its keys and values, and of a key with its value around these: about as many as there are. */
const [responseBytes, keyValueBytes] = [64, 48]

/** About how many bytes a response of Range has. */
export const rangeBytes = ({ kvs = [] }: RangeResponse): number =>
  kvs.reduce((sum, { key = '', value = noValue }) => sum + key.length + value.length + keyValueBytes, responseBytes)

export type Header = Encoded<typeof header>
export type RangeResponse = Encoded<typeof rangeResponse>
export type PutResponse = Encoded<typeof putResponse>
export type DeleteRangeResponse = Encoded<typeof deleteRangeResponse>
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
const responseOp: Message<unknown, ResponseOp> = message('ResponseOp', {
  range: nested(1, () => rangeResponse, 'response_range'),
  put: nested(2, () => putResponse, 'response_put'),
  deleteRange: nested(3, () => deleteRangeResponse, 'response_delete_range'),
  txn: nested(4, (): Message<unknown, TxnResponse> => txnResponse, 'response_txn'),
})
export const txnResponse: Message<unknown, TxnResponse> = message('TxnResponse', {
  ...withHeader,
  succeeded: bool(2),
  responses: repeated(nested(3, () => responseOp)),
})

/** A response of nothing but its header. */
export const headerResponse = message('Response', withHeader)
export const hashResponse = message('HashKVResponse', { ...withHeader, hash: uint32(2), compactRevision: int(3) })
export type SnapshotResponse = Encoded<typeof snapshotResponse>
export const snapshotResponse = message('SnapshotResponse', { ...withHeader, remainingBytes: uint64(2), blob: bytes(3) })

export type WatchResponse = Encoded<typeof watchResponse>
export const watchResponse = message('WatchResponse', {
  ...withHeader,
  watchId: int(2),
  created: bool(3),
  canceled: bool(4),
  compactRevision: int(5),
  cancelReason: string(6),
  fragment: bool(7),
  events: repeated(encoded(11, () => event)),
})

const ofLease = { ...withHeader, id: int64(2, 'ID'), ttl: int(3, 'TTL') }
export const leaseGrantResponse = message('LeaseGrantResponse', ofLease)
export const leaseKeepAliveResponse = message('LeaseKeepAliveResponse', ofLease)
export const leaseTimeToLiveResponse = message('LeaseTimeToLiveResponse', {
  ...ofLease,
  grantedTtl: int(4, 'grantedTTL'),
  keys: repeated(key(5)),
})
const leaseStatus = message('LeaseStatus', { id: int64(1, 'ID') })
export const leaseLeasesResponse = message('LeaseLeasesResponse', { ...withHeader, leases: repeated(nested(2, () => leaseStatus)) })

const member = message('Member', {
  id: uint64(1, 'ID'),
  name: string(2),
  peerUrls: repeated(string(3, 'peerURLs')),
  clientUrls: repeated(string(4, 'clientURLs')),
  isLearner: bool(5, 'isLearner'),
})
export const memberListResponse = message('MemberListResponse', { ...withHeader, members: repeated(nested(2, () => member)) })

const alarmMember = message('AlarmMember', { memberId: uint64(1, 'memberID'), alarm: enumeration(2, alarmTypes) })
export const alarmResponse = message('AlarmResponse', { ...withHeader, alarms: repeated(nested(2, () => alarmMember)) })
export const statusResponse = message('StatusResponse', {
  ...withHeader,
  version: string(2),
  dbSize: int(3, 'dbSize'),
  leader: uint64(4),
  raftIndex: uint64(5, 'raftIndex'),
  raftTerm: uint64(6, 'raftTerm'),
  raftAppliedIndex: uint64(7, 'raftAppliedIndex'),
  errors: repeated(string(8)),
  dbSizeInUse: int(9, 'dbSizeInUse'),
  isLearner: bool(10, 'isLearner'),
})
export const authStatusResponse = message('AuthStatusResponse', {
  ...withHeader,
  enabled: bool(2),
  authRevision: uint64(3, 'authRevision'),
})
