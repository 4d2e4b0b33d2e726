/** The other end of core/outgoing/websocket/frames.ts (RFC 6455 5.2): frames of a server are read, and those of a client made. */

import { frame } from '../../core/outgoing/websocket/frames.ts'
import { concatenate } from '../../core/schema/bytes.ts'

export interface ServerFrame {
  readonly opcode: number
  readonly payload: Uint8Array<ArrayBuffer>
}

/** Collects the frames of a server, which are not masked, and are whole messages. */
export class ServerFrames {
  #held: Uint8Array<ArrayBuffer> = new Uint8Array(0);

  *push(bytes: Uint8Array<ArrayBuffer>): Generator<ServerFrame> {
    let left = this.#held.length === 0 ? bytes : concatenate([this.#held, bytes])
    for (let found = firstOf(left); found !== undefined; found = firstOf(left)) {
      yield found
      left = left.subarray(found.end)
    }
    this.#held = left.slice()
  }
}

/** The first frame, and where it ends; undefined: it is not complete. */
function firstOf(bytes: Uint8Array<ArrayBuffer>): (ServerFrame & { readonly end: number }) | undefined {
  if (bytes.length < 2) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const short = view.getUint8(1) & 0x7f
  const head = short === 127 ? 10 : short === 126 ? 4 : 2
  if (bytes.length < head) return undefined
  const size = short === 127 ? Number(view.getBigUint64(2)) : short === 126 ? view.getUint16(2) : short
  const end = head + size
  return bytes.length < end ? undefined : { opcode: view.getUint8(0) & 0x0f, payload: bytes.subarray(head, end), end }
}

/** A frame of a client. Its mask is zero, which changes nothing: the frame never leaves the process. */
export function maskedFrame(opcode: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = frame(opcode, payload)
  const head = bytes.length - payload.length
  const masked = new Uint8Array(bytes.length + 4)
  masked.set(bytes.subarray(0, head))
  masked[1] = (masked[1] as number) | 0x80
  masked.set(payload, head + 4)
  return masked
}
