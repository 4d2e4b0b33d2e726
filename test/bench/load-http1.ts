/** Counts the responses of one HTTP/1.1 connection; supports only Content-Length and chunked bodies (RFC 9112 6). */
export class Http1Responses {
  #pending: Buffer = Buffer.alloc(0)
  #state: 'head' | 'length' | 'chunk-size' | 'chunk' | 'trailer' = 'head'
  #remaining = 0
  #status = 0
  readonly #done: (status: number) => void
  readonly #hasBody: boolean

  constructor(method: string, done: (status: number) => void) {
    this.#done = done
    this.#hasBody = method !== 'HEAD'
  }

  feed(data: Buffer): void {
    let buffer = this.#pending.length === 0 ? data : Buffer.concat([this.#pending, data])
    for (;;) {
      const used = this.#step(buffer)
      if (used < 0) break
      buffer = buffer.subarray(used)
    }
    this.#pending = buffer
  }

  /** Bytes consumed; negative: more are needed. */
  #step(buffer: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#head(buffer)
      case 'length':
      case 'chunk':
        return this.#skip(buffer)
      case 'chunk-size': {
        const end = buffer.indexOf('\r\n')
        if (end < 0) return -1
        const size = Number.parseInt(buffer.toString('latin1', 0, end), 16)
        this.#remaining = size + 2
        this.#state = size === 0 ? 'trailer' : 'chunk'
        return end + 2
      }
      case 'trailer':
        if (buffer.length < 2) return -1
        this.#finish()
        return 2
    }
  }

  #head(buffer: Buffer): number {
    const end = buffer.indexOf('\r\n\r\n')
    if (end < 0) return -1
    const head = buffer.toString('latin1', 0, end).toLowerCase()
    this.#status = Number(head.slice(9, 12))
    const length = head.indexOf('\r\ncontent-length:')
    if (!this.#hasBody || this.#status === 204 || this.#status === 304) this.#finish()
    else if (length >= 0) {
      this.#remaining = Number.parseInt(head.slice(length + 17, length + 32), 10)
      this.#state = 'length'
      if (this.#remaining === 0) this.#finish()
    } else this.#state = 'chunk-size'
    return end + 4
  }

  #skip(buffer: Buffer): number {
    if (buffer.length === 0) return -1
    const used = Math.min(buffer.length, this.#remaining)
    this.#remaining -= used
    if (this.#remaining === 0) {
      if (this.#state === 'length') this.#finish()
      else this.#state = 'chunk-size'
    }
    return used
  }

  #finish(): void {
    this.#state = 'head'
    this.#done(this.#status)
  }
}

/** Encodes requests, whose common part is encoded once. `path` follows the origin. */
export function http1Encoder(method: string, { host }: URL, headers: Record<string, string>): (path: string, body?: string) => Buffer {
  const fields = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = ` HTTP/1.1\r\n${fields.join('')}`
  return (path, body) =>
    Buffer.from(
      body === undefined
        ? `${method} ${path}${head}\r\n`
        : `${method} ${path}${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
}
