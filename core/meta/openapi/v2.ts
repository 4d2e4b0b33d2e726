import { Reply } from '../../answers/reply.ts'
import type { Pauses } from '../../common/slices.ts'
import type { Clock, Logger } from '../../ports.ts'
import { names, parseAccept } from '../../request/accept.ts'
import { messageOf } from '../../schema/message-of.ts'
import { type BuildDocument, lazyBytes, lazyDocument } from '../document.ts'
import type { FixedRequest } from '../fixed-request.ts'
import { perRevision } from '../group-source.ts'
import { encodeInSlices } from './message-protobuf.ts'
import { serveContent } from './serve-content.ts'
import { mergeSwagger, type NamedSwagger } from './v2-merge.ts'
import { v2Messages } from './v2-messages.ts'

export interface OpenApiV2 {
  /** Answers GET on `/openapi/v2`; undefined for other paths. */
  respond(request: FixedRequest): Promise<Response> | undefined
}

const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
/** Accepted and sent media types. The one with `@` is not a valid media type, but old clients send only that. */
const mediaTypes = [
  { accepts: 'application/json', sends: 'application/json', format: 'json' },
  { accepts: protobuf, sends: protobuf, format: 'protobuf' },
  { accepts: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf', sends: protobuf, format: 'protobuf' },
] as const

/** Whether the answer is compressed depends on Accept-Encoding. */
const vary = { Vary: 'Accept-Encoding, Accept' }

/** Forms of one document, and when it was made, in milliseconds since the epoch. */
interface Documents {
  readonly modified: number
  readonly json: BuildDocument
  readonly protobuf: BuildDocument
}

/** Swagger documents from one place: the resources that this server serves, aggregated servers. */
export interface SwaggerSource {
  /** Changes whenever the result of `documents()` changes. */
  readonly revision: number
  documents(): readonly NamedSwagger[] | Promise<readonly NamedSwagger[]>
}

const nothing: NamedSwagger = { name: '', document: {} }

/** One Swagger 2.0 document of all groups, as JSON and protobuf, built on first use. At least one source has a document. */
export function createOpenApiV2(sources: readonly SwaggerSource[], clock: Clock, pauses: Pauses, logger: Logger): OpenApiV2 {
  const leftOut = (name: string, error: unknown) =>
    logger.warn({ name, error: messageOf(error) }, 'OpenAPI v2 is served without an API service')
  const build = async () => {
    const [first = nothing, ...others] = (await Promise.all(sources.map((source) => source.documents()))).flat()
    return mergeSwagger([first, ...others], pauses.sharedSlices(), leftOut)
  }
  const documents = perRevision(
    sources,
    (): Documents => ({
      modified: clock.now(),
      json: lazyDocument(build, pauses),
      protobuf: lazyBytes(async () => encodeInSlices(v2Messages, await build(), pauses.sharedSlices())),
    }),
  )

  const respond = async (request: Request): Promise<Response> => {
    for (const range of parseAccept(request.headers.get('Accept'))) {
      // Also with `q=0`, as in the reference.
      const type = mediaTypes.find(({ accepts }) => names(range, accepts))
      if (type === undefined) continue
      const { modified, [type.format]: build } = documents()
      const headers = { 'Content-Type': type.sends, ...vary }
      return serveContent(request, await build(), { headers, modified, tagged: true, compresses: true })
    }
    return new Reply(null, { status: 406, headers: vary })
  }

  return { respond: ({ request, path }) => (path === '/openapi/v2' ? respond(request) : undefined) }
}
