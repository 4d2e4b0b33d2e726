/** Responses to watches: events in the negotiated representation. */
import { StoreError } from '../ports.ts'
import type { Negotiated } from '../request/negotiate.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import { Status as StatusSchema } from '../resources/meta/status.ts'
import type { ByteSource } from '../respond/byte-source.ts'
import { encode } from '../respond/encode.ts'
import { apiErrorOf } from '../respond/error.ts'
import { responseHeaders } from '../respond/headers.ts'
import { Reply } from '../respond/reply.ts'
import { expired, internalError, type Status } from '../respond/status.ts'
import { jsonFrame, protobufFrame } from '../respond/watch-frame.ts'
import { concatenate } from '../schema/bytes.ts'
import { eventTypeOf } from '../watch/change.ts'
import type { WatchEncoder } from '../watch/stream.ts'
import { TooOld } from '../watch/too-old.ts'
import { createRenderer, type Renderer } from './render.ts'
import { endpointOf } from './respond.ts'
import type { Target } from './services.ts'

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

type FrameEncoder = Omit<WatchEncoder, 'error'>

const nothing = new Uint8Array(0)
/** Encodes nothing: events are no lists, so that the first one ends the watch. */
const unfit: FrameEncoder = { event: () => nothing, events: () => ({ bytes: nothing, sizes: [] }), bookmark: () => nothing }

const frameOf = ({ format }: Negotiated) => (format === 'protobuf' ? protobufFrame : jsonFrame)

/** The first frame is made with `first`, all others with `others`. `initialEnd`: annotation of the bookmark after the initial events. */
function frameEncoder(first: Renderer, others: Renderer, initialEnd: string): FrameEncoder {
  const frame = frameOf(first.negotiated)
  const later = named(others)
  let next = first === others ? later : named(first)
  const take = () => {
    const now = next
    next = later
    return now
  }
  let recent: { readonly revision: number; readonly bytes: Uint8Array } | undefined
  const bookmark = (metadata: Parameters<Renderer['bare']>[0]) => frame('BOOKMARK', take().renderer.bare(metadata))
  const event: WatchEncoder['event'] = (type, entry, change) => {
    const { renderer, names } = take()
    if (change === undefined) return frame(type, renderer.object(entry))
    return change.frame(names[type]) ?? change.keepFrame(names[type], frame(type, renderer.object(entry)))
  }
  return {
    event,
    events(changes, joined) {
      const { form } = next.renderer
      let made = joined.get(form)
      if (made === undefined) {
        const frames = changes.map((change) => event(eventTypeOf(change)!, change.entry, change))
        made = { bytes: joinFrames(frames), sizes: frames.map(({ length }) => length) }
        joined.set(form, made)
      }
      next = later
      return made
    },
    bookmark(revision, ends) {
      const resourceVersion = String(revision)
      if (ends) return bookmark({ resourceVersion, annotations: { [initialEnd]: 'true' } })
      // Watches get their bookmarks together.
      if (recent?.revision !== revision || next !== later) recent = { revision, bytes: bookmark({ resourceVersion }) }
      return recent.bytes
    },
  }
}

/** The encoders of all watches, of which there are few different ones. */
export class WatchEncoders {
  readonly #shared = new WeakMap<ResourceDefinition, WeakMap<Negotiated, WatchEncoder>>()

  of(definition: ResourceDefinition, negotiated: Negotiated, make: () => WatchEncoder): WatchEncoder {
    const known = this.#shared.get(definition) ?? new WeakMap<Negotiated, WatchEncoder>()
    const encoder = known.get(negotiated) ?? make()
    this.#shared.set(definition, known.set(negotiated, encoder))
    return encoder
  }
}

/** Encodes watch events in the negotiated representation; frames of a change are cached for all watchers. */
export function watchEncoder(target: Target): WatchEncoder {
  const { exchange, services, resource } = target
  const negotiated = services.negotiator.negotiateStream(exchange.request.headers.get('accept'), endpointOf(target))
  const initialEnd = services.platform.name('<domain>/initial-events-end')
  const withErrors = (frames: FrameEncoder): WatchEncoder => ({
    ...frames,
    error: (given) => frameOf(negotiated)('ERROR', encode({ value: statusOf(given), schema: StatusSchema }, negotiated.format, false)),
  })
  if (negotiated.transform?.kind === 'PartialObjectMetadataList') return withErrors(unfit)
  const renderer = (headers: boolean) => createRenderer(target, negotiated, headers)
  // Only the first table of a watch has column definitions.
  if (negotiated.transform?.kind === 'Table') return withErrors(frameEncoder(renderer(true), renderer(false), initialEnd))
  return services.watchEncoders.of(resource.definition, negotiated, () => {
    const only = renderer(true)
    return withErrors(frameEncoder(only, only, initialEnd))
  })
}

export function respondWatch(target: Target, events: ByteSource | Uint8Array<ArrayBuffer>): Response {
  const { exchange, services } = target
  const { mediaType, format } = services.negotiator.negotiateStream(exchange.request.headers.get('accept'), endpointOf(target))
  const type = format === 'protobuf' ? `${mediaType};stream=watch` : mediaType
  return new Reply(events, { status: 200, headers: responseHeaders(exchange, type) })
}
