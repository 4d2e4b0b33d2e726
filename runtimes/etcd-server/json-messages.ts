/** Messages of etcd's API as JSON (protobuf's JSON mapping, with the names of fields as in rpc.proto): base64, 64-bit numbers as texts. */
import { type BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { DecodeError } from '../../core/schema/decode-error.ts'
import { reading, readRecord } from '../../core/schema/protobuf/records.ts'

const enums: { readonly [type: string]: readonly string[] } = {
  SortOrder: ['NONE', 'ASCEND', 'DESCEND'],
  SortTarget: ['KEY', 'VERSION', 'CREATE', 'MOD', 'VALUE'],
  CompareResult: ['EQUAL', 'GREATER', 'LESS', 'NOT_EQUAL'],
  CompareTarget: ['VERSION', 'CREATE', 'MOD', 'VALUE', 'LEASE'],
  FilterType: ['NOPUT', 'NODELETE'],
  EventType: ['PUT', 'DELETE'],
  AlarmType: ['NONE', 'NOSPACE', 'CORRUPT'],
  AlarmAction: ['GET', 'ACTIVATE', 'DEACTIVATE'],
  DowngradeAction: ['VALIDATE', 'ENABLE', 'CANCEL'],
}

/** Each field: its number, name and type; `*`: repeated. */
const texts = {
  Header: '1 cluster_id uint64, 2 member_id uint64, 3 revision int64, 4 raft_term uint64',
  KeyValue: '1 key bytes, 2 create_revision int64, 3 mod_revision int64, 4 version int64, 5 value bytes, 6 lease int64',
  Range:
    '1 key bytes, 2 range_end bytes, 3 limit int64, 4 revision int64, 5 sort_order SortOrder, 6 sort_target SortTarget, 7 serializable bool, 8 keys_only bool, 9 count_only bool, 10 min_mod_revision int64, 11 max_mod_revision int64, 12 min_create_revision int64, 13 max_create_revision int64',
  RangeResponse: '1 header Header, 2 kvs KeyValue*, 3 more bool, 4 count int64',
  Put: '1 key bytes, 2 value bytes, 3 lease int64, 4 prev_kv bool, 5 ignore_value bool, 6 ignore_lease bool',
  PutResponse: '1 header Header, 2 prev_kv KeyValue',
  DeleteRange: '1 key bytes, 2 range_end bytes, 3 prev_kv bool',
  DeleteRangeResponse: '1 header Header, 2 deleted int64, 3 prev_kvs KeyValue*',
  Compare:
    '1 result CompareResult, 2 target CompareTarget, 3 key bytes, 4 version int64, 5 create_revision int64, 6 mod_revision int64, 7 value bytes, 8 lease int64, 64 range_end bytes',
  RequestOp: '1 request_range Range, 2 request_put Put, 3 request_delete_range DeleteRange, 4 request_txn Txn',
  Txn: '1 compare Compare*, 2 success RequestOp*, 3 failure RequestOp*',
  ResponseOp:
    '1 response_range RangeResponse, 2 response_put PutResponse, 3 response_delete_range DeleteRangeResponse, 4 response_txn TxnResponse',
  TxnResponse: '1 header Header, 2 succeeded bool, 3 responses ResponseOp*',
  Compaction: '1 revision int64, 2 physical bool',
  Plain: '1 header Header',
  WatchCreate:
    '1 key bytes, 2 range_end bytes, 3 start_revision int64, 4 progress_notify bool, 5 filters FilterType*, 6 prev_kv bool, 7 watch_id int64, 8 fragment bool',
  WatchCancel: '1 watch_id int64',
  Empty: '',
  Watch: '1 create_request WatchCreate, 2 cancel_request WatchCancel, 3 progress_request Empty',
  Event: '1 type EventType, 2 kv KeyValue, 3 prev_kv KeyValue',
  WatchResponse:
    '1 header Header, 2 watch_id int64, 3 created bool, 4 canceled bool, 5 compact_revision int64, 6 cancel_reason string, 7 fragment bool, 11 events Event*',
  LeaseGrant: '1 TTL int64, 2 ID int64',
  LeaseGrantResponse: '1 header Header, 2 ID int64, 3 TTL int64, 4 error string',
  Lease: '1 ID int64',
  LeaseKeepAliveResponse: '1 header Header, 2 ID int64, 3 TTL int64',
  LeaseTimeToLive: '1 ID int64, 2 keys bool',
  LeaseTimeToLiveResponse: '1 header Header, 2 ID int64, 3 TTL int64, 4 grantedTTL int64, 5 keys bytes*',
  LeaseLeasesResponse: '1 header Header, 2 leases Lease*',
  Member: '1 ID uint64, 2 name string, 3 peerURLs string*, 4 clientURLs string*, 5 isLearner bool',
  MemberList: '1 linearizable bool',
  MemberListResponse: '1 header Header, 2 members Member*',
  Alarm: '1 action AlarmAction, 2 memberID uint64, 3 alarm AlarmType',
  AlarmMember: '1 memberID uint64, 2 alarm AlarmType',
  AlarmResponse: '1 header Header, 2 alarms AlarmMember*',
  StatusResponse:
    '1 header Header, 2 version string, 3 dbSize int64, 4 leader uint64, 5 raftIndex uint64, 6 raftTerm uint64, 7 raftAppliedIndex uint64, 8 errors string*, 9 dbSizeInUse int64, 10 isLearner bool',
  HashKv: '1 revision int64',
  HashKvResponse: '1 header Header, 2 hash uint32, 3 compact_revision int64',
  SnapshotResponse: '1 header Header, 2 remaining_bytes uint64, 3 blob bytes',
  Downgrade: '1 action DowngradeAction, 2 version string',
  AuthStatusResponse: '1 header Header, 2 enabled bool, 3 authRevision uint64',
} as const

export type MessageName = keyof typeof texts

interface Field {
  readonly number: number
  readonly name: string
  readonly type: string
  readonly isRepeated: boolean
}

const fieldsOf = (text: string): readonly Field[] =>
  text === ''
    ? []
    : text.split(', ').map((field) => {
        const [number, name = '', type = ''] = field.split(' ')
        return { number: Number(number), name, type: type.replace('*', ''), isRepeated: type.endsWith('*') }
      })

const isMessage = (type: string): type is MessageName => Object.hasOwn(texts, type)
const camelCase = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
/** Maximum depth of messages in messages. */
const maxDepth = 100

type Json = { [name: string]: unknown }

/** The messages by name, each with its fields. */
export class JsonMessages {
  readonly #fields = new Map(Object.entries(texts).map(([name, text]) => [name, fieldsOf(text)]))

  /** The bytes of a message. @throws DecodeError when the value does not have its form. */
  encode(name: MessageName, value: unknown, depth = 0): Uint8Array {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new DecodeError(`json: a message is an object`)
    if (depth > maxDepth) throw new DecodeError('json: messages are nested too deeply')
    const fields = this.#fields.get(name) ?? []
    const writer = new BinaryWriter()
    for (const [key, given] of Object.entries(value)) {
      const field = fields.find((each) => each.name === key || camelCase(each.name) === key)
      if (field === undefined) throw new DecodeError(`unknown field "${key}" in etcdserverpb.${name}Request`)
      if (given === null) continue
      if (field.isRepeated && !Array.isArray(given)) throw new DecodeError(`json: ${key} is a list`)
      for (const each of field.isRepeated ? (given as readonly unknown[]) : [given]) this.#write(writer, field, each, depth)
    }
    return writer.finish()
  }

  #write(writer: BinaryWriter, { number, name, type }: Field, value: unknown, depth: number): void {
    const wrong = () => new DecodeError(`json: cannot unmarshal ${JSON.stringify(value)?.slice(0, 100)} into ${name} of type ${type}`)
    if (isMessage(type)) writer.tag(number, WireType.LengthDelimited).bytes(this.encode(type, value, depth + 1))
    else if (type === 'bytes' || type === 'string') {
      if (typeof value !== 'string') throw wrong()
      const bytes = type === 'bytes' ? Buffer.from(value, 'base64') : Buffer.from(value)
      if (type === 'bytes' && !/^[\w+/-]*={0,2}$/.test(value)) throw wrong()
      writer.tag(number, WireType.LengthDelimited).bytes(bytes)
    } else if (type === 'bool') {
      if (typeof value !== 'boolean') throw wrong()
      writer.tag(number, WireType.Varint).bool(value)
    } else {
      const named = enums[type]?.indexOf(String(value)) ?? -1
      const digits = named === -1 ? String(value) : String(named)
      if (!/^-?\d{1,20}$/.test(digits)) throw wrong()
      const integer = BigInt(digits)
      const [least, most] = type === 'uint64' ? [0n, 2n ** 64n - 1n] : [-(2n ** 63n), 2n ** 63n - 1n]
      if (integer < least || integer > most) throw wrong()
      writer.tag(number, WireType.Varint)
      if (type === 'uint64') writer.uint64(integer)
      else writer.int64(integer)
    }
  }

  /** The value of a message's bytes. Fields with their defaults are left out. */
  decode(name: MessageName, bytes: Uint8Array): Json {
    return reading(bytes, (reader) => this.#read(name, reader, bytes.length))
  }

  #read(name: MessageName, reader: BinaryReader, length: number): Json {
    const fields = this.#fields.get(name) ?? []
    const value: Json = {}
    readRecord(reader, length, (number) => {
      const field = fields.find((each) => each.number === number)
      if (field === undefined) return false
      const found = this.#value(field, reader)
      const before = value[field.name]
      if (!field.isRepeated) value[field.name] = found
      else if (Array.isArray(before)) before.push(found)
      else value[field.name] = [found]
      return true
    })
    // In the order of the fields, as Go prints a struct.
    return Object.fromEntries(fields.flatMap((field) => (field.name in value ? [[field.name, value[field.name]]] : [])))
  }

  #value({ type }: Field, reader: BinaryReader): unknown {
    if (isMessage(type)) return this.#read(type, reader, reader.uint32())
    if (type === 'bytes') return Buffer.from(reader.bytes()).toString('base64')
    if (type === 'string') return reader.string()
    if (type === 'bool') return reader.bool()
    if (type === 'uint32') return reader.uint32()
    if (type === 'int64' || type === 'uint64') return String(type === 'int64' ? reader.int64() : reader.uint64())
    const number = reader.int32()
    return enums[type]?.[number] ?? number
  }
}
