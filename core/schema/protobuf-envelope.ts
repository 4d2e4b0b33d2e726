/** The frame of protobuf bodies and stored values: a magic number, then a message that says what the bytes inside are. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { DecodeError } from './decode-error.ts'
import { expectWire, reading, readRecord } from './protobuf-decode.ts'

const magic = new Uint8Array([0x6b, 0x38, 0x73, 0])

export interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  readonly raw: Uint8Array
  readonly contentEncoding: string
  readonly contentType: string
}

/** Whether the bytes start as an envelope does. */
export function isEnvelope(bytes: Uint8Array): boolean {
  return bytes.length >= magic.length && magic.every((byte, i) => bytes[i] === byte)
}

const text = (field: number) => (field << 3) | WireType.LengthDelimited

/** Frames the protobuf form of an object. */
export function encodeEnvelope(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const writer = new BinaryWriter().raw(magic)
  writer.uint32(text(1)).fork().uint32(text(1)).string(apiVersion).uint32(text(2)).string(kind).join()
  return writer.uint32(text(2)).bytes(raw).uint32(text(3)).string('').uint32(text(4)).string('').finish()
}

/**
 * What is in a frame; `raw` is a view of the same bytes.
 * @throws DecodeError when the magic number is missing or the frame is malformed.
 */
export function decodeEnvelope(bytes: Uint8Array): Envelope {
  if (!isEnvelope(bytes)) throw new DecodeError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]')
  const envelope = { apiVersion: '', kind: '', raw: new Uint8Array(0) as Uint8Array, contentEncoding: '', contentType: '' }
  const body = bytes.subarray(magic.length)
  reading(body, (reader) =>
    readRecord(reader, body.length, (number, wire) => {
      if (number < 1 || number > 4) return false
      expectWire(wire, WireType.LengthDelimited, ['', 'TypeMeta', 'Raw', 'ContentEncoding', 'ContentType'][number] as string)
      if (number === 2) envelope.raw = reader.bytes()
      else if (number === 3) envelope.contentEncoding = reader.string()
      else if (number === 4) envelope.contentType = reader.string()
      else {
        readRecord(reader, reader.uint32(), (inner, innerWire) => {
          if (inner !== 1 && inner !== 2) return false
          expectWire(innerWire, WireType.LengthDelimited, inner === 1 ? 'APIVersion' : 'Kind')
          envelope[inner === 1 ? 'apiVersion' : 'kind'] = reader.string()
          return true
        })
      }
      return true
    }),
  )
  return envelope
}
