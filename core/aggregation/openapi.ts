/** OpenAPI documents of other servers (pkg/controllers/openapi and openapiv3 of the aggregator). */

import { pageNotFound } from '../answers/plain-error.ts'
import type { Slices } from '../common/slices.ts'
import { encodeInSlices } from '../meta/openapi/message-protobuf.ts'
import type { SwaggerSource } from '../meta/openapi/v2.ts'
import { v2Messages } from '../meta/openapi/v2-messages.ts'
import { type OpenApiDocument, type OpenApiSource, openApiPath } from '../meta/openapi/v3.ts'
import { formsOf } from '../meta/openapi/v3-documents.ts'
import { convertedToV3 } from '../meta/openapi/v3-from-v2.ts'
import { documentAt } from '../meta/openapi/v3-served.ts'
import { isObject } from '../schema/json/is-object.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { ask } from './ask.ts'
import type { Forward } from './forward.ts'
import { createRefresher } from './refresher.ts'
import type { RemoteRegistration } from './registration.ts'
import { maxDocumentBytes, type RegistrationFollower, type RemoteDocumentsOptions, useDocument } from './remote-document.ts'

export interface RemoteOpenApi extends RegistrationFollower {
  readonly swagger: SwaggerSource
  readonly openApi: OpenApiSource
}

export interface RemoteOpenApiOptions extends RemoteDocumentsOptions {
  readonly forward: Forward
}

/** User name of the requests. */
const user = { name: 'system:aggregator', groups: [] }
/** Milliseconds between requests for documents that may have changed. */
const interval = 60_000
const timeout = 60_000
/** Maximum bytes of a document that is made from another one: each media type repeats the schema of an operation. */
const maxConvertedBytes = 4 * maxDocumentBytes
/** Maximum characters of the URL of a document, which the index of this server has for all clients. */
const maxUrl = 2048
/** Milliseconds from the registration to the first request: most servers are not known to be available before. */
const firstWait = 1_000

interface Tagged<T> {
  readonly etag: string | undefined
  readonly value: T
}

/** One kind of documents, by the names of registrations. */
interface Documents<T> {
  readonly revision: number
  readonly known: ReadonlyMap<string, Tagged<T>>
  /** Those whose server has said that it has no such document. */
  readonly missing: ReadonlySet<string>
  update(name: string): void
  remove(name: string): void
  close(): void
}

/** Follows the document at a path of each server; `of` takes what is of use. One that it rejects changes nothing. */
function followDocuments<T>(
  name: string,
  path: string,
  of: (document: JsonObject, registration: RemoteRegistration, slices: Slices) => T | Promise<T>,
  options: RemoteOpenApiOptions,
): Documents<T> {
  const { registrations, clock, pauses, logger, queues } = options
  const known = new Map<string, Tagged<T>>()
  const missing = new Set<string>()
  const pending = new Map<string, () => void>()
  let revision = 0

  const drop = (key: string) => {
    if (known.delete(key) || missing.delete(key)) revision++
  }

  async function work(key: string, signal: AbortSignal): Promise<void> {
    const registration = registrations.get(key)
    if (registration === undefined) return
    const etag = known.get(key)?.etag
    const headers = { accept: 'application/json', ...(etag !== undefined && { 'if-none-match': etag }) }
    const answer = await ask(registration, { path, user, headers, timeout, maxBytes: maxDocumentBytes, signal }, options)
    const { status, headers: told, url } = answer
    if (!registrations.has(key) || status === 304) return
    if (status === 404) {
      if (missing.has(key)) return
      drop(key)
      missing.add(key)
      revision++
      return
    }
    if (status !== 200) throw new Error(`${url} answered ${status}`)
    const tag = told.get('etag') ?? undefined
    if (tag !== undefined && tag === etag) return
    const slices = pauses.slices(() => signal)
    const value = await useDocument(answer, slices, (document) => of(document, registration, slices))
    if (!registrations.has(key)) return
    missing.delete(key)
    known.set(key, { etag: tag, value })
    revision++
  }

  const refresher = createRefresher(
    { name, clock, logger, queues, workers: 1, warning: 'the OpenAPI document of an API service is left out', work },
    interval,
  )
  const cancel = (key: string) => {
    pending.get(key)?.()
    pending.delete(key)
  }
  return {
    get revision() {
      return revision
    },
    known,
    missing,
    update(key) {
      cancel(key)
      pending.set(
        key,
        clock.after(firstWait, () => refresher.add(key)),
      )
    },
    remove(key) {
      cancel(key)
      drop(key)
      refresher.remove(key)
    },
    close() {
      for (const key of [...pending.keys()]) cancel(key)
      refresher.close()
    },
  }
}

const memberOf = (object: JsonObject, name: string): JsonObject => {
  const member = object[name]
  return isObject(member) ? member : {}
}

/** Only the paths of the registered group version; definitions that they don't refer to are dropped when documents are merged. */
function ownPaths(document: JsonObject, { spec: { group, version } }: RemoteRegistration): JsonObject {
  const prefix = `/apis/${group}/${version}/`
  const paths = Object.entries(memberOf(document, 'paths')).filter(([path]) => path.startsWith(prefix))
  return { ...document, paths: Object.fromEntries(paths) }
}

/** URL of the registered group version's document, by the index. */
function ownUrl(index: JsonObject, { spec: { group, version } }: RemoteRegistration): string | undefined {
  const url: Json | undefined = memberOf(memberOf(index, 'paths'), `apis/${group}/${version}`)['serverRelativeURL']
  return typeof url === 'string' && url.startsWith(`${openApiPath}/`) && url.length <= maxUrl ? url : undefined
}

const nameOf = ({ spec: { group, version } }: RemoteRegistration) => `apis/${group}/${version}`

export function createRemoteOpenApi(options: RemoteOpenApiOptions): RemoteOpenApi {
  const { registrations, forward, clock, pauses } = options
  /** For a server that has no version 3: its Swagger document, converted on first use. */
  const converted = (document: JsonObject, registration: RemoteRegistration): OpenApiDocument =>
    documentAt(
      `${openApiPath}/${nameOf(registration)}`,
      formsOf(() => convertedToV3(document, pauses.sharedSlices()), pauses, maxConvertedBytes),
      clock,
    )
  const swagger = followDocuments(
    'open_api_aggregation_controller',
    '/openapi/v2',
    async (document, registration, slices) => {
      // A value of another type than its message would fail the document of all servers.
      await encodeInSlices(v2Messages, document, slices)
      return { own: ownPaths(document, registration), converted: converted(document, registration) }
    },
    options,
  )
  const indexes = followDocuments('open_api_v3_aggregation_controller', openApiPath, ownUrl, options)
  const both = [swagger, indexes]

  /** The document itself is the other server's, for each client. */
  const passedOn = (name: string, url: string): OpenApiDocument => ({
    url: () => Promise.resolve(url),
    async respond({ exchange }) {
      const registration = registrations.get(name)
      if (exchange === undefined || registration === undefined) throw pageNotFound()
      return forward(exchange, registration)
    },
  })

  function documentOf(name: string): OpenApiDocument | undefined {
    const url = indexes.known.get(name)?.value
    if (url !== undefined) return passedOn(name, url)
    return indexes.missing.has(name) ? swagger.known.get(name)?.value.converted : undefined
  }

  return {
    swagger: {
      get revision() {
        return swagger.revision
      },
      documents: () => Array.from(swagger.known, ([name, { value }]) => ({ name, document: value.own })),
    },
    openApi: {
      get revision() {
        return indexes.revision + swagger.revision
      },
      documents: () =>
        new Map(
          Array.from(registrations, ([name, registration]) => [nameOf(registration), documentOf(name)] as const).flatMap(
            ([path, document]) => (document === undefined ? [] : [[path, document] as const]),
          ),
        ),
    },
    update: (name) => both.forEach((each) => void each.update(name)),
    remove: (name) => both.forEach((each) => void each.remove(name)),
    close: () => both.forEach((each) => void each.close()),
  }
}
