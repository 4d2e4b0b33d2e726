/** etcd's API as JSON over HTTP/1.1 (`/v3/kv/range`): what a proxy in etcd makes of gRPC calls (grpc-gateway of google.api.http in rpc.proto). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Call, type CallHandler, type Service, told, tooLarge } from './calls.ts'
import { codes, Refusal } from './errors.ts'
import { bytesOfJson, jsonOfBytes } from './json.ts'
import { encode, type Message } from './message.ts'
import type { Share } from './request-budget.ts'

/** Methods by what follows `/v3`. */
const paths: { readonly [path: string]: string } = {
  '/kv/range': 'KV/Range',
  '/kv/put': 'KV/Put',
  '/kv/deleterange': 'KV/DeleteRange',
  '/kv/txn': 'KV/Txn',
  '/kv/compaction': 'KV/Compact',
  '/watch': 'Watch/Watch',
  '/lease/grant': 'Lease/LeaseGrant',
  '/lease/keepalive': 'Lease/LeaseKeepAlive',
  '/lease/revoke': 'Lease/LeaseRevoke',
  '/kv/lease/revoke': 'Lease/LeaseRevoke',
  '/lease/timetolive': 'Lease/LeaseTimeToLive',
  '/kv/lease/timetolive': 'Lease/LeaseTimeToLive',
  '/lease/leases': 'Lease/LeaseLeases',
  '/kv/lease/leases': 'Lease/LeaseLeases',
  '/cluster/member/list': 'Cluster/MemberList',
  '/maintenance/alarm': 'Maintenance/Alarm',
  '/maintenance/status': 'Maintenance/Status',
  '/maintenance/defragment': 'Maintenance/Defragment',
  '/maintenance/hash': 'Maintenance/HashKV',
  '/maintenance/snapshot': 'Maintenance/Snapshot',
  '/maintenance/downgrade': 'Maintenance/Downgrade',
  '/auth/status': 'Auth/AuthStatus',
}

/** Maximum characters of a message of a stream. */
const maxStreamed = 64 * 1024

/** Maximum characters of a message that needs nothing of the budget. */
const smallText = 64 * 1024

/** Statuses by code of gRPC (HTTPStatusFromCode of grpc-gateway). */
const statuses = [200, 408, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401]

const isPath = (target: string | undefined): boolean => target?.startsWith('/v3/') ?? false

class GatewayCall implements Call {
  readonly #service: Service
  /** Path of the method in gRPC. */
  readonly #path: string
  /** Responses are lines. */
  readonly #isStream: boolean
  readonly #response: ServerResponse
  handler: CallHandler | undefined
  /** Of a large request. */
  share: Share | undefined
  #isOver = false

  constructor(service: Service, path: string, isStream: boolean, response: ServerResponse) {
    this.#service = service
    this.#path = path
    this.#isStream = isStream
    this.#response = response
    response.on('drain', () => this.handler?.drained?.())
    response.once('close', () => this.#over(codes.cancelled))
  }

  get pending(): number {
    return this.#response.writableLength
  }

  send<V>(type: Message<unknown, V>, value: V, size?: number): void {
    if (this.#isOver) return
    const message = jsonOfBytes(type, encode(type, value, size))
    this.#head(200)
    this.#response.write(this.#isStream ? `${JSON.stringify({ result: message })}\n` : JSON.stringify(message))
  }

  finish(): void {
    this.#head(200)
    this.#over(codes.ok)
    this.#response.end()
  }

  refuse(thrown: unknown): void {
    if (this.#isOver) return
    const { code, message } = told(this.#service, this.#path, thrown)
    const error = { grpc_code: code, http_code: statuses[code] ?? 500, message, http_status: '' }
    const isLine = this.#isStream && this.#response.headersSent
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
    this.#service.ended?.(this.#path, code)
    this.share?.release()
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
  return (request, response) => {
    if (!isPath(request.url)) return false
    const [path = ''] = (request.url ?? '').slice('/v3'.length).split('?')
    const name = Object.hasOwn(paths, path) ? paths[path] : undefined
    const methodPath = `/etcdserverpb.${name}`
    const method = service.methods.get(methodPath)
    if (method === undefined || request.method !== 'POST') {
      const [status, text] = method === undefined ? [404, 'Not Found'] : [501, 'Method Not Allowed']
      const body = JSON.stringify({ error: text, message: text, code: status === 404 ? codes.notFound : codes.unimplemented })
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
      return true
    }
    // A message in JSON is larger than in gRPC: base64, names.
    const { isStream } = method
    const maxText = isStream ? maxStreamed : 2 * service.maxMessageBytes
    const call = new GatewayCall(service, methodPath, isStream, response)
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
      for (const value of objects.take(piece)) call.handler?.message(bytesOfJson(method.request, value))
    }
    const length = Number(request.headers['content-length'] ?? maxText)
    if (!isStream && length > smallText) {
      call.share = service.budget.ask(Math.min(length, maxText), () => void request.resume())
      if (!call.share.isGranted) request.pause()
    }
    request.setEncoding('utf8').on('data', (piece: string) => {
      if (text.length + objects.rest.length + piece.length > maxText) {
        isRefused = true
        call.refuse(tooLarge(service))
        request.destroy()
      } else if (isStream) attempt(() => take(piece))
      else text += piece
    })
    request.on('end', () => {
      attempt(() => {
        if (!isStream) take(text.trim() === '' ? '{}' : text)
        if (objects.rest.trim() !== '') throw new SyntaxError('unexpected EOF')
        if (!isStream) call.handler?.end?.()
      })
    })
    return true
  }
}
