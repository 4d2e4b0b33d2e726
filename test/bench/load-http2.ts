/** Minimal HTTP/2 (RFC 9113): sends sequential requests on a connection and detects the end of each response. */

const frameTypes = { data: 0, headers: 1, settings: 4, ping: 6, goaway: 7, windowUpdate: 8 } as const
const flags = { endStream: 1, ack: 1, endHeaders: 4 } as const
const bigWindow = 0x3fff_ffff

function frame(type: number, flag: number, stream: number, payload: Uint8Array): Buffer {
  const buffer = Buffer.alloc(9 + payload.length)
  buffer.writeUIntBE(payload.length, 0, 3)
  buffer[3] = type
  buffer[4] = flag
  buffer.writeUInt32BE(stream, 5)
  buffer.set(payload, 9)
  return buffer
}

const uint32 = (value: number) => {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(value)
  return buffer
}

/** HPACK string without Huffman coding (RFC 7541 5.2). */
function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  const prefix = bytes.length < 127 ? [bytes.length] : [127]
  if (bytes.length >= 127) {
    let rest = bytes.length - 127
    for (; rest >= 128; rest = Math.floor(rest / 128)) prefix.push((rest % 128) | 128)
    prefix.push(rest)
  }
  return Buffer.concat([Buffer.from(prefix), bytes])
}

/** The client preface, with receive windows that hardly ever need an update. */
export const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame(frameTypes.settings, 0, 0, Buffer.concat([Buffer.from([0, 4]), uint32(bigWindow)])),
  frame(frameTypes.windowUpdate, 0, 0, uint32(bigWindow)),
])

/** The frames of a request, apart from the stream number. Literal fields without indexing (RFC 7541 6.2.2) need no encoder state. */
export function encodeHttp2(method: string, url: URL, headers: Record<string, string>, stream: number, body?: string | Uint8Array): Buffer {
  const fields: Record<string, string> = {
    ':method': method,
    ':scheme': 'https',
    ':authority': url.host,
    ':path': `${url.pathname}${url.search}`,
  }
  for (const [name, value] of Object.entries(headers)) fields[name.toLowerCase()] = value
  const block = Buffer.concat(Object.entries(fields).flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]))
  const head = frame(frameTypes.headers, flags.endHeaders | (body === undefined ? flags.endStream : 0), stream, block)
  return body === undefined ? head : Buffer.concat([head, frame(frameTypes.data, flags.endStream, stream, Buffer.from(body))])
}

/** Counts the responses of one HTTP/2 connection. */
export class Http2Responses {
  #pending: Buffer = Buffer.alloc(0)
  #unacknowledged = 0
  readonly #send: (bytes: Buffer) => void
  readonly #done: (stream: number) => void
  readonly #data: ((stream: number, payload: Buffer) => void) | undefined

  constructor(send: (bytes: Buffer) => void, done: (stream: number) => void, data?: (stream: number, payload: Buffer) => void) {
    this.#send = send
    this.#done = done
    this.#data = data
  }

  feed(data: Buffer): void {
    const buffer = this.#pending.length === 0 ? data : Buffer.concat([this.#pending, data])
    let at = 0
    while (buffer.length - at >= 9) {
      const length = buffer.readUIntBE(at, 3)
      if (buffer.length - at < 9 + length) break
      this.#frame(buffer[at + 3] ?? 0, buffer[at + 4] ?? 0, buffer.readUInt32BE(at + 5), buffer.subarray(at + 9, at + 9 + length))
      at += 9 + length
    }
    this.#pending = buffer.subarray(at)
  }

  #frame(type: number, flag: number, stream: number, payload: Buffer): void {
    if (type === frameTypes.settings && (flag & flags.ack) === 0) this.#send(frame(frameTypes.settings, flags.ack, 0, Buffer.alloc(0)))
    if (type === frameTypes.ping && (flag & flags.ack) === 0) this.#send(frame(frameTypes.ping, flags.ack, 0, payload))
    if (type === frameTypes.data) {
      this.#unacknowledged += payload.length
      if (this.#unacknowledged > bigWindow / 2) {
        this.#send(frame(frameTypes.windowUpdate, 0, 0, uint32(this.#unacknowledged)))
        this.#unacknowledged = 0
      }
      this.#data?.(stream, payload)
    }
    if ((type === frameTypes.data || type === frameTypes.headers) && (flag & flags.endStream) !== 0) this.#done(stream)
  }
}
