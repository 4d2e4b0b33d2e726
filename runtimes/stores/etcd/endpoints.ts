/** The members of a cluster: uses one until it fails, then the next. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, type Context, type Logger, StoreError } from '../../../core/ports.ts'
import type { SocketOptions } from '../../wire/client/socket.ts'
import { type CallOptions, type Client, openClient } from './client.ts'
import { isMemberFault, storeError, wasUntouched } from './errors.ts'

/** Milliseconds. */
export interface CallTimeouts {
  /** Maximum time of one operation. etcd's own timeout is seven seconds, and its error is more precise. */
  readonly request: number
  /** Maximum time that a read waits for one member before it tries another. */
  readonly attempt: number
}

type Run<T> = (client: Client, options: CallOptions) => Promise<T>

const roundsOfReads = 2
const pauseBetweenRounds = 200

export class Endpoints {
  readonly #clients: readonly Client[]
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #timeouts: CallTimeouts
  readonly #movers = new Set<(left: Client) => void>()
  #index: number

  private constructor(clients: readonly Client[], clock: Clock, logger: Logger, timeouts: CallTimeouts) {
    this.#clients = clients
    this.#clock = clock
    this.#logger = logger
    this.#timeouts = timeouts
    // Start at a random member, so that replicas of this server are spread.
    this.#index = Math.floor(Math.random() * clients.length)
  }

  static open(servers: readonly string[], tls: SocketOptions, clock: Clock, logger: Logger, timeouts: CallTimeouts): Endpoints {
    const clients = servers.map((server) => openClient(server, tls, clock, logger))
    if (clients.length === 0) throw new StoreError('unavailable', 'no servers are configured')
    return new Endpoints(clients, clock, logger, timeouts)
  }

  get current(): Client {
    return this.#clients[this.#index]!
  }

  /** Calls `moved` with the previous member after each switch to the next one. */
  onMove(moved: (left: Client) => void): void {
    this.#movers.add(moved)
  }

  /** Reports that a member failed: switches to the next one, if there are several. */
  failed(client: Client, error: StoreError): void {
    if (client !== this.current || this.#clients.length === 1) return
    this.#index = (this.#index + 1) % this.#clients.length
    this.#logger.warn({ server: client.server, next: this.current.server, error: error.message }, 'etcd member failed; using the next one')
    for (const moved of this.#movers) moved(client)
  }

  /** Runs an idempotent operation: tries every member up to twice, until the context ends. */
  async repeatable<T>(run: Run<T>, context?: Context): Promise<T> {
    const end = this.#clock.monotonic() + this.#timeouts.request
    const attempts = this.#clients.length * roundsOfReads
    for (let attempt = 1; ; attempt++) {
      const latest = this.#clients.length > 1 ? this.#clock.monotonic() + this.#timeouts.attempt : end
      const client = this.current
      try {
        return await run(client, { deadline: Math.min(end, latest), context, span: context?.span })
      } catch (thrown) {
        context?.signal.throwIfAborted()
        const error = this.#judged(client, thrown)
        if (!isMemberFault(error) || attempt === attempts || this.#clock.monotonic() >= end) throw error
      }
      // Unlike the clock's timers this one keeps the process alive: a caller waits for the response.
      if (attempt % this.#clients.length === 0) await sleep(pauseBetweenRounds)
    }
  }

  /**
   * Runs an operation that is not idempotent: tries another member only after errors that prove that it was not executed, until the context
   * ends. An attempt that has begun is awaited.
   */
  async once<T>(run: Run<T>, context?: Context): Promise<T> {
    const end = this.#clock.monotonic() + this.#timeouts.request
    for (let left = this.#clients.length; ; left--) {
      const client = this.current
      try {
        return await run(client, { deadline: end, span: context?.span })
      } catch (thrown) {
        const error = this.#judged(client, thrown)
        if (left === 1 || !wasUntouched(error)) throw error
        context?.signal.throwIfAborted()
      }
    }
  }

  close(): void {
    for (const client of this.#clients) client.close()
  }

  /** Converts an error, and switches to the next member if this one is at fault. */
  #judged(client: Client, thrown: unknown): StoreError {
    const error = storeError(thrown)
    if (isMemberFault(error)) this.failed(client, error)
    return error
  }
}
