/** Webhooks that both servers call. What one answers is in its path, so that a request says everything about it. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Json } from '../../core/schema/model.ts'
import { authority, issued } from '../runtimes/node/support.ts'
import type { Settings } from './run.ts'

export interface Hooks {
  /** What requests mention as `{{hooks}}` (its URL), `{{hooks-host}}`, `{{hooks-port}}` and `{{authority}}` (its CA, PEM in base64). */
  readonly settings: Settings
  close(): void
}

interface Object {
  readonly apiVersion: string
  readonly metadata: { readonly annotations?: object }
  /** A RawAnswer, as JSON. */
  readonly data?: { readonly answer?: string }
}

/** A response that the object of a review asks for. */
export interface RawAnswer {
  /** `<uid>` stands for that of the review, `<objects>` for its objects in the desired version. */
  readonly body: string
  /** Each character of the body is a byte. */
  readonly binary?: true
  /** Default: 200. */
  readonly status?: number
  /** Default: JSON; '': none. */
  readonly type?: string
  /** The body is compressed with gzip, and has this Content-Encoding ('': none). */
  readonly gzip?: string
  /** `<uid>` stands for that of the review. */
  readonly headers?: { readonly [name: string]: string }
}

interface Review {
  readonly kind: string
  readonly apiVersion: string
  readonly request: {
    readonly uid: string
    readonly object?: Object | null
    readonly objects?: readonly Object[]
    readonly desiredAPIVersion?: string
  }
}

const packed = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url')
const unpacked = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as object

/** Operations of a JSON patch, as a response has them. */
export const patched = (...operations: object[]) => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})

/** Addresses of webhooks. */
export const hook = {
  /** Answers with these members of a response. */
  answer: (members: object) => `{{hooks}}/answer/${packed(members as Json)}`,
  /** Answers with this text. */
  text: (status: number, text: string) => `{{hooks}}/text/${status}/${packed(text)}`,
  /** Puts the review into an annotation of the object. */
  annotate: '{{hooks}}/annotate',
  /** Denies, with the review as message. */
  tell: '{{hooks}}/tell',
  /** Answers with the whole review: `{{uid}}` stands for that of the request. */
  review: (review: object) => `{{hooks}}/review/${packed(review as Json)}`,
  /** Converts objects, with these members in each, in place of those that it has. */
  convert: (members: object = {}) => `{{hooks}}/convert/${packed(members as Json)}`,
  /** Answers as the object says in `data.answer`. */
  asked: '{{hooks}}/asked',
  /** Does not answer. */
  silent: '{{hooks}}/silent',
}

/** Members of the response to a review, by the first part of the path. */
const responses: { readonly [name: string]: (review: Review, argument: string) => object } = {
  answer: (_review, argument) => unpacked(argument),
  tell: (review) => ({ allowed: false, status: { message: JSON.stringify(review) } }),
  annotate: (review) => {
    const annotations = { ...review.request.object?.metadata.annotations, review: JSON.stringify(review) }
    return { allowed: true, ...patched({ op: 'add', path: '/metadata/annotations', value: annotations }) }
  },
  convert: ({ request: { objects = [], desiredAPIVersion } }, argument) => ({
    result: { status: 'Success' },
    convertedObjects: objects.map((each) => ({ ...each, apiVersion: desiredAPIVersion, ...unpacked(argument) })),
  }),
}

interface Sent {
  readonly status: number
  readonly text: string | Buffer
  /** Default: those of JSON. */
  readonly headers?: { readonly [name: string]: string }
}

function askedFor({ request: { uid, object, objects = object ? [object] : [], desiredAPIVersion } }: Review): Sent {
  const asked = JSON.parse((objects[0]?.data?.answer ?? '{"body":""}').replaceAll('<uid>', uid)) as RawAnswer
  const { status = 200, type = 'application/json', gzip, headers } = asked
  const converted = JSON.stringify(objects.map((each) => ({ ...each, apiVersion: desiredAPIVersion }))).slice(1, -1)
  const body = Buffer.from(
    asked.body.replaceAll('<objects>', () => converted),
    asked.binary ? 'latin1' : 'utf8',
  )
  return {
    status,
    text: gzip === undefined ? body : gzipSync(body),
    headers: { ...(type !== '' && { 'content-type': type }), ...(gzip && { 'content-encoding': gzip }), ...headers },
  }
}

/** Allows, and warns of what came: method, path with query, whether there is a body, and headers. */
function seen({ method, url, headers }: IncomingMessage, version: string, uid: string, body: string): Sent {
  const names = ['content-type', 'accept', 'referer'] as const
  const warnings = [`${method} ${url}`, `${body.length > 0}`, ...names.map((name) => `${name}: ${headers[name] ?? 'none'}`)]
  const response = { uid, allowed: true, warnings: warnings.map((each) => each.replaceAll(uid, '<uid>')) }
  return { status: 200, text: JSON.stringify({ kind: 'AdmissionReview', apiVersion: `admission.k8s.io/${version}`, response }) }
}

const redirect = (status: number, location: string): Sent => ({ status, text: '', headers: { location } })

function answerTo(request: IncomingMessage, body: string): Sent | undefined {
  const { pathname: path, search } = new URL(request.url ?? '/', 'https://x')
  const [, name = '', first = '', second = '', ...rest] = path.split('/')
  if (name === 'seen') return seen(request, first, second, body)
  if (name === 'hops') {
    const left = Number(first) - 1
    return redirect(Number(second), `/${left === 0 ? '' : `hops/${left}/${second}/`}${rest.join('/')}${search}`)
  }
  if (name === 'silent') return undefined
  if (name === 'text') return { status: Number(first), text: JSON.parse(Buffer.from(second, 'base64url').toString()) as string }
  if (body === '') return { status: 400, text: '"no body"' }
  const review = JSON.parse(body) as Review
  const { kind, apiVersion } = review
  const { uid } = review.request
  if (name === 'asked') return askedFor(review)
  if (name === 'review') return { status: 200, text: JSON.stringify(unpacked(first)).replaceAll('{{uid}}', uid) }
  const response = { uid, ...responses[name]?.(review, first) }
  return { status: 200, text: JSON.stringify({ kind, apiVersion, response }) }
}

/** Resolves when it listens. */
export async function startHooks(): Promise<Hooks> {
  const server = createServer(issued('127.0.0.1', 'localhost'), (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const answer = answerTo(request, Buffer.concat(chunks).toString())
      if (answer === undefined) return
      response.writeHead(answer.status, answer.headers ?? { 'content-type': 'application/json' })
      response.end(answer.text)
    })
  })
  // Servers keep connections for longer than this one does by default, and report one that ends under a request.
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    settings: {
      hooks: `https://127.0.0.1:${port}`,
      'hooks-host': `127.0.0.1:${port}`,
      'hooks-port': String(port),
      authority: Buffer.from(authority.certPem).toString('base64'),
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
