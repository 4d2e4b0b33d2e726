/** Answers, in this process, the calls that a server makes to webhooks. */
import { untilAborted } from '../../core/common/abort.ts'
import type { Clock, Outbound } from '../../core/ports.ts'
import { encodeBase64 } from '../../core/schema/formats/base64.ts'
import { encodeUtf8 } from '../../core/schema/formats/utf8.ts'
import { messageOf } from '../../core/schema/message-of.ts'
import { changesOf, patchOf } from './changes.ts'
import { pauseOn } from './pause.ts'
import type {
  AccessQuestion,
  AdmissionAnswer,
  AdmissionFunction,
  AdmissionRequest,
  AuthorizationFunction,
  ConversionFunction,
  ReviewedObject,
  TokenFunction,
} from './webhook-types.ts'

/** No name server knows this host (RFC 6761). */
const origin = 'https://webhooks.test'

/** Kinds of webhooks: the first segment of their paths. */
export type WebhookKind = 'validating' | 'mutating' | 'conversion' | 'authorization' | 'token'

export const urlOf = (kind: WebhookKind, name = '') => `${origin}/${kind}${name && `/${encodeURIComponent(name)}`}`

/** Answers a call. */
export type Answer = (request: Request, clock: Pick<Clock, 'after'>) => Promise<Response>

/** A review as it is sent. */
interface Review<R> {
  readonly request: R
  readonly [field: string]: unknown
}

const replied = (review: object) => Response.json(review)

/** An admission webhook. `mutating`: what the function changes in the object becomes the patch. */
export function admissionAnswer(handle: AdmissionFunction['bivariance'], mutating: boolean): Answer {
  return async (asked) => {
    const { request, ...review } = (await asked.json()) as Review<AdmissionRequest>
    const before = structuredClone(request.object)
    const result = await handle(request)
    if (result instanceof Response) return result
    const answer: AdmissionAnswer =
      typeof result === 'string' ? { allowed: false, status: { message: result } } : (result ?? { allowed: true })
    const operations = mutating && answer.allowed ? patchOf(changesOf(before, request.object)) : []
    const patch = operations.length > 0 && { patchType: 'JSONPatch', patch: encodeBase64(encodeUtf8(JSON.stringify(operations))) }
    return replied({ ...review, response: { ...answer, uid: request.uid, ...patch } })
  }
}

interface ConversionRequest {
  readonly uid: string
  readonly desiredAPIVersion: string
  readonly objects: readonly ReviewedObject[]
}

async function converted({ desiredAPIVersion, objects }: ConversionRequest, convert: ConversionFunction['bivariance']): Promise<object> {
  try {
    const convertedObjects = await Promise.all(
      objects.map(async (object) => ({ ...(await convert(object, desiredAPIVersion)), apiVersion: desiredAPIVersion })),
    )
    return { convertedObjects, result: { status: 'Success' } }
  } catch (error) {
    return { convertedObjects: [], result: { status: 'Failure', message: messageOf(error) } }
  }
}

export function conversionAnswer(convert: ConversionFunction['bivariance']): Answer {
  return async (asked) => {
    const { request, ...review } = (await asked.json()) as Review<ConversionRequest>
    return replied({ ...review, response: { uid: request.uid, ...(await converted(request, convert)) } })
  }
}

export function authorizationAnswer(authorize: AuthorizationFunction): Answer {
  return async (asked) => {
    const review = (await asked.json()) as { readonly spec: AccessQuestion }
    const answer = await authorize(review.spec)
    const status = typeof answer === 'object' ? answer : { allowed: answer === 'allow', denied: answer === 'deny' }
    return replied({ ...review, status: { allowed: false, ...status } })
  }
}

interface TokenSpec {
  readonly token: string
  readonly audiences?: readonly string[]
}

async function authenticated({ token, audiences = [] }: TokenSpec, authenticate: TokenFunction): Promise<object> {
  try {
    const user = await authenticate(token, audiences)
    if (user === undefined) return { authenticated: false }
    const { name, ...more } = user
    return { authenticated: true, user: { username: name, ...more }, audiences }
  } catch (error) {
    return { authenticated: false, error: messageOf(error) }
  }
}

export function tokenAnswer(authenticate: TokenFunction): Answer {
  return async (asked) => {
    const review = (await asked.json()) as { readonly spec: TokenSpec }
    return replied({ ...review, status: await authenticated(review.spec, authenticate) })
  }
}

/** An answer that is delayed by these milliseconds. */
export const delayed =
  (answer: Answer, milliseconds: number): Answer =>
  async (request, clock) => {
    await pauseOn(clock, milliseconds, request.signal)
    return answer(request, clock)
  }

/** A call that fails: with a status, refused, or without end. */
export const failing =
  (how: number | 'refuse' | 'hang'): Answer =>
  async () => {
    if (how === 'hang') return new Promise<Response>(() => {})
    if (how === 'refuse') throw Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' })
    return new Response(`the webhook fails with ${how}`, { status: how, headers: { 'content-type': 'text/plain' } })
  }

/** The functions of a server by the URLs that it calls. A fork continues with those of its parent. */
export class Answers {
  readonly #byUrl: Map<string, Answer>

  constructor(from: Iterable<readonly [url: string, answer: Answer]> = []) {
    this.#byUrl = new Map(from)
  }

  set(url: string, answer: Answer): void {
    this.#byUrl.set(url, answer)
  }

  fork(): Answers {
    return new Answers(this.#byUrl)
  }

  /** Outgoing calls, of which these functions answer theirs. */
  over(outbound: Required<Outbound>, clock: Pick<Clock, 'after'>): Required<Outbound> {
    return {
      ...outbound,
      fetch: (request, options) => (request.url.startsWith(origin) ? this.#answer(request, clock) : outbound.fetch(request, options)),
    }
  }

  async #answer(request: Request, clock: Pick<Clock, 'after'>): Promise<Response> {
    const { origin: host, pathname } = new URL(request.url)
    const answer = this.#byUrl.get(host + pathname)
    if (answer === undefined) throw new Error(`no function of this test answers ${pathname}: call server.webhooks on this server`)
    try {
      return await untilAborted(answer(request, clock), request.signal)
    } catch (error) {
      if (request.signal.aborted || (error instanceof Error && 'code' in error)) throw error
      return new Response(messageOf(error), { status: 500, headers: { 'content-type': 'text/plain' } })
    }
  }
}
