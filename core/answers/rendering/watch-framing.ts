/** How the events of a watch are separated. */

import { frame, opcodes } from '../../outgoing/websocket/frames.ts'
import { isWebSocket } from '../../outgoing/websocket/handshake.ts'
import { encodeEvent } from '../../schema/cbor/encode.ts'
import { jsonFrame, protobufFrame, withoutLength } from '../watch-frame.ts'

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
