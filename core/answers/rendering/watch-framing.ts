/** How the events of a watch are separated. */

import { frame, opcodes } from '../../outgoing/websocket/frames.ts'
import { isWebSocket } from '../../outgoing/websocket/handshake.ts'
import type { StreamEncoding } from '../encodings/encoding.ts'

export interface Framing {
  /** Part of the cache keys of frames. */
  readonly name: string
  /** Makes the bytes of an event. */
  framer(stream: StreamEncoding): StreamEncoding['frame']
}

/** In the body of a response. */
const inBody: Framing = { name: '', framer: (stream) => stream.frame }

/** Each in a message of a WebSocket. A server's frames have no mask, so that all watches share them. */
const inMessages: Framing = {
  name: '/message',
  framer(stream) {
    const opcode = stream.isText ? opcodes.text : opcodes.binary
    const message = stream.message ?? stream.frame
    return (type, object) => frame(opcode, message(type, object))
  },
}

export const framingOf = (request: Request): Framing => (isWebSocket(request) ? inMessages : inBody)
