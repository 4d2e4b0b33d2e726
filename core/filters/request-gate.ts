import { plainHeaders } from '../answers/plain-error.ts'
import { Reply } from '../answers/reply.ts'
import { type ApiError, serviceUnavailable } from '../answers/status.ts'
import { LateAbort } from '../common/late-abort.ts'
import { type Linked, LinkedList } from '../common/linked-list.ts'
import { Pauses } from '../common/slices.ts'
import type { Health } from '../meta/health.ts'
import type { Clock, Connection } from '../ports.ts'
import { whenSent } from '../request/ended.ts'
import type { Exchange, Lifetime } from '../request/exchange.ts'
import { Queries } from '../request/target.ts'
import type { Answer, Handler } from './filter.ts'
import { createExchange } from './receive.ts'

/** How requests in flight are drained. */
export interface DrainOptions {
  /** Maximum milliseconds to wait for requests in flight, which are then aborted. Default 10,000. */
  readonly limit?: number
  /** Milliseconds over which watches are ended, at least 200 per second; 0 (default): at once. */
  readonly watchGrace?: number
  /** Answer new requests with 429 and Retry-After, except health checks and metrics (`--shutdown-send-retry-after`). Default false. */
  readonly sendRetryAfter?: boolean
}

/** Result of a drain. */
export interface Drained {
  /** Requests that were aborted at the limit. */
  readonly aborted: number
  /** Watches that were ended. */
  readonly watches: number
}

export interface RequestGateOptions {
  readonly clock: Clock
  /** Connection of the server's own requests, which are answered until `close`. */
  readonly own: Connection
  /** Answers health checks before `open`, when no caller can be authenticated yet; undefined: it is no health check. */
  readonly health: Health['respond']
  /** Makes ids of requests. */
  nextId(): string
  /** See `Lifetime`. */
  readonly lasts?: ((path: string) => boolean) | undefined
}

/** Counts requests that are being answered. */
class Running {
  #count = 0
  #idle: (() => void)[] = []

  get count(): number {
    return this.#count
  }

  get isIdle(): boolean {
    return this.#count === 0
  }

  enter(): void {
    this.#count++
  }

  readonly leave = (): void => {
    this.#count--
    if (this.#count === 0) for (const callback of this.#idle.splice(0)) callback()
  }

  readonly answered = (response: Response): Response => {
    this.leave()
    return response
  }

  readonly failed = (error: unknown): never => {
    this.leave()
    throw error
  }

  /** Resolves when nothing is running. */
  idle(): Promise<void> {
    return this.isIdle ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve))
  }
}

/** A request in `#pending`. */
class Pending implements Linked<Pending> {
  previous: Pending | undefined
  next: Pending | undefined
  readonly exchange: Exchange

  constructor(exchange: Exchange) {
    this.exchange = exchange
  }
}

/** Minimum number of watches ended per second, as in the reference. */
const minEndingRate = 200
/** Milliseconds between ends of watches. */
const endingInterval = 20
/** Milliseconds in which requests in flight may end. */
const usualLimit = 10_000
/** Milliseconds in which aborted requests may answer. */
const abortGrace = 1_000

const exempt = ['/readyz', '/livez', '/healthz', '/metrics']

/** The response and its headers are the reference's (WithRetryAfter). */
const tryLater = ({ auditId }: Exchange): Response =>
  new Reply('The apiserver is shutting down, please try again later.\n', {
    status: 429,
    headers: { ...plainHeaders, 'audit-id': auditId, connection: 'close', 'retry-after': '5' },
  })

/** As the reference's WithWaitGroup: in JSON, whatever the client accepts. */
const unavailable = ({ auditId }: Exchange, { status }: ApiError): Response =>
  new Reply(`${JSON.stringify(status)}\n`, {
    status: 503,
    headers: { 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff', 'Audit-Id': auditId, 'Retry-After': '1' },
  })

/**
 * The first thing that every request passes. It knows the stage of the server's life: requests are answered from `open` to `close`, and
 * counted, so that `drain` can wait for those in flight.
 */
export class RequestGate implements Lifetime {
  readonly pauses: Pauses
  readonly queries = new Queries()
  readonly lasts: RequestGateOptions['lasts']
  readonly #options: RequestGateOptions
  readonly #closing = new LateAbort()
  readonly #clients = new Running()
  readonly #own = new Running()
  /** Long-running responses whose listener reports when they have been sent. */
  readonly #sending = new Running()
  /** Ends of the requests that last until they are told to end. */
  readonly #lasting = new Set<() => void>()
  /**
   * Requests whose answer is not there yet, and long-running ones that are being sent. Not a Set: V8 replaces its table every few requests, and an
   * old table that waits for a collection of old objects keeps all later ones with their requests, which doubled the time of collections.
   */
  readonly #pending = new LinkedList<Pending>()
  #stage: 'starting' | 'serving' | 'draining' | 'closed' = 'starting'
  #leaving = false
  #sendsRetryAfter = false
  #drained: Promise<Drained> | undefined
  #handle: Handler = (exchange) => this.#tooEarly(exchange)

  constructor(options: RequestGateOptions) {
    this.#options = options
    this.lasts = options.lasts
    this.pauses = new Pauses(options.clock)
  }

  // ── Lifetime of requests ──────────────────────────────────────────────────────────────────────

  get closing(): AbortSignal {
    return this.#closing.signal
  }

  get isClosing(): boolean {
    return this.#closing.isAborted
  }

  onShutdown(end: () => void): () => void {
    if (this.#stage === 'draining' || this.#stage === 'closed') end()
    else this.#lasting.add(end)
    return () => this.#lasting.delete(end)
  }

  // ── Stages ────────────────────────────────────────────────────────────────────────────────────

  /** From here on requests are answered by this handler. */
  open(handle: Handler): void {
    this.#handle = handle
    this.#stage = 'serving'
  }

  /** The server will shut down: only `/readyz` tells. */
  leave(): void {
    this.#leaving = true
  }

  get leaving(): boolean {
    return this.#leaving
  }

  /**
   * Ends watches and waits for the requests in flight. Those that arrive meanwhile are answered, as their connection was accepted before, unless
   * `sendRetryAfter` refuses them; new watches are refused. A second call has the result of the first.
   */
  drain(options: DrainOptions = {}): Promise<Drained> {
    this.#drained ??= this.#drain(options)
    return this.#drained
  }

  async #drain({ limit = usualLimit, watchGrace = 0, sendRetryAfter = false }: DrainOptions): Promise<Drained> {
    this.#leaving = true
    this.#sendsRetryAfter = sendRetryAfter
    if (this.#stage !== 'closed') this.#stage = 'draining'
    const watches = this.#lasting.size
    if (watches === 0 && this.#clients.isIdle) return { aborted: 0, watches }
    const finished = Promise.all([this.#endLasting(watchGrace), this.#clients.idle()])
    const inTime = await this.#within(Math.max(limit, watchGrace), finished)
    const aborted = inTime ? 0 : this.#clients.count
    if (aborted > 0) {
      this.#closing.abort(() => new Error('the server is shutting down'))
      await this.#within(abortGrace, this.#clients.idle())
    }
    return { aborted, watches }
  }

  /** Waits for the server's own requests, at most 10 s. Nothing may send new ones any more. */
  async drainOwn(): Promise<void> {
    if (!this.#own.isIdle) await this.#within(usualLimit, this.#own.idle())
  }

  /** Waits for long-running responses whose end the listener has not reported yet, at most 1 s: filters act on it. */
  async drainSent(): Promise<void> {
    if (!this.#sending.isIdle) await this.#within(abortGrace, this.#sending.idle())
  }

  /** From here on every request is refused, and what still runs is aborted. */
  close(): void {
    this.#stage = 'closed'
    this.#leaving = true
    for (const end of this.#lasting) end()
    this.#closing.abort(() => new Error('the server is closed'))
  }

  // ── Requests ──────────────────────────────────────────────────────────────────────────────────

  answer(request: Request, connection: Connection): Answer {
    const exchange = createExchange(request, connection, this, this.#options.nextId, this.#options.clock.monotonic())
    const own = connection === this.#options.own
    if (this.#stage !== 'serving') {
      const refusal = this.#refusal(exchange, own)
      if (refusal !== undefined) return refusal
    }
    if (exchange.info.longRunning) return this.#long(exchange)
    const running = own ? this.#own : this.#clients
    running.enter()
    let answer: Answer
    try {
      answer = this.#handle(exchange)
    } catch (error) {
      return running.failed(error)
    }
    // An answer that is there already is never seen in flight.
    return answer instanceof Promise ? this.#awaited(exchange, running, answer) : running.answered(answer)
  }

  #awaited(exchange: Exchange, running: Running, answer: Promise<Response>): Promise<Response> {
    const pending = new Pending(exchange)
    this.#pending.add(pending)
    return answer.then(
      (response) => {
        this.#pending.remove(pending)
        return running.answered(response)
      },
      (error: unknown) => {
        this.#pending.remove(pending)
        return running.failed(error)
      },
    )
  }

  /** Requests in flight, the oldest first; responses that are not long-running and only being sent are left out. */
  *inFlight(): Iterable<Exchange> {
    for (const { exchange } of this.#pending) yield exchange
  }

  /** A watch or stream: it is in flight until its response has been sent, if the listener tells. */
  #long(exchange: Exchange): Answer {
    const pending = new Pending(exchange)
    const done = () => this.#pending.remove(pending)
    const answered = (response: Response): Response => {
      if (exchange.connection.whenSent === undefined) {
        done()
        return response
      }
      this.#sending.enter()
      return whenSent(exchange, response, () => {
        done()
        this.#sending.leave()
      })
    }
    const failed = (error: unknown): never => {
      done()
      throw error
    }
    this.#pending.add(pending)
    try {
      const answer = this.#handle(exchange)
      return answer instanceof Promise ? answer.then(answered, failed) : answered(answer)
    } catch (error) {
      return failed(error)
    }
  }

  /** Before `open`. */
  #tooEarly(exchange: Exchange): Answer {
    const { info, query } = exchange
    return this.#options.health({ path: info.path, query }) ?? unavailable(exchange, serviceUnavailable('apiserver is starting', 1))
  }

  /** The response to a request during or after a shutdown; undefined: it is answered. */
  #refusal(exchange: Exchange, own: boolean): Response | undefined {
    const { path, longRunning } = exchange.info
    if (this.#stage === 'closed') return unavailable(exchange, serviceUnavailable('apiserver is shut down', 1))
    if (this.#stage === 'starting' || own || exempt.some((prefix) => path.startsWith(prefix))) return undefined
    if (this.#sendsRetryAfter) return tryLater(exchange)
    return longRunning ? unavailable(exchange, serviceUnavailable('apiserver is shutting down', 1)) : undefined
  }

  /** Ends long-running requests, evenly over `grace` milliseconds. */
  #endLasting(grace: number): Promise<void> {
    const perTurn =
      grace === 0 ? this.#lasting.size : Math.ceil(Math.max(this.#lasting.size / grace, minEndingRate / 1000) * endingInterval)
    return new Promise((resolve) => {
      const turn = () => {
        let left = perTurn
        for (const end of this.#lasting) {
          if (left-- === 0) break
          this.#lasting.delete(end)
          end()
        }
        if (this.#lasting.size === 0) resolve()
        else this.#options.clock.after(endingInterval, turn)
      }
      turn()
    })
  }

  /** True when the promise resolves within this time in milliseconds. */
  #within(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(milliseconds, () => resolve(false))
      void promise.then(() => {
        cancel()
        resolve(true)
      })
    })
  }
}
