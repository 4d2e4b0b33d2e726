import { Reply } from '../../answers/reply.ts'
import type { Pauses } from '../../common/slices.ts'
import type { Clock, Logger } from '../../ports.ts'
import { messageOf } from '../../schema/message-of.ts'
import { lazyDocument } from '../document.ts'
import type { FixedRequest } from '../fixed-request.ts'
import { perRevision } from '../group-source.ts'
import { serveContent } from './serve-content.ts'

/** OpenAPI 3 documents from one place: the resources that this server serves, an aggregated server. */
export interface OpenApiSource {
  /** Changes whenever the result of `documents()` changes. */
  readonly revision: number
  /** By name, such as `apis/apps/v1`. */
  documents(): ReadonlyMap<string, OpenApiDocument>
}

export interface OpenApiDocument {
  /** Its path with the hash of its content, as the index lists it. */
  url(): Promise<string>
  respond(request: FixedRequest): Promise<Response>
}

export interface OpenApiV3 {
  /** Answers GET on `/openapi/v3` and below; undefined for other paths. */
  respond(request: FixedRequest): Promise<Response> | undefined
}

/** Path of the index; those of documents are below. */
export const openApiPath = '/openapi/v3'
/** As the reference's, which guesses it from the content. */
const indexHeaders = { 'Content-Type': 'text/plain; charset=utf-8' }

/** One OpenAPI 3.0 document per group version (KEP-2896), that of the first source which has it, and their index, built on first use. */
export function createOpenApiV3(sources: readonly OpenApiSource[], clock: Clock, pauses: Pauses, logger: Logger): OpenApiV3 {
  const leftOut = (name: string, error: unknown) =>
    logger.warn({ name, error: messageOf(error) }, 'the index of OpenAPI v3 is served without a document')
  const current = perRevision(sources, () => {
    const documents = new Map<string, OpenApiDocument>()
    for (const [name, document] of sources.flatMap((source) => [...source.documents()])) {
      if (!documents.has(name)) documents.set(name, document)
    }
    return { documents, index: lazyDocument(() => index(documents, leftOut), pauses) }
  })

  const respondIndex = async (request: Request) =>
    serveContent(request, await current().index(), { headers: indexHeaders, modified: clock.now() })

  return {
    respond(asked) {
      const { path } = asked
      if (path === openApiPath) return respondIndex(asked.request)
      if (!path.startsWith(`${openApiPath}/`)) return undefined
      const document = current().documents.get(path.slice(openApiPath.length + 1))
      return document ? document.respond(asked) : Promise.resolve(new Reply(null, { status: 404 }))
    },
  }
}

/**
 * Clients that use a document's hash may cache it forever. Documents are built one at a time, yielding to requests. One that can't be built is left
 * out.
 */
async function index(documents: ReadonlyMap<string, OpenApiDocument>, leftOut: (name: string, error: unknown) => void) {
  const paths: { [name: string]: { serverRelativeURL: string } } = {}
  for (const [name, document] of [...documents].sort(([a], [b]) => (a < b ? -1 : 1))) {
    try {
      paths[name] = { serverRelativeURL: await document.url() }
    } catch (error) {
      leftOut(name, error)
    }
  }
  return { paths }
}
