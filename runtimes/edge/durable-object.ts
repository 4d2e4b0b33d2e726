import type { KeyValueStore } from '../../core/ports.ts'
import { messageOf } from '../../core/schema/message-of.ts'
import type { ApiServer, ServerOptions } from '../../core/server.ts'
import { boundedStore } from '../stores/bounded.ts'
import { type DurableObjectStorage, durableObjectDatabase } from '../stores/sql/durable-object.ts'
import { sqlStore } from '../stores/sql.ts'
import { createEmbedded } from '../web/embedded.ts'
import type { EmbeddedOptions } from '../web/embedded-options.ts'
import { failure } from './failure.ts'
import { routedUser } from './routed-user.ts'
import { type AlarmStorage, Upkeep } from './upkeep.ts'
import { answer } from './web-sockets.ts'

/** What the runtime gives a Durable Object's constructor. */
export interface DurableObjectContext {
  readonly storage: DurableObjectStorage & AlarmStorage
  /** Ends the object: the next request starts it anew. */
  abort(reason: string): void
}

/**
 * Bytes of stored objects that fit into the 128 MiB of an isolate, with what the server itself needs: 50,000 objects of 350 bytes. New objects
 * beyond them are refused with status 507.
 */
const memory = { bytes: 64 * 1024 * 1024, perObject: 1_024 } as const
/** Milliseconds; that of `createApiServer`. */
const compactionInterval = 300_000
/** Bytes of replaced values between compactions, which are in the database only. */
const pastBytes = 32 * 1024 * 1024
/**
 * Seconds that a watch lasts at least, and less than twice as long, when its client asks for no other time. Clients begin a new one then. The
 * default is half an hour, but a runtime that does not tell when a client has left keeps its watch until the next event.
 */
const minRequestTimeout = 150

/**
 * A control plane as a Durable Object with SQLite. Export it from the worker's module, and list it below `new_sqlite_classes` of the
 * configuration; a subclass chooses the server's options:
 *
 *     export class ControlPlane extends ApiServerObject<{ TOKEN: string }> {
 *       override options({ TOKEN }) { return { authorizationModes: ['RBAC'], … } }
 *     }
 *
 * A write is acknowledged when it is durable. Alarms wake the object for what has a date: leases, such as those of events, and compaction. When
 * storage fails, the object ends itself, and the next request finds what storage has.
 */
export class ApiServerObject<Environment = unknown> {
  readonly #context: DurableObjectContext
  readonly #options: ServerOptions
  readonly #upkeep: Upkeep
  #store: Promise<KeyValueStore> | undefined
  #server: Promise<ApiServer> | undefined

  constructor(context: DurableObjectContext, environment: Environment) {
    this.#context = context
    this.#options = this.options(environment)
    this.#upkeep = new Upkeep(context.storage, this.#options.compactionInterval ?? compactionInterval)
  }

  /** Options of the server, for subclasses. Default: `createApiServer`'s, so that all requests are authorized. */
  options(_environment: Environment): ServerOptions {
    return {}
  }

  /**
   * Creates the server. It is made without what edge runtimes rarely have, so that a bundle stays small: files (of encryption, authorization,
   * admission plugins), issuers of JSON web tokens, audit, traces, profiles, and connections to nodes, pods and services. `createApiServer` of
   * `fetch-apiserver` has all of it: a subclass may return its result.
   */
  createServer(options: EmbeddedOptions): Promise<ApiServer> {
    return createEmbedded({}, options)
  }

  async fetch(request: Request): Promise<Response> {
    try {
      this.#server ??= this.#start()
      return await answer(await this.#server, request)
    } catch (error) {
      this.#server = undefined
      return failure('ServiceUnavailable', `the control plane does not start: ${messageOf(error)}`)
    }
  }

  /** Called by the runtime at the time of the alarm. */
  async alarm(): Promise<void> {
    await this.#upkeep.run(await this.#open())
  }

  #open(): Promise<KeyValueStore> {
    this.#store ??= this.#openStore().catch((error: unknown) => {
      this.#store = undefined
      throw error
    })
    return this.#store
  }

  async #openStore(): Promise<KeyValueStore> {
    const ended = ({ message }: Error) => this.#context.abort(message)
    const store = sqlStore({ database: this.#upkeep.observe(durableObjectDatabase(this.#context.storage)), pastBytes, ended })
    await this.#upkeep.follow(store)
    return boundedStore(store, memory)
  }

  async #start(): Promise<ApiServer> {
    const { authenticators = [], ...options } = this.#options
    return await this.createServer({
      minRequestTimeout,
      // workerd notices that a client has left when it sends something.
      repeatBookmarks: true,
      ...options,
      store: await this.#open(),
      // `Upkeep` compacts: a timer ends with the object.
      compactionInterval: 0,
      authenticators: [routedUser, ...authenticators],
    })
  }
}
