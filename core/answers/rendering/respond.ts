import type { StoredObject } from '../../objects/storage/stored-object.ts'
import type { FeedList } from '../../objects/watch/feed.ts'
import type { Platform } from '../../platform.ts'
import { type Endpoint, isPretty, type Negotiated } from '../../request/negotiate.ts'
import type { ShardSelector } from '../../request/shard-selector.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { PartialObjectMetadata } from '../../resources/meta/partial.ts'
import { Status as StatusSchema } from '../../resources/meta/status.ts'
import { internalType } from '../../resources/scheme.ts'
import { withLineFeed } from '../../schema/bytes.ts'
import { bodyResponse, objectResponse, sourceResponse } from '../body.ts'
import type { ByteSource } from '../byte-source.ts'
import { contentType, encode } from '../encode.ts'
import { responseHeaders } from '../headers.ts'
import { ApiError, type Status } from '../status.ts'
import { slowEncoding, startEncoding } from './encoding-span.ts'
import { listBody, wholeList } from './list-body.ts'
import { createRenderer, type ListMeta, tableOf } from './render.ts'
import type { Answered, AnswerServices } from './services.ts'

const compiled: Endpoint = { protobuf: true, table: true }
const open: Endpoint = { protobuf: false, table: true }
const untabled: Endpoint = { protobuf: true, table: false }

/** Open messages have no protobuf form. */
export function endpointOf({ view }: Answered): Endpoint {
  if (view.tables === false) return untabled
  return view.body.schema.open ? open : compiled
}

/** Negotiates the representation of the response. Throws 406 when the client accepts none that there is. */
export function negotiate({ negotiator }: AnswerServices, answered: Answered): Negotiated {
  if (answered.negotiated !== undefined) return answered.negotiated
  const { exchange } = answered
  const { headers } = exchange.request
  const negotiated = negotiator.negotiate(headers.get('accept'), endpointOf(answered))
  const indents = negotiated.format === 'json' && isPretty(exchange.query, headers)
  return indents ? { ...negotiated, pretty: true } : negotiated
}

/** The same representation as compact JSON, for the observer of an exchange. */
const asJson = (negotiated: Negotiated): Negotiated => ({ ...negotiated, format: 'json', pretty: false })

function respond(
  { settings }: AnswerServices,
  { exchange }: Answered,
  bytes: Uint8Array,
  type: string,
  status: number,
  { pretty }: Negotiated,
): Response {
  const body = !pretty && type.startsWith('application/json') ? withLineFeed(bytes) : bytes
  return bodyResponse(exchange.request, body, { status, headers: responseHeaders(exchange, type) }, settings.enabled)
}

/** Throws 406 when the client wants a list of metadata for an object. */
function refuseList({ platform }: AnswerServices, answered: Answered, { transform }: Negotiated): void {
  if (transform?.kind === 'PartialObjectMetadataList')
    throw unfitting(
      `you requested PartialObjectMetadataList, but the requested object is not a list (${typeOf(platform, answered, false)})`,
    )
}

/** Response with one stored object, as the answered's view presents it. */
export function respondEntry(answers: AnswerServices, answered: Answered, entry: StoredObject, status = 200): Response {
  const { view } = answered
  if (view.read) return respondObject(answers, answered, view.read(entry.copy()), status)
  const negotiated = negotiate(answers, answered)
  refuseList(answers, answered, negotiated)
  const renderer = createRenderer(answers, answered, negotiated)
  const { exchange } = answered
  exchange.observer?.responding(() => createRenderer(answers, answered, asJson(negotiated)).object(entry))
  const type = contentType(negotiated, negotiated.transform?.kind !== 'Table')
  const span = startEncoding(exchange, negotiated.mediaType)
  const unmade =
    span === undefined && renderer.isOwnJson && objectResponse(entry, entry.size, { status, headers: responseHeaders(exchange, type) })
  if (unmade) return unmade
  const bytes = renderer.object(entry)
  span?.end(slowEncoding)
  return respond(answers, answered, bytes, type, status, negotiated)
}

/** Response with an object that is not stored in this form: a scale, a review. */
export function respondObject(answers: AnswerServices, answered: Answered, value: ApiObject, status = 200): Response {
  const negotiated = negotiate(answers, answered)
  const { transform } = negotiated
  refuseList(answers, answered, negotiated)
  if (transform?.kind === 'PartialObjectMetadata') {
    const apiVersion = answers.platform.name(`meta.<domain>/${transform.version}`)
    const partial = { kind: transform.kind, apiVersion, metadata: value.metadata }
    const content = { value: partial, schema: PartialObjectMetadata }
    return respondValue(answers, answered, negotiated, content, contentType(negotiated, true), status)
  }
  if (transform?.kind === 'Table') {
    const table = tableOf(answers, answered, value, transform.version) as unknown as ApiObject
    return respondValue(answers, answered, negotiated, { value: table, schema: undefined }, contentType(negotiated, false), status)
  }
  return respondValue(answers, answered, negotiated, { value, schema: answered.view.body.schema }, negotiated.mediaType, status)
}

function respondValue(
  answers: AnswerServices,
  answered: Answered,
  negotiated: Negotiated,
  content: Parameters<typeof encode>[0],
  type: string,
  status: number,
  answer?: Status,
): Response {
  const { format, pretty, mediaType } = negotiated
  let json: Uint8Array | undefined
  answered.exchange.observer?.responding(() => {
    json = encode(content, 'json', false)
    return json
  }, answer)
  const span = startEncoding(answered.exchange, mediaType)
  const bytes = json !== undefined && format === 'json' && !pretty ? json : encode(content, format, pretty)
  span?.end(slowEncoding)
  return respond(answers, answered, bytes, type, status, negotiated)
}

export function respondStatus(answers: AnswerServices, answered: Answered, status: Status): Response {
  const negotiated = negotiate(answers, answered)
  return respondValue(
    answers,
    answered,
    negotiated,
    { value: status, schema: StatusSchema },
    negotiated.mediaType,
    status.code ?? 200,
    status,
  )
}

/** A list with its entries in the order of the rows of its Table. */
function inRowOrder({ resource }: Answered, found: FeedList): FeedList {
  const { rowOrder } = resource.definition.strategy
  if (rowOrder === undefined) return found
  const numbered = found.entries.map((entry) => ({ entry, at: rowOrder(entry.copy() as never) }))
  return { ...found, entries: numbered.sort((one, other) => one.at - other.at).map(({ entry }) => entry) }
}

/** `next`: token of the next page; `shard`: what the list is limited to. */
export function respondList(
  answers: AnswerServices,
  answered: Answered,
  given: FeedList,
  next: string | undefined,
  shard?: ShardSelector | undefined,
): Response | Promise<Response> {
  const negotiated = negotiate(answers, answered)
  const found = negotiated.transform?.kind === 'Table' ? inRowOrder(answered, given) : given
  if (negotiated.transform?.kind === 'PartialObjectMetadata')
    throw unfitting(`you requested PartialObjectMetadata, but the requested object is a list (${typeOf(answers.platform, answered, true)})`)
  // As in the reference, neither Tables and metadata nor lists of custom resources say which shard they are.
  const tellsShard = negotiated.transform === undefined && answered.resource.definition.origin.typeMeta !== 'explicit'
  const meta: ListMeta = {
    // Component statuses are in no store.
    ...(found.revision > 0 && { resourceVersion: String(found.revision) }),
    ...(next !== undefined && { continue: next }),
    ...(next !== undefined && found.remaining !== undefined && { remainingItemCount: found.remaining }),
    ...(shard && tellsShard && { shardInfo: { selector: shard.text } }),
  }
  const { exchange } = answered
  const now = answers.clock.now()
  const type = contentType(negotiated, negotiated.transform?.kind !== 'Table')
  exchange.observer?.responding(() => wholeList(createRenderer(answers, answered, asJson(negotiated)).list(meta), found, now))
  const span = startEncoding(exchange, negotiated.mediaType)
  const answer = (body: Uint8Array | ByteSource) => {
    span?.end(slowEncoding)
    if (body instanceof Uint8Array) return respond(answers, answered, body, type, 200, negotiated)
    return sourceResponse(exchange.request, body, { status: 200, headers: responseHeaders(exchange, type) }, answers.settings.enabled)
  }
  const slices = () => answers.pauses.fairSlices(() => exchange.signal)
  const body = listBody(createRenderer(answers, answered, negotiated).list(meta), found, now, { slices, budget: answers.listBudget })
  return body instanceof Promise ? body.then(answer) : answer(body)
}

const typeOf = (platform: Platform, { resource }: Answered, isList: boolean) => internalType(resource.definition, isList, platform)
const unfitting = (message: string) => new ApiError('NotAcceptable', message)
