import type { FlowHeaders } from '../answers/headers.ts'
import { serviceUnavailable } from '../answers/status.ts'
import type { Slices } from '../common/slices.ts'
import type { Connection, Span } from '../ports.ts'
import type { Exchange, ExchangeObserver, Lifetime, RequestInfo, User } from '../request/exchange.ts'
import { requestInfo } from '../request/info.ts'
import { LightRequest } from '../request/light-request.ts'
import { splitTarget, targetOf } from '../request/target.ts'

const unidentified: User = { name: '', groups: [] }

/** A request in flight. Its signal and its slices are created on first use. */
class RequestExchange implements Exchange {
  request: Request
  readonly connection: Connection
  readonly received: number
  waited = 0
  readonly query: URLSearchParams
  readonly info: RequestInfo
  readonly auditId: string
  readonly warnings: string[] = []
  user = unidentified
  observer: ExchangeObserver | undefined = undefined
  flow: FlowHeaders | undefined = undefined
  span: Span | undefined = undefined
  deadline?: number
  /** The request as received: its signal belongs to the client, even when `request` has been replaced. */
  readonly #sent: Request
  readonly #lifetime: Lifetime
  #annotations: Map<string, string> | undefined
  #requestAnnotations: Map<string, string> | undefined
  #signal: AbortSignal | undefined
  #slices: Slices | undefined
  #expiry: AbortController | undefined
  #error: Error | undefined

  constructor(request: Request, connection: Connection, lifetime: Lifetime, nextId: () => string, received: number) {
    this.request = request
    this.received = received
    this.#sent = request
    this.connection = connection
    this.#lifetime = lifetime
    const { path, query } = splitTarget(targetOf(request), lifetime.queries)
    this.query = query
    this.info = requestInfo(request.method, path, query, lifetime.lasts)
    this.auditId = request.headers.get('audit-id') || nextId()
  }

  get annotations(): Map<string, string> {
    this.#annotations ??= new Map()
    return this.#annotations
  }

  get requestAnnotations(): Map<string, string> {
    this.#requestAnnotations ??= new Map()
    return this.#requestAnnotations
  }

  get annotated(): boolean {
    return this.#annotations !== undefined || this.#requestAnnotations !== undefined
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      this.#expiry = new AbortController()
      if (this.#error) this.#expiry.abort(this.#error)
      this.#signal = AbortSignal.any([this.#sent.signal, this.#lifetime.closing, this.#expiry.signal])
    }
    return this.#signal
  }

  get slices(): Slices {
    this.#slices ??= this.#lifetime.pauses.slices(() => this.signal)
    return this.#slices
  }

  onShutdown(end: () => void): () => void {
    return this.#lifetime.onShutdown(end)
  }

  onLeave(left: () => void): () => void {
    if (LightRequest.abortReason(this.#sent) !== undefined) left()
    return LightRequest.onAbort(this.#sent, left)
  }

  get expired(): boolean {
    return this.#error !== undefined
  }

  expire(error: Error): void {
    this.#error ??= error
    this.#expiry?.abort(error)
  }

  proceed(): void {
    if (this.#error) throw this.#error
    if (this.#lifetime.isClosing) throw serviceUnavailable('apiserver is shut down', 1)
    const left = LightRequest.abortReason(this.#sent)
    if (left !== undefined) throw left
  }
}

/** Creates the exchange of a request, with its RequestInfo. `nextId` generates audit IDs; `received`: milliseconds of the monotonic clock. */
export function createExchange(
  request: Request,
  connection: Connection,
  lifetime: Lifetime,
  nextId: () => string,
  received: number,
): Exchange {
  return new RequestExchange(request, connection, lifetime, nextId, received)
}
