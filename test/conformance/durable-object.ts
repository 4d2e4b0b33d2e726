/** Control planes as Durable Objects under workerd, without controllers that create objects in namespaces. */
import {
  ApiServerObject,
  byHost,
  byPath,
  type DurableObjectContext,
  type DurableObjectNamespace,
  routeRequest,
  type ServerOptions,
} from '../../runtimes/edge/index.ts'
import { type ApiServer, type EmbeddedOptions, memoryStore } from '../../runtimes/web/index.ts'
import { suiteControllers } from './suite-controllers.ts'

interface Environment {
  readonly CONTROL_PLANE: DurableObjectNamespace
  /** Options of the server as JSON. */
  readonly OPTIONS?: string
  /** `memory`: the control planes have the memory store, in the same objects. */
  readonly STORE?: string
}

/** Storage of which a sync fails when it is told so. */
function fallible(context: DurableObjectContext): { readonly context: DurableObjectContext; fail(): void } {
  let isFailing = false
  const { storage } = context
  return {
    fail: () => {
      isFailing = true
    },
    context: {
      abort: (reason) => context.abort(reason),
      storage: {
        sql: storage.sql,
        transactionSync: (work) => storage.transactionSync(work),
        sync: () => (isFailing ? Promise.reject(new Error('disk I/O error')) : storage.sync()),
        getAlarm: () => storage.getAlarm(),
        setAlarm: (time) => storage.setAlarm(time),
        deleteAlarm: () => storage.deleteAlarm(),
      },
    },
  }
}

const failSync = '/test/fail-sync'

export class ControlPlane extends ApiServerObject<Environment> {
  readonly #context: DurableObjectContext
  readonly #fail: () => void
  readonly #store: string | undefined

  constructor(given: DurableObjectContext, environment: Environment) {
    const { context, fail } = fallible(given)
    super(context, environment)
    this.#context = given
    this.#fail = fail
    this.#store = environment.STORE
  }

  override options({ OPTIONS = '{}' }: Environment): ServerOptions {
    return { controllers: suiteControllers, ...(JSON.parse(OPTIONS) as ServerOptions) }
  }

  override createServer(options: EmbeddedOptions): Promise<ApiServer> {
    return super.createServer(this.#store === 'memory' ? { ...options, store: memoryStore() } : options)
  }

  /** `/test/rows` starts nothing; a request below `/test/fail-sync` is answered while every sync fails. */
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    if (url.pathname === '/test/rows') return Response.json(this.#rows())
    if (!url.pathname.startsWith(failSync)) return await super.fetch(request)
    this.#fail()
    url.pathname = url.pathname.slice(failSync.length)
    return await super.fetch(new Request(url, request))
  }

  /** Keys in the tables, with as many entries as they have rows, and the number of leases. */
  #rows(): { readonly keys: readonly unknown[]; readonly leases: number } {
    const column = (query: string, name: string) =>
      [...this.#context.storage.sql.exec(query)].map((row) => (row as { readonly [name: string]: unknown })[name])
    try {
      const keys = column('SELECT key FROM apiserver_changes ORDER BY place', 'key')
      return { keys, leases: column('SELECT id FROM apiserver_leases', 'id').length }
    } catch {
      return { keys: [], leases: 0 }
    }
  }
}

const first = (request: Request) => ({ name: 'first', request })

export default {
  fetch: (request: Request, { CONTROL_PLANE: namespace }: Environment): Promise<Response> =>
    routeRequest(request, {
      namespace,
      route: (given) => byPath('/clusters/')(given) ?? byHost('example.com')(given) ?? first(given),
    }),
}
