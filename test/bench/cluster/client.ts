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
  readonly #watches: Http2Connection[] = []
  readonly #perConnection: number
  #turn = 0
  /** Watches on the last connection. */
  #onLast = 0

  /** `perConnection`: watches on each connection. */
  constructor(url: string, perConnection = streamsPerConnection) {
    this.#origin = new URL(url)
    this.#perConnection = perConnection
  }

  get authority(): string {
    return this.#origin.host
  }

  get count(): number {
    return this.#requests.length + this.#watches.length
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
    let last = this.#watches.at(-1)
    if (last === undefined || this.#onLast >= Math.min(last.limit, this.#perConnection)) {
      last = new Http2Connection(this.#origin)
      this.#watches.push(last)
      this.#onLast = 0
    }
    this.#onLast++
    // Its limit is known from then on: watches that were started before stay within the server's queue.
    await last.ready
    last.request(head, noBody, receiver)
  }

  close(): void {
    for (const each of [...this.#requests, ...this.#watches]) each.close()
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

  /** Opens a protobuf watch; resolves with the response's head. `ended` is called when it ends. */
  watch(path: string, event: OnEvent, ended: (error: Error) => void, accept = `${protobuf};stream=watch`): Promise<void> {
    return new Promise((resolve, reject) => {
      let rest: Buffer | undefined
      let failed: string | undefined
      const receiver: Receiver = {
        head(status) {
          if (status === 200) resolve()
          else failed = `${path}: ${status}`
        },
        data(bytes) {
          if (failed !== undefined) failed += bytes.toString('utf8', 0, 300)
          else rest = split(rest === undefined ? bytes : Buffer.concat([rest, bytes]), event)
        },
        end(error) {
          const reason = error ?? new Error(failed ?? `${path} ended`)
          reject(reason)
          ended(reason)
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
