/** A server inside a test: no port, no process, no file. */
import { rangeProblem } from '../../core/config/bounds.ts'
import { validateServerOptions } from '../../core/options/index.ts'
import { portRows } from '../../core/options/ports.ts'
import { bool, having, integer, limited, list, number, object, type RowsOf, shape, text } from '../../core/options/types.ts'
import { validateOptions } from '../../core/options/validate.ts'
import type { Connection, Telemetry } from '../../core/ports.ts'
import type { ServerOptions } from '../../core/server.ts'
import { origin, requestOf, sendLight, whenTaken } from '../call.ts'
import type { StoreSnapshot } from '../stores/forkable.ts'
import type { TestClock } from './clock.ts'
import type { CustomDefinition, StoredCustom, VersionOf, WrittenCustom } from './custom-types.ts'
import { familyOf } from './families.ts'
import type { Family, Surroundings } from './family.ts'
import type { Faults } from './faults.ts'
import { administrator, type TestUser } from './identity.ts'
import { Interception, type Interceptor } from './interception.ts'
import type { Kinds } from './kinds.ts'
import { type ClientModule, inProcessConfig, portConfig } from './kube-config.ts'
import { applyManifests, readManifests } from './manifests.ts'
import { collectionPath, pathOf } from './object-path.ts'
import { type Caller, type ObjectClient, objectClient } from './objects.ts'
import type { Requests } from './requests.ts'
import { createSecrets, type Secrets } from './secrets.ts'
import { Traffic, withTraffic } from './traffic.ts'
import { type Answer, Answers } from './webhook-answers.ts'
import { functionRows, identityAnswers, identityRows, withIdentityWebhooks } from './webhook-options.ts'
import type { IdentityWebhooks, WebhookFunctions, Webhooks } from './webhook-types.ts'

/** Like `fetch`; takes a path such as `/api/v1/namespaces`, a URL or a Request. The origin of a URL is ignored. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** An API object. */
export interface TestObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/** Immutable state of a server: stored objects, leases, time, keys. Taking a snapshot takes constant time. */
export interface Snapshot {
  readonly store: StoreSnapshot
  /** Milliseconds by which the server's clock was ahead of real time. */
  readonly ahead: number
  /** Generated keys and tokens. */
  readonly secrets: Secrets
}

export interface TestServerOptions extends ServerOptions {
  /** As in `createApiServer`, but default `kubernetes`, so that manifests for `kube-system` can be loaded; `platform` for neutral names. */
  readonly platform?: NonNullable<ServerOptions['platform']>
  /** Snapshot to start from; default: an empty cluster. */
  readonly from?: Snapshot
  /** Default: logs warnings and errors to the console. */
  readonly telemetry?: Telemetry
  /** Functions that authorize requests, and authenticate tokens, in the place of webhooks. */
  readonly webhooks?: IdentityWebhooks
}

export interface ListenOptions {
  /** Default 0: any free port. */
  readonly port?: number
  /** Serve HTTPS with HTTP/1.1 and HTTP/2, and a generated certificate; default false. */
  readonly tls?: boolean
}

export interface Port {
  /** Such as `http://127.0.0.1:40000`. */
  readonly url: string
  /** Bearer token of an administrator. */
  readonly token: string
  /** A KubeConfig of @kubernetes/client-node for this address; the caller passes the module. */
  kubeConfig<Config extends object>(client: ClientModule<Config>): Config
  /** Writes a kubeconfig for kubectl and client-go. They send tokens over TLS only: without `tls` their requests are anonymous. */
  writeKubeconfig(path: string): Promise<void>
  close(): Promise<void>
}

export interface ObjectsOptions {
  /** Default `default`; ignored for cluster-scoped kinds. */
  readonly namespace?: string
  /** Default: an administrator. */
  readonly user?: TestUser
}

/** The client of a kind with a row of types. */
type KindClient<Row> = Row extends { readonly stored: infer T extends object; readonly written: infer W extends object }
  ? ObjectClient<T, W>
  : never

export interface TestServer {
  /** Sends a request as an administrator, or with the credentials of its `Authorization` header. */
  readonly fetch: Fetch
  /** The server's clock. It runs at real speed; `advance` moves it ahead. */
  readonly clock: TestClock
  /** `fetch` for another user. */
  as(user: TestUser): Fetch
  /** A client for the objects of one kind, which knows the types of built-in ones. */
  objects<V extends keyof Kinds & string, K extends keyof Kinds[V] & string>(
    apiVersion: V,
    kind: K,
    options?: ObjectsOptions,
  ): KindClient<Kinds[V][K]>
  /** A client for custom resources, whose type is inferred from their definition, given as a constant: `objects(widgets, 'v1')`. */
  objects<const D extends CustomDefinition, V extends VersionOf<D>>(
    definition: D,
    version: V,
    options?: ObjectsOptions,
  ): ObjectClient<StoredCustom<D, V>, WrittenCustom<D, V>>
  /** A client for objects of another type: `objects<Widget>('example.com/v1', 'Widget')`. */
  objects<T extends object = TestObject>(apiVersion: string, kind: string, options?: ObjectsOptions): ObjectClient<T>
  /** Applies manifests in order: YAML or JSON text with any number of documents, or objects. Returns the stored objects. */
  load(manifests: string | readonly TestObject[], fieldManager?: string): Promise<TestObject[]>
  /**
   * A KubeConfig of @kubernetes/client-node 1.x or 2.x; its clients call this server in memory. The caller passes the module. Under Bun, watches and
   * informers need `listen`, because that package's requests ignore agents there.
   */
  kubeConfig<Config extends object>(client: ClientModule<Config>, user?: TestUser): Promise<Config>
  /** Listens on 127.0.0.1, for clients in other processes. */
  listen(options?: ListenOptions): Promise<Port>
  /**
   * Intercepts every request, in-process or over a port, to count, delay or fail it: returns a response, or calls `next`. The returned function
   * removes the interceptor.
   */
  intercept(interceptor: Interceptor): () => void
  /** What goes wrong on request: `faults.add({ verb: 'update', resource: 'configmaps', times: 1, then: 409 })`. Forks have faults of their own. */
  readonly faults: Faults
  /** What was asked since the first use of this property, by whom, and what it changed. */
  readonly requests: Requests
  /**
   * Webhooks as functions: configures them, and resolves when they are in effect. The server calls them with its own matching, order, timeouts and
   * failure policies, without a port or a certificate. Forks call them, too.
   */
  webhooks(functions: WebhookFunctions): Promise<Webhooks>
  /** The state at this moment: objects, leases, time, keys. It never changes, and takes constant time. */
  snapshot(): Snapshot
  /** Replaces the server's state by a snapshot of this server or another. Open watches end. */
  restore(snapshot: Snapshot): Promise<void>
  /** An independent server with the same state. */
  fork(): Promise<TestServer>
  /** Closes its ports and ends. After it, everything else is refused with an error. */
  close(): Promise<void>
}

const snapshotType = having({
  store: having({ base: object, leases: list(object), attached: object }),
  ahead: number,
  secrets: having({ signingKey: text, token: text }),
})
const portNumber = limited(integer, (value: number) => rangeProblem(value, { min: 0, max: 65535 }))
const listenRows = { port: portNumber, tls: bool } satisfies RowsOf<ListenOptions>
const userType = shape({ name: text, groups: list(text) } satisfies RowsOf<TestUser>, ['name'])
const objectsRows = { namespace: text, user: userType } satisfies RowsOf<ObjectsOptions>

const validateUser = (caller: string, user: TestUser) => validateOptions(caller, { user: userType }, { user }, { required: ['user'] })

/** The request of a call of `fetch`. Throws a TypeError for a text that is neither a path nor a URL. */
function builtInRequest(input: string | URL | Request, init: RequestInit | undefined): Request {
  if (input instanceof Request && !init) return input
  if (typeof input !== 'string') return new Request(input, init)
  if (input.startsWith('/')) return new Request(origin + input, init)
  if (!URL.canParse(input)) throw new TypeError(`fetch: ${JSON.stringify(input)} is neither a path, which starts with a slash, nor a URL`)
  return new Request(input, init)
}

/** Starts a server. All options are optional; by default all requests are authorized (see `authorizationModes`). */
export async function startTestServer(given: TestServerOptions = {}): Promise<TestServer> {
  // Anything else than an object is refused with the other options.
  const isObject = typeof given === 'object' && given !== null
  const { webhooks = {}, ...options } = isObject ? given : {}
  validateOptions('startTestServer', identityRows, { webhooks })
  const completed = isObject ? withIdentityWebhooks(options, webhooks) : given
  validateServerOptions('startTestServer', completed, { from: snapshotType, telemetry: portRows.telemetry })
  const { from, telemetry, platform = 'kubernetes', ...others } = completed
  return startIn(familyOf({ platform, ...others }, telemetry), from, new Answers(identityAnswers(webhooks)))
}

export interface HostedOptions extends Surroundings {
  /** Default: an empty cluster. */
  readonly from?: Snapshot
  /** What answers calls of webhooks, by their URLs. */
  readonly answers: Iterable<readonly [url: string, answer: Answer]>
  readonly telemetry: Telemetry
}

/** Starts one of many servers of a program, with valid options. */
export function startHosted(options: ServerOptions, { from, answers, telemetry, ...surroundings }: HostedOptions): Promise<TestServer> {
  return startIn(familyOf(options, telemetry), from, new Answers(answers), surroundings)
}

/** The state of a new server of a program, with keys of its own. Rejects with an OptionError. */
export async function newHostedState(options: ServerOptions, telemetry: Telemetry): Promise<Snapshot> {
  const secrets = await createSecrets()
  return { store: await familyOf(options, telemetry).newState(secrets), ahead: 0, secrets }
}

/** Whether a server of a program with these options has left no work for controllers in this state: see `Surroundings.settled`. */
export const isSettled = (options: ServerOptions, telemetry: Telemetry, { store }: Snapshot): boolean =>
  familyOf(options, telemetry).isSettled(store)

/**
 * The properties of a server that are read each time. A class, because V8 keeps what a getter of an object literal reads until it collects old objects:
 * thousands of closed forks.
 */
class Live {
  readonly #read: () => { readonly clock: TestClock; readonly traffic: Traffic }

  constructor(read: () => { readonly clock: TestClock; readonly traffic: Traffic }) {
    this.#read = read
  }

  get clock(): TestClock {
    return this.#read().clock
  }

  get faults(): Faults {
    return this.#read().traffic.faults
  }

  get requests(): Requests {
    return this.#read().traffic.requests
  }
}

/** Starts a server of a family. */
async function startIn(family: Family, from: Snapshot | undefined, answers: Answers, surroundings?: Surroundings): Promise<TestServer> {
  const { identities } = family
  let secrets = from?.secrets ?? (await createSecrets())
  let running = await family.run(secrets, from, answers, surroundings)
  let configurations = 0
  const closers = new Set<() => Promise<void>>()

  async function end(): Promise<void> {
    for (const close of closers) await close()
    await running.stop()
  }

  const interception = new Interception()
  const traffic = new Traffic({
    handle: (request, connection) => running.fetch(request, connection),
    clock: () => running.clock,
    revision: () => running.snapshot().base.versions.revision,
    userOf: (connection) => identities.userOf(connection)?.name,
    administrator: identities.connectionOf(administrator),
  })
  const isSeen = () => interception.isActive || traffic.isActive
  const intercepted = interception.wrap(traffic.handle)
  let closing: Promise<void> | undefined
  const assertOpen = () => {
    if (closing !== undefined) throw new Error('the test server is closed')
  }
  const handle = async (request: Request, connection: Connection) => {
    assertOpen()
    return intercepted(request, connection)
  }
  const as = (user: TestUser): Fetch => {
    const connection = identities.connectionOf(user)
    return async (input, init) => handle(builtInRequest(input, init), connection)
  }
  const fetch = as(administrator)
  const callerFor = (user: TestUser): Caller => {
    const connection = identities.connectionOf(user)
    const direct = identities.connectionOf(user, { whenSent: whenTaken })
    return {
      async send(call) {
        assertOpen()
        return isSeen() ? handle(requestOf(call), connection) : sendLight(call, (request) => running.answer(request, direct))
      },
      async collectionPath(apiVersion, kind, namespace) {
        assertOpen()
        // Interceptors see discovery.
        const place = interception.isActive ? undefined : await running.placeOf(apiVersion, kind)
        return place ? pathOf(apiVersion, place, namespace) : collectionPath(as(user), apiVersion, kind, namespace)
      },
    }
  }
  const snapshot = (): Snapshot => {
    assertOpen()
    return { store: running.snapshot(), ahead: running.clock.ahead, secrets }
  }

  const methods: Omit<TestServer, keyof Live> = {
    fetch,
    as(user) {
      assertOpen()
      validateUser('as', user)
      return as(user)
    },
    snapshot,
    intercept(interceptor) {
      assertOpen()
      return interception.add(interceptor)
    },
    objects(of: string | CustomDefinition, name: string, objectsOptions: ObjectsOptions = {}) {
      assertOpen()
      validateOptions('objects', objectsRows, objectsOptions)
      const { namespace, user = administrator } = objectsOptions
      const [apiVersion, kind] = typeof of === 'string' ? [of, name] : [`${of.spec.group}/${name}`, of.spec.names.kind]
      // The overloads say which type it is.
      return objectClient(callerFor(user), apiVersion, kind, namespace) as ObjectClient<never, never>
    },
    async webhooks(functions) {
      assertOpen()
      validateOptions('webhooks', functionRows, functions)
      const { installWebhooks } = await import('./webhooks.ts')
      return installWebhooks(functions, `test-${++configurations}`, answers, callerFor(administrator))
    },
    load: async (manifests, fieldManager = 'test') =>
      applyManifests(typeof manifests === 'string' ? readManifests(manifests) : manifests, callerFor(administrator), fieldManager),
    async kubeConfig(client, user = administrator) {
      assertOpen()
      validateUser('kubeConfig', user)
      const connection = identities.connectionOf(user)
      return inProcessConfig(client, origin, user.name, callerFor(user).send, (request) => handle(request, connection))
    },
    async listen(listenOptions = {}) {
      assertOpen()
      validateOptions('listen', listenRows, listenOptions)
      const { port = 0, tls = false } = listenOptions
      const ports = await import('./port.ts')
      const opened = await (tls ? ports.openTlsPort : ports.openPort)(port, handle)
      const close = async () => {
        closers.delete(close)
        await opened.close()
      }
      closers.add(close)
      const { url } = opened
      const { token } = secrets
      return {
        url,
        token,
        close,
        kubeConfig: (client) => portConfig(client, opened, administrator.name, token),
        writeKubeconfig: (path) => ports.writeKubeconfig(path, opened, administrator.name, token),
      }
    },
    async restore(world) {
      assertOpen()
      // Before this server stops: it keeps its state when the argument is wrong.
      validateOptions('restore', { snapshot: snapshotType }, { snapshot: world }, { required: ['snapshot'] })
      await running.stop()
      secrets = world.secrets
      running = await family.run(secrets, world, answers, surroundings)
    },
    fork: async () => startIn(family, snapshot(), answers.fork()),
    close: () => (closing ??= end()),
  }
  const live = new Live(() => {
    assertOpen()
    return { clock: running.clock, traffic }
  })
  return withTraffic(Object.assign(live, methods), traffic)
}
