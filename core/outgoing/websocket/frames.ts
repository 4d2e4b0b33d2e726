/** Frames of the WebSocket protocol (RFC 6455 5.2), read in pieces of any size without holding a payload. */

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** The peer violates the protocol. */
export class WebSocketError extends Error {
  override readonly name = 'WebSocketError'
}

/** A frame of a server, which is not masked. */
export function frame(opcode: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const size = parts.reduce((sum, { length }) => sum + length, 0)
  const head = size < 126 ? 2 : size < 65_536 ? 4 : 10
  const bytes = new Uint8Array(head + size)
  bytes[0] = 0x80 | opcode
  bytes[1] = head === 2 ? size : head === 4 ? 126 : 127
  if (head === 4) new DataView(bytes.buffer).setUint16(2, size)
  if (head === 10) new DataView(bytes.buffer).setBigUint64(2, BigInt(size))
  let at = head
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** A piece of a message. Empty ones count too: the reader can pause after each frame. */
export interface Piece {
  readonly opcode: number
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The message ends with this piece. */
  readonly last: boolean
}

const maxHeadBytes = 14
const maxControlBytes = 125

/** Unmasks bytes in place (RFC 6455 5.3); `offset`: bytes of the payload before them. */
function unmask(bytes: Uint8Array, mask: Uint8Array, offset: number): void {
  let at = 0
  const { length } = bytes
  while (at < length && ((offset + at) & 3) !== 0) {
    bytes[at] = (bytes[at] as number) ^ (mask[(offset + at) & 3] as number)
    at++
  }
  const aligned = (bytes.byteOffset + at) % 4 === 0
  if (aligned) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + at, (length - at) >> 2)
    const word = new Int32Array(mask.buffer, mask.byteOffset, 1)[0] as number
    for (let i = 0; i < words.length; i++) words[i] = (words[i] as number) ^ word
    at += words.length * 4
  }
  for (; at < length; at++) bytes[at] = (bytes[at] as number) ^ (mask[(offset + at) & 3] as number)
}

/** Reads the frames of a client. */
export class FrameReader {
  readonly #head = new Uint8Array(maxHeadBytes)
  #filled = 0
  readonly #mask = new Uint8Array(4)
  /** Opcode of the message that is being received; undefined: none. */
  #message: number | undefined
  #opcode = 0
  #fin = false
  #left = 0
  #offset = 0
  #inFrame = false
  #control = new Uint8Array(0);

  /** The pieces in these bytes, which are changed. Throws a WebSocketError. */
  *push(bytes: Uint8Array<ArrayBuffer>): Generator<Piece> {
    let at = 0
    while (at < bytes.length || (this.#inFrame && this.#left === 0)) {
      if (!this.#inFrame) {
        at = this.#readHead(bytes, at)
        if (!this.#inFrame) return
      }
      const part = bytes.subarray(at, at + this.#left)
      unmask(part, this.#mask, this.#offset)
      at += part.length
      this.#offset += part.length
      this.#left -= part.length
      const piece = this.#piece(part)
      if (this.#left === 0) this.#inFrame = false
      if (piece !== undefined) yield piece
    }
  }

  #piece(part: Uint8Array<ArrayBuffer>): Piece | undefined {
    const ends = this.#left === 0
    if (this.#opcode >= opcodes.close) {
      const held = new Uint8Array(this.#control.length + part.length)
      held.set(this.#control)
      held.set(part, this.#control.length)
      this.#control = ends ? new Uint8Array(0) : held
      return ends ? { opcode: this.#opcode, bytes: held, last: true } : undefined
    }
    const opcode = this.#message as number
    const last = ends && this.#fin
    if (last) this.#message = undefined
    return { opcode, bytes: part, last }
  }

  /** Reads the head of a frame, as far as it is there; returns where it ends. */
  #readHead(bytes: Uint8Array, from: number): number {
    let at = from
    const head = this.#head
    for (;;) {
      const size = this.#filled < 2 ? 2 : headSize(head[1] as number)
      if (this.#filled === size) break
      if (at === bytes.length) return at
      head[this.#filled++] = bytes[at++] as number
      if (this.#filled === 2) check(head)
    }
    this.#begin()
    return at
  }

  #begin(): void {
    const head = this.#head
    const view = new DataView(head.buffer)
    const short = (head[1] as number) & 0x7f
    const size = short === 127 ? view.getBigUint64(2) : BigInt(short === 126 ? view.getUint16(2) : short)
    if (size > BigInt(Number.MAX_SAFE_INTEGER)) throw new WebSocketError('frame too long')
    this.#mask.set(head.subarray(this.#filled - 4, this.#filled))
    this.#filled = 0
    this.#fin = (head[0] as number) >= 0x80
    this.#opcode = (head[0] as number) & 0x0f
    this.#left = Number(size)
    this.#offset = 0
    this.#inFrame = true
    if (this.#opcode >= opcodes.close) return
    const continues = this.#opcode === opcodes.continuation
    if (continues !== (this.#message !== undefined)) throw new WebSocketError('unexpected continuation')
    if (!continues) this.#message = this.#opcode
  }
}

/** Size of a frame's head with its mask, by its second byte. */
const headSize = (second: number) => 6 + ((second & 0x7f) === 127 ? 8 : (second & 0x7f) === 126 ? 2 : 0)

const known = new Set<number>(Object.values(opcodes))

function check(head: Uint8Array): void {
  const [first = 0, second = 0] = head
  const opcode = first & 0x0f
  if ((first & 0x70) !== 0) throw new WebSocketError('reserved bits are set')
  if (!known.has(opcode)) throw new WebSocketError('unknown opcode')
  if (second < 0x80) throw new WebSocketError('a frame of the client is not masked')
  if (opcode >= opcodes.close && (first < 0x80 || (second & 0x7f) > maxControlBytes)) throw new WebSocketError('malformed control frame')
}
