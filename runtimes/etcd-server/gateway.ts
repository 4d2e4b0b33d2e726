/** etcd's API as JSON over HTTP/1.1 (`/v3/kv/range`): what a proxy in etcd makes of gRPC calls (grpc-gateway of google.api.http in rpc.proto). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Call, type CallHandler, type Service, told, tooLarge } from './calls.ts'
import { type Encoder, encode } from './encoding.ts'
import { codes, Refusal } from './errors.ts'
import { JsonMessages, type MessageName } from './json-messages.ts'

interface Route {
  /** Method of gRPC. */
  readonly method: string
  readonly request: MessageName
  readonly response: MessageName
  /** Requests are a sequence, and responses lines. */
  readonly isStream?: boolean
}

const of = (service: string, method: string, request: MessageName, response: MessageName, isStream = false): Route => ({
  method: `/etcdserverpb.${service}/${method}`,
  request,
  response,
  isStream,
})

const revoke = of('Lease', 'LeaseRevoke', 'Lease', 'Plain')
const timeToLive = of('Lease', 'LeaseTimeToLive', 'LeaseTimeToLive', 'LeaseTimeToLiveResponse')
const leases = of('Lease', 'LeaseLeases', 'Empty', 'LeaseLeasesResponse')

/** By what follows `/v3`. */
const routes: { readonly [path: string]: Route } = {
  '/kv/range': of('KV', 'Range', 'Range', 'RangeResponse'),
  '/kv/put': of('KV', 'Put', 'Put', 'PutResponse'),
  '/kv/deleterange': of('KV', 'DeleteRange', 'DeleteRange', 'DeleteRangeResponse'),
  '/kv/txn': of('KV', 'Txn', 'Txn', 'TxnResponse'),
  '/kv/compaction': of('KV', 'Compact', 'Compaction', 'Plain'),
  '/watch': of('Watch', 'Watch', 'Watch', 'WatchResponse', true),
  '/lease/grant': of('Lease', 'LeaseGrant', 'LeaseGrant', 'LeaseGrantResponse'),
  '/lease/keepalive': of('Lease', 'LeaseKeepAlive', 'Lease', 'LeaseKeepAliveResponse', true),
  '/lease/revoke': revoke,
  '/kv/lease/revoke': revoke,
  '/lease/timetolive': timeToLive,
  '/kv/lease/timetolive': timeToLive,
  '/lease/leases': leases,
  '/kv/lease/leases': leases,
  '/cluster/member/list': of('Cluster', 'MemberList', 'MemberList', 'MemberListResponse'),
  '/maintenance/alarm': of('Maintenance', 'Alarm', 'Alarm', 'AlarmResponse'),
  '/maintenance/status': of('Maintenance', 'Status', 'Empty', 'StatusResponse'),
  '/maintenance/defragment': of('Maintenance', 'Defragment', 'Empty', 'Plain'),
  '/maintenance/hash': of('Maintenance', 'HashKV', 'HashKv', 'HashKvResponse'),
  '/maintenance/snapshot': of('Maintenance', 'Snapshot', 'Empty', 'SnapshotResponse', true),
  '/maintenance/downgrade': of('Maintenance', 'Downgrade', 'Downgrade', 'Plain'),
  '/auth/status': of('Auth', 'AuthStatus', 'Empty', 'AuthStatusResponse'),
}

/** Maximum characters of a message of a stream. */
const maxStreamed = 64 * 1024

/** Statuses by code of gRPC (HTTPStatusFromCode of grpc-gateway). */
const statuses = [200, 408, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401]

const isPath = (target: string | undefined): boolean => target?.startsWith('/v3/') ?? false

class GatewayCall implements Call {
  readonly #service: Service
  readonly #route: Route
  readonly #response: ServerResponse
  readonly #messages: JsonMessages
  handler: CallHandler | undefined
  #isOver = false

  constructor(service: Service, route: Route, response: ServerResponse, messages: JsonMessages) {
    this.#service = service
    this.#route = route
    this.#response = response
    this.#messages = messages
    response.on('drain', () => this.handler?.drained?.())
    response.once('close', () => this.#over(codes.cancelled))
  }

  get pending(): number {
    return this.#response.writableLength
  }

  send<V>(encoder: Encoder<V>, value: V, size?: number): void {
    if (this.#isOver) return
    const { response, isStream } = this.#route
    const message = this.#messages.decode(response, encode(encoder, value, size))
    this.#head(200)
    this.#response.write(isStream ? `${JSON.stringify({ result: message })}\n` : JSON.stringify(message))
  }

  finish(): void {
    this.#head(200)
    this.#over(codes.ok)
    this.#response.end()
  }

  refuse(thrown: unknown): void {
    if (this.#isOver) return
    const { code, message } = told(this.#service, this.#route.method, thrown)
    const error = { grpc_code: code, http_code: statuses[code] ?? 500, message, http_status: '' }
    const isLine = this.#route.isStream && this.#response.headersSent
    this.#head(statuses[code] ?? 500)
    this.#over(code)
    this.#response.end(isLine ? `${JSON.stringify({ error })}\n` : JSON.stringify({ error: message, code, message }))
  }

  #head(status: number): void {
    if (!this.#response.headersSent) this.#response.writeHead(status, { 'content-type': 'application/json' })
  }

  #over(code: number): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#service.ended?.(this.#route.method, code)
    this.handler?.closed?.()
  }
}

/** The objects of a text that has one after the other, as it arrives: each character is looked at once, however small the pieces are. */
class JsonObjects {
  /** What has come of an object that has not ended, or of something else. */
  rest = ''
  #depth = 0
  #isText = false
  #isEscaped = false

  /** The objects that end in this piece. @throws SyntaxError */
  take(piece: string): unknown[] {
    const objects: unknown[] = []
    let start = 0
    for (let at = 0; at < piece.length; at++) {
      if (!this.#endsAt(piece[at] as string)) continue
      objects.push(JSON.parse(this.rest + piece.slice(start, at + 1)))
      this.rest = ''
      start = at + 1
    }
    this.rest += piece.slice(start)
    return objects
  }

  #endsAt(character: string): boolean {
    if (this.#isEscaped) this.#isEscaped = false
    else if (character === '"') this.#isText = !this.#isText
    else if (this.#isText) this.#isEscaped = character === '\\'
    else if (character === '{') this.#depth++
    else if (character === '}') return --this.#depth === 0
    return false
  }
}

/** Serves the requests that are calls; returns false for others. */
export function createGateway(service: Service): (request: IncomingMessage, response: ServerResponse) => boolean {
  const messages = new JsonMessages()
  return (request, response) => {
    if (!isPath(request.url)) return false
    const [path = ''] = (request.url ?? '').slice('/v3'.length).split('?')
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    const method = route && service.methods.get(route.method)
    if (route === undefined || method === undefined || request.method !== 'POST') {
      const [status, text] = route === undefined ? [404, 'Not Found'] : [501, 'Method Not Allowed']
      const body = JSON.stringify({ error: text, message: text, code: status === 404 ? codes.notFound : codes.unimplemented })
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
      return true
    }
    // A message in JSON is larger than in gRPC: base64, names.
    const maxText = route.isStream ? maxStreamed : 2 * service.maxMessageBytes
    const call = new GatewayCall(service, route, response, messages)
    call.handler = method.open(call)
    const objects = new JsonObjects()
    /** The message of a call that is no stream. */
    let text = ''
    let isRefused = false
    const attempt = (run: () => void) => {
      try {
        if (!isRefused) run()
      } catch (error) {
        isRefused = true
        const isForm = error instanceof SyntaxError || (error as Error).name === 'DecodeError'
        call.refuse(isForm ? new Refusal(codes.invalidArgument, (error as Error).message) : error)
      }
    }
    const take = (piece: string) => {
      for (const value of objects.take(piece)) call.handler?.message(messages.encode(route.request, value))
    }
    request.setEncoding('utf8').on('data', (piece: string) => {
      if (text.length + objects.rest.length + piece.length > maxText) {
        isRefused = true
        call.refuse(tooLarge(service))
        request.destroy()
      } else if (route.isStream) attempt(() => take(piece))
      else text += piece
    })
    request.on('end', () => {
      attempt(() => {
        if (!route.isStream) take(text.trim() === '' ? '{}' : text)
        if (objects.rest.trim() !== '') throw new SyntaxError('unexpected EOF')
        if (!route.isStream) call.handler?.end?.()
      })
    })
    return true
  }
}
