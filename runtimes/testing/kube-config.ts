/** Configurations for @kubernetes/client-node 1.x and 2.x. The caller passes the module: this package does not depend on it. */
import type { Send } from '../call.ts'

/** The part of the module that is used here. */
export interface ClientModule<Config extends object> {
  readonly KubeConfig: new () => Config
  readonly ServerConfiguration: new (url: string, variables: Record<string, string>) => object
  readonly ResponseContext: new (status: number, headers: Record<string, string>, body: ResponseBody) => object
  createConfiguration(parameters: object): object
  wrapHttpLibrary(library: { send(request: never): Promise<never> }): object
}

interface ResponseBody {
  text(): Promise<string>
  binary(): Promise<never>
  /** Since 2.0. */
  stream(): ReadableStream<Uint8Array> | null
}

/** The part of `KubeConfig` that is used here. */
interface ConfigObject {
  loadFromClusterAndUser(cluster: object, user: object): void
  makeApiClient: (api: new (configuration: object) => object) => object
  /** Prepares requests of node:http and of WebSockets; in 1.x also watches. */
  applyToHTTPSOptions: (options: { agent?: unknown }) => Promise<void>
  /** Prepares all other requests. */
  applySecurityAuthentication: (context: AuthenticatedRequest) => Promise<void>
}

/** A request that gets credentials; with a dispatcher of undici since 2.0. */
interface AuthenticatedRequest {
  getDispatcher?(): object | undefined
  setDispatcher?(dispatcher: object): void
}

interface ClientRequest {
  getUrl(): string
  getHttpMethod(): string
  getHeaders(): Record<string, string>
  getBody(): RequestInit['body']
  getSignal?(): AbortSignal | undefined
}

/** For a server at a port; `authority` is the PEM of its certificate's issuer, absent without TLS. */
export function portConfig<Config extends object>(
  client: ClientModule<Config>,
  { url: server, authority }: { readonly url: string; readonly authority?: string },
  name: string,
  token: string,
): Config {
  const config = new client.KubeConfig()
  // client-node refuses plain HTTP unless TLS verification is off.
  const trust = authority === undefined ? { skipTLSVerify: true } : { caData: btoa(authority), skipTLSVerify: false }
  ;(config as unknown as ConfigObject).loadFromClusterAndUser({ name, server, ...trust }, { name, token })
  return config
}

/** For a server in this process: API clients call `ask`; watches call `handle`, over an in-memory connection. */
export async function inProcessConfig<Config extends object>(
  client: ClientModule<Config>,
  server: string,
  name: string,
  ask: Send,
  handle: (request: Request) => Promise<Response>,
): Promise<Config> {
  const config = new client.KubeConfig()
  const object = config as unknown as ConfigObject
  object.loadFromClusterAndUser({ name, server, skipTLSVerify: true }, { name })
  const httpApi = client.wrapHttpLibrary({ send: (request: ClientRequest) => send(client, request, ask) } as never)
  const configuration = client.createConfiguration({ baseServer: new client.ServerConfiguration(server, {}), httpApi })
  object.makeApiClient = (api) => new api(configuration)
  const { memoryAgent, memoryConnections, memoryDispatcher } = await import('./memory-agent.ts')
  const connect = memoryConnections(handle)
  const agent = memoryAgent(connect)
  const apply = object.applyToHTTPSOptions.bind(config)
  object.applyToHTTPSOptions = async (options) => {
    await apply(options)
    options.agent = agent
  }
  let dispatcher: object | undefined
  const authenticate = object.applySecurityAuthentication.bind(config)
  object.applySecurityAuthentication = async (request) => {
    await authenticate(request)
    const usual = request.getDispatcher?.()
    if (usual === undefined) return
    dispatcher ??= memoryDispatcher(connect, usual)
    request.setDispatcher?.(dispatcher)
  }
  return config
}

async function send<Config extends object>(client: ClientModule<Config>, request: ClientRequest, ask: Send): Promise<object> {
  const body = request.getBody()
  const { pathname, search } = new URL(request.getUrl())
  const headers = Object.entries(request.getHeaders()).flatMap(([name, value]) => [name.toLowerCase(), value])
  const response = await ask({
    method: request.getHttpMethod(),
    target: pathname + search,
    headers,
    // Bodies of this API's clients are texts.
    ...(body != null && { body: typeof body === 'string' ? body : await new Response(body).text() }),
    signal: request.getSignal?.(),
  })
  return new client.ResponseContext(response.status, Object.fromEntries(response.headers.entries()), {
    text: () => response.text(),
    binary: async () => Buffer.from(await response.arrayBuffer()) as never,
    stream: () => response.body,
  })
}
