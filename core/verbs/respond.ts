import { StoreError } from '../ports.ts'
import { type Endpoint, isPretty, type Negotiated } from '../request/negotiate.ts'
import type { ApiObject } from '../resources/definition.ts'
import { PartialObjectMetadata } from '../resources/meta/partial.ts'
import { Status as StatusSchema } from '../resources/meta/status.ts'
import { internalType } from '../resources/scheme.ts'
import { bodyResponse, sourceResponse } from '../respond/body.ts'
import type { ByteSource } from '../respond/byte-source.ts'
import { contentType, encode } from '../respond/encode.ts'
import { apiErrorOf } from '../respond/error.ts'
import { responseHeaders } from '../respond/headers.ts'
import { Reply } from '../respond/reply.ts'
import { ApiError, expired, internalError, type Status } from '../respond/status.ts'
import { jsonFrame, protobufFrame } from '../respond/watch-frame.ts'
import { concatenate } from '../schema/bytes.ts'
import { eachInSlices } from '../slices.ts'
import type { Entry } from '../storage/entry.ts'
import { eventTypeOf } from '../watch/change.ts'
import type { FeedList } from '../watch/feed.ts'
import type { WatchEncoder } from '../watch/stream.ts'
import { TooOld } from '../watch/too-old.ts'
import { isKept, keptBytes } from './join.ts'
import { listSource } from './long-list.ts'
import { createRenderer, type ListMeta, type Renderer, tableOf } from './render.ts'
import type { Target } from './services.ts'
import { slowEncoding, startEncoding } from './verb-span.ts'

const compiled: Endpoint = { protobuf: true, table: true }
const open: Endpoint = { protobuf: false, table: true }
/** Lists up to this length are always encoded at once. */
const fewEntries = 32
const untabled: Endpoint = { protobuf: true, table: false }

/** Open messages have no protobuf form. */
function endpointOf({ view }: Target): Endpoint {
  if (view.tables === false) return untabled
  return view.body.schema.open ? open : compiled
}

function negotiate(target: Target): Negotiated {
  const { exchange, services } = target
  const { headers } = exchange.request
  const negotiated = services.negotiator.negotiate(headers.get('accept'), endpointOf(target))
  const indents = negotiated.format === 'json' && isPretty(exchange.query, headers)
  return indents ? { ...negotiated, pretty: true } : negotiated
}

/** Throws 406 when the client accepts no representation of the response. */
export function checkAcceptable(target: Target): void {
  negotiate(target)
}

/** The same representation as compact JSON, for the observer of an exchange. */
const asJson = (negotiated: Negotiated): Negotiated => ({ ...negotiated, format: 'json', pretty: false })

function respond({ exchange, services }: Target, bytes: Uint8Array, type: string, status: number): Response {
  return bodyResponse(exchange.request, bytes, { status, headers: responseHeaders(exchange, type) }, services.settings.enabled)
}

/** Response with one stored object, as the target's view presents it. */
export function respondEntry(target: Target, entry: Entry, status = 200): Response {
  const { view } = target
  if (view.read) return respondObject(target, view.read(entry.decode()), status)
  const negotiated = negotiate(target)
  if (negotiated.transform?.kind === 'PartialObjectMetadataList')
    throw unfitting(`you requested PartialObjectMetadataList, but the requested object is not a list (${typeOf(target, false)})`)
  const renderer = createRenderer(target, negotiated)
  target.exchange.observer?.responding(() => createRenderer(target, asJson(negotiated)).object(entry))
  const span = startEncoding(target.exchange, negotiated.mediaType)
  const bytes = renderer.object(entry)
  span?.end(slowEncoding)
  return respond(target, bytes, contentType(negotiated, negotiated.transform?.kind !== 'Table'), status)
}

/** Response with an object that is not stored in this form: a scale, a review. */
export function respondObject(target: Target, value: ApiObject, status = 200): Response {
  const negotiated = negotiate(target)
  const { transform } = negotiated
  if (transform?.kind === 'PartialObjectMetadata') {
    const apiVersion = target.services.platform.name(`meta.<domain>/${transform.version}`)
    const partial = { kind: transform.kind, apiVersion, metadata: value.metadata }
    return respondValue(target, negotiated, { value: partial, schema: PartialObjectMetadata }, contentType(negotiated, true), status)
  }
  if (transform?.kind === 'Table') {
    const table = tableOf(target, value, transform.version) as unknown as ApiObject
    return respondValue(target, negotiated, { value: table, schema: undefined }, contentType(negotiated, false), status)
  }
  return respondValue(target, negotiated, { value, schema: target.view.body.schema }, negotiated.mediaType, status)
}

function respondValue(
  target: Target,
  { format, pretty, mediaType }: Negotiated,
  content: Parameters<typeof encode>[0],
  type: string,
  status: number,
  answer?: Status,
): Response {
  target.exchange.observer?.responding(() => encode(content, 'json', false), answer)
  const span = startEncoding(target.exchange, mediaType)
  const bytes = encode(content, format, pretty)
  span?.end(slowEncoding)
  return respond(target, bytes, type, status)
}

export function respondStatus(target: Target, status: Status): Response {
  const negotiated = negotiate(target)
  return respondValue(target, negotiated, { value: status, schema: StatusSchema }, negotiated.mediaType, status.code ?? 200, status)
}

export function respondList(target: Target, found: FeedList, next: string | undefined): Response | Promise<Response> {
  const negotiated = negotiate(target)
  if (negotiated.transform?.kind === 'PartialObjectMetadata')
    throw unfitting(`you requested PartialObjectMetadata, but the requested object is a list (${typeOf(target, true)})`)
  const meta: ListMeta = {
    resourceVersion: String(found.revision),
    ...(next !== undefined && { continue: next }),
    ...(next !== undefined && found.remaining !== undefined && { remainingItemCount: found.remaining }),
  }
  const renderer = createRenderer(target, negotiated)
  const type = contentType(negotiated, negotiated.transform?.kind !== 'Table')
  target.exchange.observer?.responding(() => createRenderer(target, asJson(negotiated)).list(found, meta))
  const { entries } = found
  const span = startEncoding(target.exchange, negotiated.mediaType)
  const whole = () => {
    const bytes = renderer.list(found, meta)
    span?.end(slowEncoding)
    return respond(target, bytes, type, 200)
  }
  if (entries.length <= fewEntries) return whole()
  const { exchange, services } = target
  const slices = () => services.pauses.slices(() => exchange.signal)
  if (renderer.items === 'anew' || isLarge(entries)) {
    const { request } = exchange
    const sent = { status: 200, headers: responseHeaders(exchange, type) }
    return listSource(renderer.parts(meta), entries, slices()).then((source) => {
      span?.end(slowEncoding)
      return sourceResponse(request, source, sent, services.settings.enabled)
    })
  }
  if (renderer.items === 'stored' || isKept(found, renderer.form, services.clock.now())) return whole()
  return eachInSlices(entries, slices(), renderer.prepare).then(whole)
}

/** Estimates by stored size whether a list is too large to encode at once. */
function isLarge(entries: readonly Entry[]): boolean {
  let size = 0
  for (const entry of entries) {
    size += entry.size
    if (size > keptBytes) return true
  }
  return false
}

const typeOf = ({ resource, services }: Target, isList: boolean) => internalType(resource.definition, isList, services.platform)
const unfitting = (message: string) => new ApiError('NotAcceptable', message)

/** The Status of an error event in a watch. */
function statusOf(error: Error): Status {
  if (error instanceof TooOld) return expired(error.message).status
  if (error instanceof StoreError && error.code === 'compacted')
    return expired('The resourceVersion for the provided watch is too old.').status
  return (apiErrorOf(error) ?? internalError('the watch failed')).status
}

/** A renderer, and its cache keys for frames. */
function named(renderer: Renderer) {
  const { form } = renderer
  return { renderer, names: { ADDED: `ADDED/${form}`, MODIFIED: `MODIFIED/${form}`, DELETED: `DELETED/${form}` } }
}

const joinFrames = (frames: readonly Uint8Array[]) => (frames.length === 1 ? frames[0]! : concatenate(frames))

const nothing = new Uint8Array(0)
/** Encodes nothing: events are no lists, so that the first one ends the watch. */
const unfit = { event: () => nothing, events: () => nothing, bookmark: () => nothing }

/** Encodes watch events in the negotiated representation; frames of a change are cached for all watchers. */
export function watchEncoder(target: Target): WatchEncoder {
  const { exchange, services } = target
  const negotiated = services.negotiator.negotiateStream(exchange.request.headers.get('accept'), endpointOf(target))
  const frame = negotiated.format === 'protobuf' ? protobufFrame : jsonFrame
  const error: WatchEncoder['error'] = (given) =>
    frame('ERROR', encode({ value: statusOf(given), schema: StatusSchema }, negotiated.format, false))
  if (negotiated.transform?.kind === 'PartialObjectMetadataList') return { ...unfit, error }
  let next = named(createRenderer(target, negotiated))
  const later = negotiated.transform?.kind === 'Table' ? named(createRenderer(target, negotiated, false)) : next
  /** Only the first table of a watch has column definitions. */
  const take = () => {
    const now = next
    next = later
    return now
  }
  const initialEnd = services.platform.name('<domain>/initial-events-end')
  const event: WatchEncoder['event'] = (type, entry, change) => {
    const { renderer, names } = take()
    if (change === undefined) return frame(type, renderer.object(entry))
    return change.frame(names[type]) ?? change.keepFrame(names[type], frame(type, renderer.object(entry)))
  }
  return {
    event,
    events(changes, joined) {
      const { form } = next.renderer
      const bytes = joined.get(form) ?? joinFrames(changes.map((change) => event(eventTypeOf(change)!, change.entry, change)))
      joined.set(form, bytes)
      next = later
      return bytes
    },
    bookmark: (revision, ends) =>
      frame(
        'BOOKMARK',
        take().renderer.bare({ resourceVersion: String(revision), ...(ends && { annotations: { [initialEnd]: 'true' } }) }),
      ),
    error,
  }
}

export function respondWatch(target: Target, events: ByteSource | Uint8Array<ArrayBuffer>): Response {
  const { exchange, services } = target
  const { mediaType, format } = services.negotiator.negotiateStream(exchange.request.headers.get('accept'), endpointOf(target))
  const type = format === 'protobuf' ? `${mediaType};stream=watch` : mediaType
  return new Reply(events, { status: 200, headers: responseHeaders(exchange, type) })
}
