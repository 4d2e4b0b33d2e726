/** The way of requests through the faults of a test, and into its memory. It is used from the moment a test asks for one of them. */
import type { Clock, Connection } from '../../core/ports.ts'
import { origin } from '../call.ts'
import { Faults, refusal, type Verdict } from './faults.ts'
import { pauseOn } from './pause.ts'
import { Requests, SeenRequest } from './requests.ts'
import { factsOf, isWrite, type RequestFacts } from './selection.ts'
import { FrameReader } from './watch-frames.ts'

type Handle = (request: Request, connection: Connection) => Promise<Response>

export interface TrafficServer {
  readonly handle: Handle
  clock(): Pick<Clock, 'after'>
  /** Current revision. */
  revision(): number
  /** Name of the user of a connection in this process. */
  userOf(connection: Connection): string | undefined
  readonly administrator: Connection
}

/** An open watch. */
interface OpenWatch {
  readonly asked: RequestFacts
  break(): void
}

/** Credentials whose users are remembered. */
const maxKnown = 1_000
const noBody = new Set(['GET', 'HEAD', 'DELETE'])

class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection'
  constructor() {
    super('the connection broke: a fault of the test')
  }
}

/** A response that breaks: in this process its body can't be read, and over a port the connection ends. */
const broken = () =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.error(new BrokenConnection()),
    }),
    { headers: { 'content-type': 'application/json' } },
  )

/** On the server itself: collections of short-lived objects keep the values of a WeakMap, and with them closed servers. */
const key = Symbol('traffic')

/** The traffic of a test server. */
export const trafficOf = (server: object): Traffic => (server as { readonly [key]: Traffic })[key]

/** Lets a server's traffic be found. */
export const withTraffic = <T extends object>(server: T, traffic: Traffic): T => Object.defineProperty(server, key, { value: traffic })

export class Traffic {
  readonly #server: TrafficServer
  readonly #watches = new Set<OpenWatch>()
  readonly #known = new Map<string, Promise<string>>()
  #faults: Faults | undefined
  #requests: Requests | undefined
  /** Requests without an answer. */
  pending = 0
  /** Watches that hold events back. */
  holding = 0

  constructor(server: TrafficServer) {
    this.#server = server
  }

  /** Whether anything looks at requests. */
  get isActive(): boolean {
    return this.#faults !== undefined || this.#requests !== undefined
  }

  get faults(): Faults {
    this.#faults ??= new Faults(
      () => this.#server.revision(),
      (user) => this.#breakWatches(user),
    )
    return this.#faults
  }

  get requests(): Requests {
    this.#requests ??= new Requests()
    return this.#requests
  }

  readonly handle: Handle = async (request, connection) => {
    if (!this.isActive) return this.#server.handle(request, connection)
    const user = await this.#userOf(request, connection)
    const body = noBody.has(request.method) ? undefined : new Uint8Array(await request.arrayBuffer())
    const asked = factsOf(request, user, body && new TextDecoder().decode(body))
    const again = body
      ? new Request(request.url, { method: request.method, headers: [...request.headers], body, signal: request.signal })
      : request
    // The response that the server made may never be sent. The object identifies the users of calls in this process.
    const { whenSent, ...rest } = connection
    const seen = new SeenRequest(asked)
    const changed = this.#requests && Requests.add(this.#requests, seen)
    const isShort = asked.verb !== 'watch'
    if (isShort) this.pending++
    try {
      const response = await this.#answer(again, whenSent ? rest : connection, asked, changed)
      SeenRequest.answered(seen, response === undefined ? 0 : response.status)
      return response ?? broken()
    } finally {
      if (isShort) this.pending--
    }
  }

  /** Undefined: the connection breaks. */
  async #answer(
    request: Request,
    connection: Connection,
    asked: RequestFacts,
    changed: ReturnType<typeof Requests.add> | undefined,
  ): Promise<Response | undefined> {
    const verdict = this.#faults && Faults.ofRequest(this.#faults, asked)
    const { then } = verdict ?? {}
    if (typeof then === 'number') return refusal(then, asked)
    if (then === 'lose') return undefined
    if (typeof then === 'object' && 'latency' in then) await this.#pause(then.latency, request)
    const ask = () => this.#server.handle(then === 'stale' ? this.#stale(request, asked, verdict as Verdict) : request, connection)
    const response = changed && isWrite(asked) ? await this.#noted(asked, ask, changed) : await ask()
    // A user may have been stopped meanwhile: nothing reaches it any more.
    if (then === 'break' || then === 'stop' || (this.#faults && Faults.isStopped(this.#faults, asked))) {
      response.body?.cancel().catch(() => undefined)
      if (then === 'stop' && this.#faults) Faults.done(this.#faults, asked)
      return undefined
    }
    if (typeof then === 'object' && 'late' in then) await this.#pause(then.late, request)
    if (then === 'stale' && asked.verb === 'get' && response.ok) return staleObject(response, asked)
    return asked.verb === 'watch' && response.ok && response.body ? this.#watched(response, response.body, asked) : response
  }

  async #pause(milliseconds: number, { signal }: Pick<Request, 'signal'>): Promise<void> {
    await pauseOn(this.#server.clock(), milliseconds, signal)
  }

  /** A read of the state at a revision: of one object, a list with it alone. */
  #stale(request: Request, { verb, name }: RequestFacts, { revision }: Verdict): Request {
    if (verb !== 'get' && verb !== 'list') return request
    const url = new URL(request.url)
    if (verb === 'get') {
      url.pathname = url.pathname.slice(0, url.pathname.lastIndexOf(`/${encodeURIComponent(name)}`))
      url.searchParams.set('fieldSelector', `metadata.name=${name}`)
    }
    url.searchParams.set('resourceVersion', String(revision))
    url.searchParams.set('resourceVersionMatch', 'Exact')
    const headers = new Headers([...request.headers])
    headers.set('accept', 'application/json')
    return new Request(url, { headers, signal: request.signal })
  }

  /** Notes the object before and after a write. */
  async #noted(asked: RequestFacts, ask: () => Promise<Response>, changed: (before: string, after: string) => void): Promise<Response> {
    const before = await this.#textOf(asked)
    const response = await ask()
    const isDry = new URL(origin + asked.path).searchParams.has('dryRun')
    if (response.ok && !isDry) changed(before, await this.#textOf(asked.name === '' ? { ...asked, name: await nameOf(response) } : asked))
    return response
  }

  /** The object of a request as it is, for a diff; empty: there is none. */
  async #textOf({ path, name, verb }: RequestFacts): Promise<string> {
    if (name === '') return ''
    const { pathname } = new URL(origin + path)
    const segments = pathname.split('/')
    const at = segments.lastIndexOf(encodeURIComponent(name))
    const target = verb === 'create' && at < 0 ? `${pathname}/${encodeURIComponent(name)}` : segments.slice(0, at + 1).join('/')
    const response = await this.#server.handle(new Request(origin + target), this.#server.administrator)
    const text = await response.text()
    if (!response.ok) return ''
    const { metadata, ...object } = JSON.parse(text) as { metadata?: { managedFields?: unknown; resourceVersion?: unknown } }
    const { managedFields: _fields, resourceVersion: _version, ...others } = metadata ?? {}
    return JSON.stringify({ ...object, metadata: others })
  }

  #watched(response: Response, body: ReadableStream<Uint8Array>, asked: RequestFacts): Response {
    const reader = body.getReader()
    const frames = new FrameReader(response.headers.get('content-type') ?? '')
    const waiting: Uint8Array<ArrayBuffer>[] = []
    const ends = new AbortController()
    const watch: OpenWatch = { asked, break: () => ends.abort(new BrokenConnection()) }
    const end = () => {
      this.#watches.delete(watch)
      reader.cancel().catch(() => undefined)
    }
    this.#watches.add(watch)
    const stopped = new Promise<never>((_, reject) =>
      ends.signal.addEventListener('abort', () => reject(ends.signal.reason), { once: true }),
    )
    stopped.catch(() => undefined)
    const next = async (): Promise<Uint8Array<ArrayBuffer> | undefined> => {
      while (waiting.length === 0) {
        const { value } = await Promise.race([reader.read(), stopped])
        if (value === undefined) return undefined
        for (const frame of frames.push(value)) waiting.push(frame)
      }
      return waiting.shift()
    }
    const events = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        try {
          const frame = await next()
          if (frame === undefined) {
            end()
            return controller.close()
          }
          await this.#deliver(asked, watch, ends.signal)
          ends.signal.throwIfAborted()
          controller.enqueue(frame)
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      cancel: end,
    })
    return new Response(events, { status: response.status, headers: response.headers })
  }

  /** What happens to an event before it is delivered. */
  async #deliver(asked: RequestFacts, watch: OpenWatch, signal: AbortSignal): Promise<void> {
    const then = this.#faults && Faults.ofEvent(this.#faults, asked)
    if (then === 'drop') watch.break()
    else if (typeof then === 'object' && 'hold' in then) {
      this.holding++
      await this.#pause(then.hold, { signal }).finally(() => this.holding--)
    }
  }

  #breakWatches(user: string): void {
    for (const watch of this.#watches) if (watch.asked.user === user) watch.break()
  }

  async #userOf(request: Request, connection: Connection): Promise<string> {
    const impersonated = request.headers.get('impersonate-user')
    if (impersonated !== null) return impersonated
    const credential = request.headers.get('authorization')
    const own = credential === null ? this.#server.userOf(connection) : undefined
    if (own !== undefined) return own
    const key = credential ?? ''
    const known = this.#known.get(key) ?? this.#review(credential, connection)
    if (this.#known.size < maxKnown) this.#known.set(key, known)
    return known
  }

  /** Asks the server who that is. */
  async #review(credential: string | null, { whenSent: _, ...connection }: Connection): Promise<string> {
    const headers = { 'content-type': 'application/json', ...(credential !== null && { authorization: credential }) }
    const request = new Request(`${origin}/apis/authentication.k8s.io/v1/selfsubjectreviews`, { method: 'POST', headers, body: '{}' })
    const response = await this.#server.handle(request, connection)
    const text = await response.text()
    if (!response.ok) return response.status === 401 ? '' : 'system:anonymous'
    return (JSON.parse(text) as { status: { userInfo: { username: string } } }).status.userInfo.username
  }
}

/** The name in the response to a creation with a generated name. */
async function nameOf(response: Response): Promise<string> {
  try {
    return ((await response.clone().json()) as { metadata: { name: string } }).metadata.name
  } catch {
    return ''
  }
}

/** The object of a list with at most one. */
async function staleObject(response: Response, asked: RequestFacts): Promise<Response> {
  const { items = [], kind, apiVersion } = (await response.json()) as { items?: object[]; kind: string; apiVersion: string }
  const [object] = items
  return object ? Response.json({ kind: kind.replace(/List$/, ''), apiVersion, ...object }) : refusal(404, asked)
}
