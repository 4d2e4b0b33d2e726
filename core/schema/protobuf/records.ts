/** Reads small messages of fixed fields with the wire library: envelopes, key-management plugins, egress proxies, etcd. Input is untrusted. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { DecodeError } from '../decode-error.ts'

/** Calls `field` for each field of a length-delimited record; it returns false for unknown fields. */
export function readRecord(reader: BinaryReader, length: number, field: (number: number, wire: WireType) => boolean): void {
  const end = reader.pos + length
  if (end > reader.len) throw new DecodeError('unexpected EOF')
  while (reader.pos < end) {
    const [number, wire] = reader.tag()
    if (!field(number, wire)) skip(reader, wire, number)
  }
  if (reader.pos !== end) throw new DecodeError('proto: a field ends past its message')
}

export function expectWire(wire: WireType, expected: WireType, name: string): void {
  if (wire !== expected) throw new DecodeError(`proto: wrong wireType = ${wire} for field ${name}`)
}

/** Reads a 64-bit number, without BigInt up to 28 bits, which is the usual case. Above 2^53 it is not exact. */
export function readNumber(reader: BinaryReader): number {
  const start = reader.pos
  const low = reader.uint32()
  if (reader.pos - start < 5) return low
  reader.pos = start
  return Number(reader.int64())
}

/** Skips an unknown field; varints are read, because the library's skipping does not bound their length. */
function skip(reader: BinaryReader, wire: WireType, number: number): void {
  if (wire === WireType.Varint) reader.uint64()
  else reader.skip(wire, number)
}

/** Runs a reader; the wire library's errors become DecodeErrors. */
export function reading<T>(bytes: Uint8Array, read: (reader: BinaryReader) => T): T {
  try {
    return read(new BinaryReader(bytes))
  } catch (error) {
    if (error instanceof DecodeError) throw error
    throw new DecodeError(error instanceof RangeError ? 'unexpected EOF' : `proto: ${(error as Error).message}`)
  }
}
