import { concatenate } from '../../schema/bytes.ts'
import { recordHead } from '../../schema/json/transcoder.ts'
import type { Json } from '../../schema/model.ts'
import { encodeObject } from '../../schema/protobuf/protobuf.ts'
import type { Encoding } from './encoding.ts'
import { json } from './json.ts'

const encoder = new TextEncoder()
/** Of `type = 1` and `object = 2` of a WatchEvent, and `raw = 1` of its object. */
const [typeTag, objectTag, rawTag] = [0x0a, 0x12, 0x0a]
const lengthSize = 4

/** One frame of a watch: four bytes of length (big-endian), then a WatchEvent {1: type, 2: {1: object with envelope}}. */
function frame(type: string, object: Uint8Array): Uint8Array {
  const name = encoder.encode(type)
  const raw = recordHead(rawTag, object.length)
  const start = [recordHead(typeTag, name.length), name, recordHead(objectTag, raw.length + object.length), raw]
  const bytes = concatenate([new Uint8Array(lengthSize), ...start, object])
  new DataView(bytes.buffer).setUint32(0, bytes.length - lengthSize)
  return bytes
}

export const protobuf: Encoding = {
  mediaTypes: ({ protobufType, protobufTypes }) => [protobufType, ...protobufTypes.filter((type) => type !== protobufType)],
  needsSchema: true,
  hasTables: false,
  // The envelope has an apiVersion, also that of a list without one.
  write: ({ value, schema }, pretty) =>
    schema ? encodeObject(value.apiVersion ?? 'v1', value.kind, schema, value as Json) : json.write({ value, schema }, pretty),
  stream: {
    mediaType: (own) => `${own};stream=watch`,
    responseType: (negotiated) => `${negotiated};stream=watch`,
    frame,
    /** Without the length. */
    message: (type, object) => frame(type, object).subarray(lengthSize),
    isText: false,
  },
}
