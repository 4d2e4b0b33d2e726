/** SPDY/3.1 as node agents speak it, written for the tests: header blocks are compressed with zlib and the dictionary of the protocol. */
import type { Duplex } from 'node:stream'
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib'

const names =
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin'
const rest =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.'

function counted(text: string): Buffer {
  const bytes = Buffer.from(text)
  const size = Buffer.alloc(4)
  size.writeUInt32BE(bytes.length)
  return Buffer.concat([size, bytes])
}

/** draft-mbelshe-httpbis-spdy-00, 2.6.10.1. */
const dictionary = Buffer.concat([...names.split(' ').map((name) => counted(name.replace('_', ' '))), Buffer.from(rest)])

/** Passes bytes through a stream of zlib, up to a flush. */
function flushed(coder: Inflate | Deflate, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const take = (chunk: Buffer) => void chunks.push(chunk)
    coder.on('data', take).once('error', reject)
    coder.write(bytes)
    coder.flush(constants.Z_SYNC_FLUSH, () => {
      coder.off('data', take).off('error', reject)
      resolve(Buffer.concat(chunks))
    })
  })
}

const types = { synStream: 1, synReply: 2, reset: 3, settings: 4, ping: 6, goAway: 7 } as const
const fin = 1

/** One stream: data goes out with `write`, and comes in through `data` and `ended`. */
export interface SpdyStream {
  readonly id: number
  readonly headers: { readonly [name: string]: string }
  /** Resolves when more can be written. */
  write(bytes: Buffer): Promise<void>
  end(): void
  reset(): void
  /** A promise holds the connection's reader back. */
  data: (bytes: Buffer) => void | Promise<void>
  ended: () => void
}

/** Either side of a connection. `opened` is called with the streams of the peer. */
export class SpdyConnection {
  readonly streams = new Map<number, SpdyStream>()
  readonly pings: number[] = []
  readonly #socket: Duplex
  readonly #inflate = createInflate({ dictionary })
  readonly #deflate = createDeflate({ dictionary })
  readonly #opened: (stream: SpdyStream) => void
  readonly #replied = new Map<number, () => void>()
  #nextId: number

  constructor(socket: Duplex, isClient: boolean, opened: (stream: SpdyStream) => void = () => undefined) {
    this.#socket = socket
    this.#opened = opened
    this.#nextId = isClient ? 1 : 2
  }

  /** Reads frames until the connection ends. */
  async serve(): Promise<void> {
    let held: Buffer = Buffer.alloc(0)
    for await (const chunk of this.#socket as AsyncIterable<Buffer>) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      let at = 0
      while (held.length - at >= 8) {
        const size = held.readUInt32BE(at + 4) & 0xffffff
        if (held.length - at < 8 + size) break
        await this.#frame(held.readUInt32BE(at), held[at + 4] as number, held.subarray(at + 8, at + 8 + size))
        at += 8 + size
      }
      held = held.subarray(at)
    }
    for (const stream of this.streams.values()) stream.ended()
  }

  /** Opens a stream, and resolves when the peer has replied. */
  async open(headers: { readonly [name: string]: string }): Promise<SpdyStream> {
    const id = this.#nextId
    this.#nextId += 2
    const stream = this.#stream(id, headers)
    const replied = new Promise<void>((resolve) => this.#replied.set(id, resolve))
    const block = await this.#block(headers)
    const head = Buffer.alloc(10)
    head.writeUInt32BE(id)
    this.#control(types.synStream, 0, Buffer.concat([head, block]))
    await replied
    return stream
  }

  ping(id: number): void {
    const payload = Buffer.alloc(4)
    payload.writeUInt32BE(id)
    this.#control(types.ping, 0, payload)
  }

  async #frame(word: number, flags: number, payload: Buffer): Promise<void> {
    if (word < 0x80000000) {
      const stream = this.streams.get(word)
      if (payload.length > 0) await stream?.data(payload)
      if (flags & fin) stream?.ended()
      return
    }
    const type = word & 0xffff
    const id = payload.length < 4 ? 0 : payload.readUInt32BE(0)
    if (type === types.synStream) {
      const stream = this.#stream(id, readHeaders(await flushed(this.#inflate, payload.subarray(10))))
      const head = Buffer.alloc(4)
      head.writeUInt32BE(id)
      this.#control(types.synReply, 0, Buffer.concat([head, await this.#block({})]))
      this.#opened(stream)
      if (flags & fin) stream.ended()
    } else if (type === types.synReply) {
      await flushed(this.#inflate, payload.subarray(4))
      this.#replied.get(id)?.()
    } else if (type === types.reset) this.streams.get(id)?.ended()
    else if (type === types.ping) {
      this.pings.push(id)
      if (id % 2 !== this.#nextId % 2) this.ping(id)
    }
  }

  #stream(id: number, headers: { readonly [name: string]: string }): SpdyStream {
    const stream: SpdyStream = {
      id,
      headers,
      write: (bytes) => this.#data(id, 0, bytes),
      end: () => void this.#data(id, fin, Buffer.alloc(0)),
      reset: () => {
        const payload = Buffer.alloc(8)
        payload.writeUInt32BE(id)
        payload.writeUInt32BE(5, 4)
        this.#control(types.reset, 0, payload)
      },
      data: () => undefined,
      ended: () => undefined,
    }
    this.streams.set(id, stream)
    return stream
  }

  #block(headers: { readonly [name: string]: string }): Promise<Buffer> {
    const count = Buffer.alloc(4)
    const entries = Object.entries(headers)
    count.writeUInt32BE(entries.length)
    return flushed(
      this.#deflate,
      Buffer.concat([count, ...entries.flatMap(([name, value]) => [counted(name.toLowerCase()), counted(value)])]),
    )
  }

  #control(type: number, flags: number, payload: Buffer): void {
    const head = Buffer.alloc(8)
    head.writeUInt32BE((0x80030000 | type) >>> 0)
    head.writeUInt32BE(((flags << 24) | payload.length) >>> 0, 4)
    this.#socket.write(Buffer.concat([head, payload]))
  }

  async #data(id: number, flags: number, bytes: Buffer): Promise<void> {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(id)
    head.writeUInt32BE(((flags << 24) | bytes.length) >>> 0, 4)
    if (this.#socket.writableEnded || this.#socket.destroyed) return
    this.#socket.cork()
    this.#socket.write(head)
    const more = this.#socket.write(bytes)
    this.#socket.uncork()
    if (!more)
      await new Promise<void>((resolve) => {
        const done = () => {
          this.#socket.off('drain', done).off('close', done)
          resolve()
        }
        this.#socket.once('drain', done).once('close', done)
      })
  }
}

function readHeaders(block: Buffer): { [name: string]: string } {
  const headers: { [name: string]: string } = {}
  let at = 4
  const next = () => {
    const size = block.readUInt32BE(at)
    at += 4 + size
    return block.toString('utf8', at - size, at)
  }
  for (let left = block.readUInt32BE(0); left > 0; left--) {
    const name = next()
    headers[name] = next()
  }
  return headers
}
