/** How the events of a watch are separated. */

import { frame, opcodes } from '../../outgoing/websocket/frames.ts'
import { isWebSocket } from '../../outgoing/websocket/handshake.ts'
import { concatenate } from '../../schema/bytes.ts'
import { encodeEvent } from '../../schema/cbor/encode.ts'
import { recordHead } from '../../schema/json/transcoder.ts'

const encoder = new TextEncoder()
const end = encoder.encode('}\n')
const starts = new Map(
  ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'].map((type) => [type, encoder.encode(`{"type":"${type}","object":`)] as const),
)

/** One line of a JSON watch: `{"type":…,"object":…}`. */
function jsonFrame(type: string, object: Uint8Array): Uint8Array {
  const start = starts.get(type)!
  const frame = new Uint8Array(start.length + object.length + end.length)
  frame.set(start)
  frame.set(object, start.length)
  frame.set(end, start.length + object.length)
  return frame
}

/** Of `type = 1` and `object = 2` of a WatchEvent, and `raw = 1` of its object. */
const [typeTag, objectTag, rawTag] = [0x0a, 0x12, 0x0a]
const lengthSize = 4
/** The WatchEvent of a frame. */
const withoutLength = (frame: Uint8Array) => frame.subarray(lengthSize)

/** One frame of a protobuf watch: four bytes of length (big-endian), then a WatchEvent {1: type, 2: {1: object with envelope}}. */
function protobufFrame(type: string, object: Uint8Array): Uint8Array {
  const name = encoder.encode(type)
  const raw = recordHead(rawTag, object.length)
  const start = [recordHead(typeTag, name.length), name, recordHead(objectTag, raw.length + object.length), raw]
  const frame = concatenate([new Uint8Array(lengthSize), ...start, object])
  new DataView(frame.buffer).setUint32(0, frame.length - lengthSize)
  return frame
}

export interface Framing {
  /** Part of the cache keys of frames. */
  readonly name: string
  readonly json: (type: string, object: Uint8Array) => Uint8Array
  readonly protobuf: (type: string, object: Uint8Array) => Uint8Array
  readonly cbor: (type: string, object: Uint8Array) => Uint8Array
}

/** In the body of a response: JSON in lines, protobuf after its length, CBOR as a sequence (RFC 8742). */
const inBody: Framing = { name: '', json: jsonFrame, protobuf: protobufFrame, cbor: encodeEvent }

/** Each in a message of a WebSocket. A server's frames have no mask, so that all watches share them. */
const inMessages: Framing = {
  name: '/message',
  json: (type, object) => frame(opcodes.text, jsonFrame(type, object)),
  protobuf: (type, object) => frame(opcodes.binary, withoutLength(protobufFrame(type, object))),
  cbor: (type, object) => frame(opcodes.binary, encodeEvent(type, object)),
}

export const framingOf = (request: Request): Framing => (isWebSocket(request) ? inMessages : inBody)
