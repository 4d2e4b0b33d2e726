/** Envelope of protobuf bodies and stored values: a magic number, then a message with type information and the encoded object. */
import { WireType } from '@bufbuild/protobuf/wire'
import { DecodeError } from '../decode-error.ts'
import type { Json, Message } from '../model.ts'
import { encodeProtobuf } from './encode.ts'
import { expectWire, reading, readRecord } from './records.ts'
import { ProtobufWriter, tagOf } from './writer.ts'

/** Bytes that an envelope usually takes besides its object. */
const roomAround = 128
const magic = new Uint8Array([0x6b, 0x38, 0x73, 0])

export interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  readonly raw: Uint8Array
  readonly contentEncoding: string
  readonly contentType: string
}

/** Whether the bytes start with the magic number. */
export function isEnvelope(bytes: Uint8Array): boolean {
  return bytes.length >= magic.length && magic.every((byte, i) => bytes[i] === byte)
}

const text = (field: number) => tagOf(field, WireType.LengthDelimited)

/** Wraps an encoded object. */
export function encodeEnvelope(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  // Written backwards, as ProtobufWriter does.
  const writer = new ProtobufWriter(raw.length + roomAround)
  const field = (number: number, value: string) => {
    writer.string(value)
    writer.uint32(text(number))
  }
  const nested = (number: number, content: () => void) => {
    writer.nested(content)
    writer.uint32(text(number))
  }
  field(4, '')
  field(3, '')
  nested(2, () => writer.raw(raw))
  nested(1, () => {
    field(2, kind)
    field(1, apiVersion)
  })
  writer.raw(magic)
  return writer.finish()
}

/** Encodes a canonical object with envelope. */
export const encodeObject = (apiVersion: string, kind: string, schema: Message, value: Json): Uint8Array =>
  encodeEnvelope(apiVersion, kind, encodeProtobuf(schema, value))

/**
 * Decodes an envelope; `raw` is a view of the same bytes.
 * @throws DecodeError when the magic number is missing or the envelope is malformed.
 */
export function decodeEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new DecodeError('empty data')
  if (!isEnvelope(bytes)) throw new DecodeError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]')
  if (bytes.length === magic.length) throw new DecodeError('empty body')
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
