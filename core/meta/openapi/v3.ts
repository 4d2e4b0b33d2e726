import { covers, parseAccept } from '../../request/accept.ts'
import { Reply } from '../../respond/reply.ts'
import { type BuildDocument, lazyDocument, respondWith } from '../document.ts'
import type { OpenApiOptions } from './options.ts'
import { createDocuments, type Documents } from './v3-documents.ts'

export interface OpenApiV3 {
  /** Answers GET on `/openapi/v3` and below; undefined where there is no such document. */
  respond(request: Request, url: URL): Promise<Response> | undefined
}

const prefix = '/openapi/v3'
const year = 365 * 24 * 60 * 60 * 1000
const json = { 'Content-Type': 'application/json' }

/** One OpenAPI 3.0 document per group version (KEP-2896), and the list of them. Each is built when it is first asked for. */
export function createOpenApiV3(options: OpenApiOptions): OpenApiV3 {
  const documents = createDocuments(options)
  let listed: { readonly documents: Documents; readonly index: BuildDocument } | undefined

  const respondIndex = async (request: Request) => {
    const current = documents()
    if (listed?.documents !== current) listed = { documents: current, index: lazyDocument(() => index(current)) }
    return respondWith(request, await listed.index(), json)
  }

  const respondDocument = async (request: Request, url: URL, name: string, build: BuildDocument): Promise<Response> => {
    if (!parseAccept(request.headers.get('Accept')).some((range) => covers(range, 'application/json'))) {
      return new Reply(null, { status: 406, headers: { Vary: 'Accept' } })
    }
    const found = await build()
    const hash = url.searchParams.get('hash')
    if (hash === null || hash === '') return respondWith(request, found, json)
    if (hash !== found.hash) return new Reply(null, { status: 301, headers: { Location: location(name, found.hash) } })
    const expires = new Date(options.clock.now() + year).toUTCString()
    return respondWith(request, found, { ...json, 'Cache-Control': 'public, immutable', Expires: expires })
  }

  return {
    respond(request, url) {
      const { pathname } = url
      if (pathname === prefix) return respondIndex(request)
      if (!pathname.startsWith(`${prefix}/`)) return undefined
      const name = pathname.slice(prefix.length + 1)
      const build = documents().get(name)
      return build && respondDocument(request, url, name, build)
    },
  }
}

const location = (name: string, hash: string) => `${prefix}/${name}?hash=${hash}`

/** A client that knows the hash of a document may keep it for ever. One document after the other, so that requests get their turn. */
async function index(documents: Documents) {
  const paths: { [name: string]: { serverRelativeURL: string } } = {}
  for (const [name, build] of [...documents].sort(([a], [b]) => (a < b ? -1 : 1))) {
    paths[name] = { serverRelativeURL: location(name, (await build()).hash) }
  }
  return { paths }
}
