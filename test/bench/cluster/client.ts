/** Requests and watches as some user, over shared connections. */
import { Http2Connection, literals, noBody, type Receiver } from './http2.ts'

export interface Server {
  /** Origin, as `https://127.0.0.1:6443`. */
  readonly url: string
  /** Bearer token of a member of system:masters. */
  readonly token: string
}

/** Connections for requests, which take turns. */
const requestConnections = 16
/** Streams that one connection carries, if the server allows as many. */
const streamsPerConnection = 1_000

export const json = 'application/json'
export const protobuf = 'application/vnd.kubernetes.protobuf'

export class Connections {
  readonly #origin: URL
  readonly #requests: Http2Connection[] = []
  /** Connections for watches, with the number of those that are open. */
  readonly #watches = new Map<Http2Connection, number>()
  readonly #perConnection: number
  #turn = 0
  #isClosed = false
  /** Watches that have ended and were opened again. */
  reopened = 0

  /** `perConnection`: watches on each connection. */
  constructor(url: string, perConnection = streamsPerConnection) {
    this.#origin = new URL(url)
    this.#perConnection = perConnection
  }

  get authority(): string {
    return this.#origin.host
  }

  get count(): number {
    return this.#requests.length + this.#watches.size
  }

  async open(): Promise<void> {
    for (let index = 0; index < requestConnections; index++) this.#requests.push(new Http2Connection(this.#origin))
    await Promise.all(this.#requests.map(({ ready }) => ready))
  }

  request(head: Buffer, body: Buffer, receiver: Receiver): void {
    this.#turn = (this.#turn + 1) % this.#requests.length
    if (this.#requests[this.#turn]!.isLeaving) this.#requests[this.#turn] = new Http2Connection(this.#origin)
    this.#requests[this.#turn]!.request(head, body, receiver)
  }

  async watch(head: Buffer, receiver: Receiver): Promise<void> {
    const connection = this.#withRoom() ?? new Http2Connection(this.#origin)
    this.#count(connection, 1)
    // Its limit is known from then on: watches that were started before stay within the server's queue.
    await connection.ready
    const end = (error?: Error) => {
      this.#count(connection, -1)
      receiver.end(error)
    }
    connection.request(head, noBody, { ...receiver, end })
  }

  #withRoom(): Http2Connection | undefined {
    for (const [connection, watches] of this.#watches)
      if (!connection.isLeaving && watches < Math.min(connection.limit, this.#perConnection)) return connection
    return undefined
  }

  #count(connection: Http2Connection, more: 1 | -1): void {
    this.#watches.set(connection, (this.#watches.get(connection) ?? 0) + more)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  close(): void {
    this.#isClosed = true
    for (const each of [...this.#requests, ...this.#watches.keys()]) each.close()
  }
}

export interface Answer {
  readonly status: number
  readonly body: Buffer
}

export interface Call {
  readonly accept?: string
  readonly type?: string
  readonly body?: object | string
}

/** ADDED, MODIFIED, DELETED or BOOKMARK: the first field of a WatchEvent. */
export const typeOf = (event: Buffer) => event.toString('latin1', 2, 2 + (event[1] ?? 0))

/** Milliseconds until a watch that has ended is opened again. */
const backoff = 1_000

/** Tag of `resourceVersion`, field 6 of ObjectMeta, and how many digits it may have. */
const [versionTag, mostDigits] = [0x32, 20]

/** The resourceVersion of a bookmark, which has no other metadata. */
function versionOf(bookmark: Buffer): string | undefined {
  for (let at = bookmark.indexOf(versionTag); at >= 0; at = bookmark.indexOf(versionTag, at + 1)) {
    const length = bookmark[at + 1] ?? 0
    const text = length <= mostDigits ? bookmark.toString('latin1', at + 2, at + 2 + length) : ''
    if (text.length === length && /^\d+$/.test(text)) return text
  }
  return undefined
}

/** Calls `event` for each event of a watch, as bytes of a protobuf WatchEvent. */
export type OnEvent = (event: Buffer) => void

export class Client {
  readonly #connections: Connections
  readonly #fixed: Buffer

  /** Impersonates `user` with these groups; absent: the token's user. */
  constructor(connections: Connections, { token }: Server, user?: string, group?: string) {
    this.#connections = connections
    this.#fixed = literals({
      ':scheme': 'https',
      ':authority': connections.authority,
      authorization: `Bearer ${token}`,
      'user-agent': 'cluster-bench',
      ...(user !== undefined && { 'impersonate-user': user }),
      ...(group !== undefined && { 'impersonate-group': group }),
    })
  }

  call(method: string, path: string, { accept = json, type = json, body }: Call = {}): Promise<Answer> {
    const content = body === undefined ? noBody : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const head = this.#head(method, path, { accept, ...(body !== undefined && { 'content-type': type }) })
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = []
      let status = 0
      this.#connections.request(head, content, {
        head(value) {
          status = value
        },
        data: (bytes) => parts.push(Buffer.from(bytes)),
        end: (error) => (error ? reject(error) : resolve({ status, body: parts.length === 1 ? parts[0]! : Buffer.concat(parts) })),
      })
    })
  }

  /** As `call`; rejects unless the status is below 400 or one of `allowed`. */
  async need(method: string, path: string, call: Call = {}, allowed: readonly number[] = []): Promise<Answer> {
    const answer = await this.call(method, path, call)
    if (answer.status < 400 || allowed.includes(answer.status)) return answer
    throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString('utf8', 0, 500)}`)
  }

  /**
   * Opens a protobuf watch whose path ends with its `resourceVersion`; resolves with the response's head. Servers end watches after a time: a second later it is
   * opened again where its last bookmark was, or with all objects when that is too old, as informers do. `failed` is called for what goes wrong then.
   */
  async watch(path: string, event: OnEvent, failed: (error: Error) => void, accept = `${protobuf};stream=watch`): Promise<void> {
    let from = path
    const noted = (bytes: Buffer) => {
      const type = typeOf(bytes)
      if (type === 'ERROR') failed(new Error(`${from}: ${bytes.toString('latin1')}`))
      const version = type === 'ERROR' ? '' : type === 'BOOKMARK' ? versionOf(bytes) : undefined
      if (version !== undefined) from = path.replace(/\d*$/, version)
      event(bytes)
    }
    const again = () =>
      setTimeout(() => {
        if (this.#connections.isClosed) return
        this.#connections.reopened++
        this.#stream(from, noted, again, accept).catch((error: Error) => {
          failed(error)
          again()
        })
      }, backoff)
    await this.#stream(path, noted, again, accept)
  }

  /** Opens a watch; rejects unless it begins. `ended` is called when it ends after that. */
  #stream(path: string, event: OnEvent, ended: () => void, accept: string): Promise<void> {
    return new Promise((resolve, reject) => {
      let rest: Buffer | undefined
      let hasBegun = false
      let refusal = path
      const receiver: Receiver = {
        head(status) {
          hasBegun = status === 200
          if (hasBegun) resolve()
          else refusal += `: ${status}`
        },
        data(bytes) {
          if (hasBegun) rest = split(rest === undefined ? bytes : Buffer.concat([rest, bytes]), event)
          else refusal += bytes.toString('utf8', 0, 300)
        },
        end(error) {
          if (hasBegun) ended()
          else reject(error ?? new Error(refusal))
        },
      }
      this.#connections.watch(this.#head('GET', path, { accept }), receiver).catch(reject)
    })
  }

  #head(method: string, path: string, others: { readonly [name: string]: string }): Buffer {
    return Buffer.concat([literals({ ':method': method, ':path': path }), this.#fixed, literals(others)])
  }
}

/** Splits length-delimited frames; returns the incomplete rest. */
function split(bytes: Buffer, event: OnEvent): Buffer | undefined {
  let at = 0
  while (bytes.length - at >= 4) {
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length) break
    event(bytes.subarray(at + 4, end))
    at = end
  }
  return at === bytes.length ? undefined : Buffer.from(bytes.subarray(at))
}
