/** Writes keys with their values, of which a response may have thousands: in one go, and forwards. */
import { WireType } from '@bufbuild/protobuf/wire'
import { type ProtobufWriter, tagOf } from '../../core/schema/protobuf/writer.ts'

/** A message KeyValue. What is absent has its default. */
export interface WrittenKeyValue {
  readonly key?: string
  readonly createRevision?: number | bigint
  readonly modRevision?: number | bigint
  readonly version?: number | bigint
  readonly value?: Uint8Array
  readonly lease?: number | bigint
}

const noValue = new Uint8Array(0)
const tags = {
  key: tagOf(1, WireType.LengthDelimited),
  createRevision: tagOf(2, WireType.Varint),
  modRevision: tagOf(3, WireType.Varint),
  version: tagOf(4, WireType.Varint),
  value: tagOf(5, WireType.LengthDelimited),
  lease: tagOf(6, WireType.Varint),
} as const

export function writeKeyValue(writer: ProtobufWriter, kv: WrittenKeyValue): void {
  const { key = '', createRevision = 0, modRevision = 0, version = 0, value = noValue, lease = 0n } = kv
  if (lease !== 0n && lease !== 0) {
    writer.int64(lease)
    writer.uint32(tags.lease)
  }
  const [created, modified, changes] = [Number(createRevision), Number(modRevision), Number(version)]
  const { length } = key
  const numbers = sizeOf(created) + sizeOf(modified) + sizeOf(changes)
  const bytes = writer.space(sizeOf(length) + length + numbers + sizeOf(value.length) + value.length)
  let at = writeNumber(bytes, writer.place, tags.key, length)
  for (let i = 0; i < length; i++) bytes[at + i] = key.charCodeAt(i)
  at = writeNumber(bytes, at + length, tags.createRevision, created)
  at = writeNumber(bytes, at, tags.modRevision, modified)
  at = writeNumber(bytes, at, tags.version, changes)
  at = writeNumber(bytes, at, tags.value, value.length)
  bytes.set(value, at)
}

/** Bytes of a field with this number; 0 is not written. */
function sizeOf(value: number): number {
  if (value < 0x80) return value === 0 ? 0 : 2
  if (value < 0x4000) return 3
  let size = 4
  for (let rest = value; rest >= 0x20_0000; rest /= 0x80) size++
  return size
}

/** Writes a field with a number from 0 to 2^53, whose tag has one byte. Returns the offset after it. */
function writeNumber(bytes: Uint8Array, start: number, tag: number, value: number): number {
  if (value === 0) return start
  let at = start
  bytes[at++] = tag
  let rest = value
  for (; rest > 0x7fff_ffff; rest = Math.floor(rest / 0x80)) bytes[at++] = (rest % 0x80) | 0x80
  for (; rest >= 0x80; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80
  bytes[at++] = rest
  return at
}
