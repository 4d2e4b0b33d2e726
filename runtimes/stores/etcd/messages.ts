/**
 * Hand-written codecs for the messages of frequent calls and of those that a start makes; etcd3's generated ones take several times as long. Names
 * and numbers of fields are those of etcd's rpc.proto and kv.proto; only fields that the store uses are present.
 */
import { type BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import type { Guard, KeyValue, StoreEvent } from '../../../core/ports.ts'
import { DecodeError } from '../../../core/schema/decode-error.ts'
import { reading, readNumber, readRecord } from '../../../core/schema/protobuf/records.ts'
import { ProtobufWriter, tagOf } from '../../../core/schema/protobuf/writer.ts'

export interface RangeRequest {
  readonly key: Uint8Array
  /** Exclusive end; absent: only `key`. */
  readonly rangeEnd?: Uint8Array
  /** 0 or absent: all. */
  readonly limit?: number
  /** 0 or absent: the newest. */
  readonly revision?: number
  readonly countOnly?: boolean
}

export interface ResponseHeader {
  readonly clusterId: bigint
  readonly revision: number
}

export interface RangeResponse {
  readonly header: ResponseHeader
  readonly kvs: readonly KeyValue[]
  /** True when `limit` cut the list. */
  readonly more: boolean
  /** Number of keys in the range, whatever the limit. */
  readonly count: number
}

export interface WatchRequest {
  readonly key: Uint8Array
  /** Exclusive end; absent: only `key`. */
  readonly rangeEnd?: Uint8Array
  readonly startRevision: number
  /** Events have what they replaced. */
  readonly prevKv: boolean
}

/** Response of a compare-and-swap. */
export interface TxnResponse {
  readonly header: ResponseHeader
  readonly succeeded: boolean
  /** After a failed comparison the stored key; undefined: it does not exist. */
  readonly current: KeyValue | undefined
}

export interface WatchResponse {
  readonly events: readonly StoreEvent[]
  /** The next message continues the same revision. */
  readonly fragment: boolean
  readonly canceled: boolean
  readonly cancelReason: string
  /** Set when the watch was cancelled because its revision is compacted: the oldest available revision; otherwise 0. */
  readonly compactRevision: number
}

const varint = (field: number) => tagOf(field, WireType.Varint)
const record = (field: number) => tagOf(field, WireType.LengthDelimited)

/** Upper bound in bytes of tags, lengths and numbers of a request. */
const overhead = 96
const targetModRevision = 2
const typeDelete = 1
const empty = new Uint8Array(0)

function writeNumber(writer: ProtobufWriter, field: number, value: number | bigint): void {
  writer.int64(value)
  writer.uint32(varint(field))
}

function writeBytes(writer: ProtobufWriter, field: number, bytes: Uint8Array): void {
  writer.bytes(bytes)
  writer.uint32(record(field))
}

function writeMessage(writer: ProtobufWriter, field: number, write: () => void): void {
  writer.nested(write)
  writer.uint32(record(field))
}

function writeRange(writer: ProtobufWriter, { key, rangeEnd, limit = 0, revision = 0, countOnly = false }: RangeRequest): void {
  if (countOnly) writeNumber(writer, 9, 1)
  if (revision !== 0) writeNumber(writer, 4, revision)
  if (limit !== 0) writeNumber(writer, 3, limit)
  if (rangeEnd) writeBytes(writer, 2, rangeEnd)
  writeBytes(writer, 1, key)
}

/** A transaction that runs `success` if the key's modification revision is `expected` (0: absent), and otherwise reads the key. */
function compareAndSwap(
  key: Uint8Array,
  expected: number,
  size: number,
  success: (writer: ProtobufWriter) => void,
  guards: readonly Guard[] = [],
): Uint8Array {
  const others = guards.map(({ key: other, revision }) => [Buffer.from(other), revision] as const)
  const more = others.reduce((sum, [other]) => sum + other.length + overhead, 0)
  const writer = new ProtobufWriter(size + 2 * key.length + overhead + more)
  writeMessage(writer, 3, () => writeMessage(writer, 1, () => writeRange(writer, { key })))
  writeMessage(writer, 2, () => success(writer))
  for (const [other, revision] of others) writeCompare(writer, other, revision)
  writeCompare(writer, key, expected)
  return writer.view()
}

function writeCompare(writer: ProtobufWriter, key: Uint8Array, revision: number): void {
  writeMessage(writer, 1, () => {
    writeNumber(writer, 6, revision)
    writeBytes(writer, 3, key)
    writeNumber(writer, 2, targetModRevision)
  })
}

/** A transaction that stores when the key's modification revision is `expected`, and the guards have theirs. */
export function putRequest(key: string, value: Uint8Array, expected: number, lease: bigint, guards: readonly Guard[] = []): Uint8Array {
  const name = Buffer.from(key)
  return compareAndSwap(
    name,
    expected,
    name.length + value.length,
    (writer) =>
      writeMessage(writer, 2, () => {
        if (lease !== 0n) writeNumber(writer, 3, lease)
        writeBytes(writer, 2, value)
        writeBytes(writer, 1, name)
      }),
    guards,
  )
}

/** A transaction that deletes when the key's modification revision is `expected`. */
export function deleteRequest(key: string, expected: number): Uint8Array {
  const name = Buffer.from(key)
  return compareAndSwap(name, expected, name.length, (writer) => writeMessage(writer, 3, () => writeBytes(writer, 1, name)))
}

export function rangeRequest(request: RangeRequest): Uint8Array {
  const writer = new ProtobufWriter(request.key.length + (request.rangeEnd?.length ?? 0) + overhead)
  writeRange(writer, request)
  return writer.view()
}

/** A watch whose large responses are cut into fragments. */
export function watchRequest({ key, rangeEnd, startRevision, prevKv }: WatchRequest): Uint8Array {
  const writer = new ProtobufWriter(key.length + (rangeEnd?.length ?? 0) + overhead)
  writeMessage(writer, 1, () => {
    writeNumber(writer, 8, 1)
    if (prevKv) writeNumber(writer, 6, 1)
    writeNumber(writer, 3, startRevision)
    if (rangeEnd) writeBytes(writer, 2, rangeEnd)
    writeBytes(writer, 1, key)
  })
  return writer.view()
}

/** A lease of so many seconds, with an id that the server chooses. */
export function leaseGrantRequest(seconds: number): Uint8Array {
  const writer = new ProtobufWriter(overhead)
  writeNumber(writer, 1, seconds)
  return writer.view()
}

/** Calls `field` for each tag. It returns false for unknown fields, which are skipped. */
function readFields(reader: BinaryReader, length: number, field: (tag: number) => boolean): void {
  readRecord(reader, length, (number, wire) => field(tagOf(number, wire)))
}

/** Reads the one field of a message that the store uses. */
function readField<T>(reader: BinaryReader, wanted: number, read: (reader: BinaryReader) => T): T | undefined {
  let value: T | undefined
  readFields(reader, reader.uint32(), (tag) => {
    if (tag !== wanted) return false
    value = read(reader)
    return true
  })
  return value
}

function readHeader(reader: BinaryReader): ResponseHeader {
  let clusterId = 0n
  let revision = 0
  readFields(reader, reader.uint32(), (tag) => {
    if (tag === varint(1)) clusterId = BigInt(reader.uint64())
    else if (tag === varint(3)) revision = readNumber(reader)
    else return false
    return true
  })
  return { clusterId, revision }
}

/** The value is a view of the message. */
function readKeyValue(reader: BinaryReader): KeyValue {
  let key = ''
  let value: Uint8Array = empty
  let createRevision = 0
  let modRevision = 0
  readFields(reader, reader.uint32(), (tag) => {
    if (tag === record(1)) key = reader.string()
    else if (tag === varint(2)) createRevision = readNumber(reader)
    else if (tag === varint(3)) modRevision = readNumber(reader)
    else if (tag === record(5)) value = reader.bytes()
    else return false
    return true
  })
  return { key, value, createRevision, modRevision }
}

function readEvent(reader: BinaryReader): StoreEvent {
  let type = 0
  let kv: KeyValue | undefined
  let previous: KeyValue | undefined
  readFields(reader, reader.uint32(), (tag) => {
    if (tag === varint(1)) type = reader.int32()
    else if (tag === record(2)) kv = readKeyValue(reader)
    else if (tag === record(3)) previous = readKeyValue(reader)
    else return false
    return true
  })
  if (kv === undefined) throw new DecodeError('an event has no key')
  const { key, modRevision: revision } = kv
  const replaced = previous && { previous }
  return type === typeDelete ? { type: 'delete', key, revision, ...replaced } : { type: 'put', kv, ...replaced }
}

function readMessage(message: Uint8Array, field: (reader: BinaryReader, tag: number) => boolean): void {
  reading(message, (reader) => readFields(reader, message.length, (tag) => field(reader, tag)))
}

/** Requires the header: without its revision the store would seem to have gone back to its beginning. */
function required(header: ResponseHeader | undefined): ResponseHeader {
  if (header === undefined) throw new DecodeError('there is no header')
  return header
}

/** @throws DecodeError when the message is malformed. */
export function rangeResponse(message: Uint8Array): RangeResponse {
  let header: ResponseHeader | undefined
  const kvs: KeyValue[] = []
  let more = false
  let count = 0
  readMessage(message, (reader, tag) => {
    if (tag === record(1)) header = readHeader(reader)
    else if (tag === record(2)) kvs.push(readKeyValue(reader))
    else if (tag === varint(3)) more = reader.bool()
    else if (tag === varint(4)) count = readNumber(reader)
    else return false
    return true
  })
  return { header: required(header), kvs, more, count }
}

/** @throws DecodeError when the message is malformed. */
export function txnResponse(message: Uint8Array): TxnResponse {
  let header: ResponseHeader | undefined
  let succeeded = false
  let current: KeyValue | undefined
  readMessage(message, (reader, tag) => {
    if (tag === record(1)) header = readHeader(reader)
    else if (tag === varint(2)) succeeded = reader.bool()
    else if (tag === record(3)) current = readField(reader, record(1), () => readField(reader, record(2), readKeyValue))
    else return false
    return true
  })
  return { header: required(header), succeeded, current }
}

/** The id of a granted lease. @throws DecodeError when the message is malformed. */
export function leaseGrantResponse(message: Uint8Array): bigint {
  let id = 0n
  readMessage(message, (reader, tag) => {
    if (tag !== varint(2)) return false
    id = BigInt(reader.int64())
    return true
  })
  // A key with lease 0 would never expire.
  if (id === 0n) throw new DecodeError('a granted lease has no id')
  return id
}

/** A request without fields. */
export const emptyRequest: Uint8Array = empty

/** The size of the database in bytes, from the response of Maintenance.Status. @throws DecodeError when the message is malformed. */
export function statusResponse(message: Uint8Array): number {
  let size = 0
  readMessage(message, (reader, tag) => {
    if (tag !== varint(3)) return false
    size = readNumber(reader)
    return true
  })
  return size
}

/** @throws DecodeError when the message is malformed. */
export function watchResponse(message: Uint8Array): WatchResponse {
  const events: StoreEvent[] = []
  let fragment = false
  let canceled = false
  let cancelReason = ''
  let compactRevision = 0
  readMessage(message, (reader, tag) => {
    if (tag === record(11)) events.push(readEvent(reader))
    else if (tag === varint(4)) canceled = reader.bool()
    else if (tag === varint(5)) compactRevision = readNumber(reader)
    else if (tag === record(6)) cancelReason = reader.string()
    else if (tag === varint(7)) fragment = reader.bool()
    else return false
    return true
  })
  return { events, fragment, canceled, cancelReason, compactRevision }
}
