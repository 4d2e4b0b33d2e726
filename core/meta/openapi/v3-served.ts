import { Reply } from '../../answers/reply.ts'
import type { Clock } from '../../ports.ts'
import { names, parseAccept } from '../../request/accept.ts'
import type { FixedRequest } from '../fixed-request.ts'
import { perRevision } from '../group-source.ts'
import type { OpenApiOptions } from './options.ts'
import { serveContent } from './serve-content.ts'
import { type OpenApiDocument, type OpenApiSource, openApiPath } from './v3.ts'
import { createDocuments, type DocumentForms } from './v3-documents.ts'

const protobuf = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'
/** Accepted and sent media types. The one with `@` is not a valid media type, but clients send only that. */
const mediaTypes = [
  { accepts: 'application/json', sends: 'application/json', format: 'json' },
  { accepts: protobuf, sends: protobuf, format: 'protobuf' },
  { accepts: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf', sends: protobuf, format: 'protobuf' },
] as const

const year = 365 * 24 * 60 * 60 * 1000

/** The OpenAPI 3 documents of the resources that this server serves itself. */
export function createServedOpenApi(options: OpenApiOptions, clock: Clock): OpenApiSource {
  const { served } = options
  const documents = createDocuments(options)
  return {
    get revision() {
      return served.revision
    },
    documents: perRevision(
      [served],
      () => new Map([...documents()].map(([name, forms]) => [name, documentAt(`${openApiPath}/${name}`, forms, clock)])),
    ),
  }
}

/** A document that this server has itself. `path`: where it is served. */
export function documentAt(path: string, forms: DocumentForms, clock: Clock): OpenApiDocument {
  const location = (hash: string) => `${path}?hash=${hash}`
  let modified: number | undefined
  return {
    url: async () => location((await forms.json()).hash),
    async respond({ request, query }: FixedRequest) {
      // Also with `q=0`, as in the reference.
      const type = firstOf(parseAccept(request.headers.get('Accept')), (range) => mediaTypes.find(({ accepts }) => names(range, accepts)))
      if (type === undefined) return new Reply(null, { status: 406, headers: { Vary: 'Accept' } })
      const found = await forms[type.format]()
      modified ??= clock.now()
      const headers = { 'Content-Type': type.sends, Vary: 'Accept' }
      const shown = { headers, modified, tagged: true } as const
      const hash = query.get('hash')
      if (hash === null || hash === '') return serveContent(request, found, shown)
      if (hash !== found.hash) {
        const moved = { ...headers, ETag: `"${found.hash}"`, Location: location(found.hash) }
        return new Reply(null, { status: 301, headers: moved })
      }
      const expires = new Date(clock.now() + year).toUTCString()
      return serveContent(request, found, { ...shown, headers: { ...headers, 'Cache-Control': 'public, immutable', Expires: expires } })
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
