import { covers, parseAccept } from '../../request/accept.ts'
import { Reply } from '../../respond/reply.ts'
import { type BuildDocument, lazyDocument, respondWith } from '../document.ts'
import type { FixedRequest } from '../fixed-request.ts'
import type { OpenApiOptions } from './options.ts'
import { createDocuments, type DocumentForms, type Documents } from './v3-documents.ts'

export interface OpenApiV3 {
  /** Answers GET on `/openapi/v3` and below; undefined for other paths. */
  respond(request: FixedRequest): Promise<Response> | undefined
}

const protobuf = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'
/** Accepted and sent media types. The one with `@` is not a valid media type, but clients send only that. */
const mediaTypes = [
  { accepts: 'application/json', sends: 'application/json', format: 'json' },
  { accepts: protobuf, sends: protobuf, format: 'protobuf' },
  { accepts: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf', sends: protobuf, format: 'protobuf' },
] as const

const prefix = '/openapi/v3'
const year = 365 * 24 * 60 * 60 * 1000
const json = { 'Content-Type': 'application/json' }

/** One OpenAPI 3.0 document per group version (KEP-2896), and their index. Each is built on first use. */
export function createOpenApiV3(options: OpenApiOptions): OpenApiV3 {
  const documents = createDocuments(options)
  let listed: { readonly documents: Documents; readonly index: BuildDocument } | undefined

  const respondIndex = async (request: Request) => {
    const current = documents()
    if (listed?.documents !== current) listed = { documents: current, index: lazyDocument(() => index(current)) }
    return respondWith(request, await listed.index(), json)
  }

  const respondDocument = async ({ request, query }: FixedRequest, name: string, forms: DocumentForms): Promise<Response> => {
    const type = firstOf(parseAccept(request.headers.get('Accept')), (range) => mediaTypes.find(({ accepts }) => covers(range, accepts)))
    if (type === undefined) return new Reply(null, { status: 406, headers: { Vary: 'Accept' } })
    const found = await forms[type.format]()
    const headers = { 'Content-Type': type.sends }
    const hash = query.get('hash')
    if (hash === null || hash === '') return respondWith(request, found, headers)
    if (hash !== found.hash) {
      const moved = { ...headers, Vary: 'Accept', ETag: `"${found.hash}"`, Location: location(name, found.hash) }
      return new Reply(null, { status: 301, headers: moved })
    }
    const expires = new Date(options.clock.now() + year).toUTCString()
    return respondWith(request, found, { ...headers, 'Cache-Control': 'public, immutable', Expires: expires })
  }

  return {
    respond(asked) {
      const { path } = asked
      if (path === prefix) return respondIndex(asked.request)
      if (!path.startsWith(`${prefix}/`)) return undefined
      const name = path.slice(prefix.length + 1)
      const forms = documents().get(name)
      return forms ? respondDocument(asked, name, forms) : Promise.resolve(new Reply(null, { status: 404, headers: { Vary: 'Accept' } }))
    },
  }
}

function firstOf<T, R>(values: readonly T[], find: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = find(value)
    if (found !== undefined) return found
  }
  return undefined
}

const location = (name: string, hash: string) => `${prefix}/${name}?hash=${hash}`

/** Clients that use a document's hash may cache it forever. Documents are built one at a time, yielding to requests. */
async function index(documents: Documents) {
  const paths: { [name: string]: { serverRelativeURL: string } } = {}
  for (const [name, { json }] of [...documents].sort(([a], [b]) => (a < b ? -1 : 1))) {
    paths[name] = { serverRelativeURL: location(name, (await json()).hash) }
  }
  return { paths }
}
