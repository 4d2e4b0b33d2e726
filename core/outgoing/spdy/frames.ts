/**
 * Frames of SPDY/3.1 (draft-mbelshe-httpbis-spdy-00 2.2), as a client needs them that reads no headers. Header blocks are one zlib stream with
 * a preset dictionary; what a client sends are stored blocks of it (RFC 1951 3.2.4), which need the dictionary's checksum only, and those of the
 * server are not decompressed.
 */

export const types = { synStream: 1, synReply: 2, reset: 3, ping: 6, goAway: 7 } as const

/** Flag of the last frame of a stream in this direction. */
export const fin = 1

/** CMF, FLG and the Adler-32 checksum of the dictionary (RFC 1950 2.2). */
const zlibHead = Uint8Array.of(0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2)

const encoder = new TextEncoder()

/** An empty stored block, as of a flush: without it, Go's reader waits for more before it delivers what it has. */
const flush = Uint8Array.of(0, 0, 0, 0xff, 0xff)

/** A block of headers with names in lower case; `first` of the connection. At most 64 KiB. */
export function headerBlock(headers: Readonly<Record<string, string>>, first: boolean): Uint8Array {
  const texts = Object.entries(headers)
    .flat()
    .map((text) => encoder.encode(text))
  const size = 4 + texts.reduce((sum, { length }) => sum + 4 + length, 0)
  const head = first ? zlibHead.length : 0
  const block = new Uint8Array(head + 5 + size + flush.length)
  const view = new DataView(block.buffer)
  if (first) block.set(zlibHead)
  block.set(flush, head + 5 + size)
  // Not the last block, stored; its length and the complement.
  view.setUint16(head + 1, size, true)
  view.setUint16(head + 3, ~size & 0xffff, true)
  let at = head + 5
  view.setUint32(at, texts.length / 2)
  at += 4
  for (const text of texts) {
    view.setUint32(at, text.length)
    block.set(text, at + 4)
    at += 4 + text.length
  }
  return block
}

export function controlFrame(type: number, flags: number, ...parts: readonly (number | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const size = parts.reduce<number>((sum, part) => sum + (typeof part === 'number' ? 4 : part.length), 0)
  const bytes = new Uint8Array(8 + size)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, 0x8003)
  view.setUint16(2, type)
  view.setUint32(4, ((flags << 24) | size) >>> 0)
  let at = 8
  for (const part of parts) {
    if (typeof part === 'number') view.setUint32(at, part)
    else bytes.set(part, at)
    at += typeof part === 'number' ? 4 : part.length
  }
  return bytes
}

export function dataFrame(stream: number, flags: number, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8 + data.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, stream)
  view.setUint32(4, ((flags << 24) | data.length) >>> 0)
  bytes.set(data, 8)
  return bytes
}

/** What a frame reader finds: data of a stream in pieces, or the first bytes of a control frame. */
export type SpdyPiece =
  | { readonly kind: 'data'; readonly stream: number; readonly bytes: Uint8Array<ArrayBuffer>; readonly last: boolean }
  | { readonly kind: 'control'; readonly type: number; readonly flags: number; readonly payload: Uint8Array }

/** Bytes of a control frame's payload that are kept: no frame that is used needs more. */
const kept = 8

/** Reads frames in pieces of any size without holding a payload. */
export class SpdyReader {
  readonly #head = new Uint8Array(8)
  readonly #payload = new Uint8Array(kept)
  #filled = 0
  #size = 0
  #left = 0
  #inFrame = false;

  *push(bytes: Uint8Array<ArrayBuffer>): Generator<SpdyPiece> {
    const head = this.#head
    const view = new DataView(head.buffer)
    let at = 0
    while (at < bytes.length || (this.#inFrame && this.#left === 0)) {
      if (!this.#inFrame) {
        head[this.#filled++] = bytes[at++] as number
        if (this.#filled < 8) continue
        this.#filled = 0
        this.#size = view.getUint32(4) & 0xffffff
        this.#left = this.#size
        this.#inFrame = true
        if (this.#left > 0) continue
      }
      const part = bytes.subarray(at, at + this.#left)
      const isControl = (head[0] as number) >= 0x80
      const begin = this.#size - this.#left
      if (isControl && begin < kept) this.#payload.set(part.subarray(0, kept - begin), begin)
      at += part.length
      this.#left -= part.length
      const ends = this.#left === 0
      if (ends) this.#inFrame = false
      const flags = head[4] as number
      if (!isControl) yield { kind: 'data', stream: view.getUint32(0), bytes: part, last: ends && (flags & fin) !== 0 }
      else if (ends) yield { kind: 'control', type: view.getUint16(2), flags, payload: this.#payload.slice(0, Math.min(kept, this.#size)) }
    }
  }
}
