/** Responses to watches: events in the negotiated representation. */

import { eventTypeOf } from '../../objects/watch/change.ts'
import type { WatchEncoder } from '../../objects/watch/stream.ts'
import { TooOld } from '../../objects/watch/too-old.ts'
import { webSocketAnswer } from '../../outgoing/forwarding/websocket-answer.ts'
import { isWebSocket, onlyProtocol } from '../../outgoing/websocket/handshake.ts'
import type { WebSocketEnd } from '../../outgoing/websocket/socket.ts'
import { StoreError } from '../../ports.ts'
import type { Negotiated } from '../../request/negotiate.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import { Status as StatusSchema } from '../../resources/meta/status.ts'
import { concatenate } from '../../schema/bytes.ts'
import type { ByteSource } from '../byte-source.ts'
import { encode } from '../encode.ts'
import { encodings } from '../encodings/index.ts'
import { apiErrorOf } from '../error.ts'
import { responseHeaders } from '../headers.ts'
import { Reply } from '../reply.ts'
import { expired, internalError, type Status } from '../status.ts'
import { createRenderer, type Renderer } from './render.ts'
import { endpointOf } from './respond.ts'
import type { Answered, AnswerServices } from './services.ts'
import { type Framing, framingOf } from './watch-framing.ts'

/** Milliseconds in which a client must take 64 KiB of what waits, as in the body of a response. */
const writeTimeout = 30_000

/** The Status of an error event in a watch. */
function statusOf(error: Error): Status {
  if (error instanceof TooOld) return expired(error.message).status
  if (error instanceof StoreError && error.code === 'compacted')
    return expired('The resourceVersion for the provided watch is too old.').status
  return (apiErrorOf(error) ?? internalError('the watch failed')).status
}

/** A renderer, and its cache keys for frames. */
function named(renderer: Renderer, framing: Framing) {
  const key = `${renderer.name}${framing.name}`
  return { renderer, key, names: { ADDED: `ADDED/${key}`, MODIFIED: `MODIFIED/${key}`, DELETED: `DELETED/${key}` } }
}

const joinFrames = (frames: readonly Uint8Array[]) => (frames.length === 1 ? frames[0]! : concatenate(frames))

type FrameEncoder = Omit<WatchEncoder, 'error'>

const nothing = new Uint8Array(0)
/** Encodes nothing: events are no lists, so that the first one ends the watch. */
const unfit: FrameEncoder = { event: () => nothing, events: () => ({ bytes: nothing, sizes: [] }), bookmark: () => nothing }

/** How the negotiated representation is streamed; negotiation of a watch never selects one without. */
const streamOf = ({ format }: Negotiated) => encodings[format].stream!

/** The first frame is made with `first`, all others with `others`. `initialEnd`: annotation of the bookmark after the initial events. */
function frameEncoder(first: Renderer, others: Renderer, framing: Framing, initialEnd: string): FrameEncoder {
  const frame = framing.framer(streamOf(first.negotiated))
  const later = named(others, framing)
  let next = first === others ? later : named(first, framing)
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
      const { key } = next
      let made = joined.get(key)
      if (made === undefined) {
        const frames = changes.map((change) => event(eventTypeOf(change)!, change.entry, change))
        made = { bytes: joinFrames(frames), sizes: frames.map(({ length }) => length) }
        joined.set(key, made)
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
  readonly #shared = new Map<Framing, WeakMap<ResourceDefinition, WeakMap<Negotiated, WatchEncoder>>>()

  of(definition: ResourceDefinition, negotiated: Negotiated, framing: Framing, make: () => WatchEncoder): WatchEncoder {
    const framed = this.#shared.get(framing) ?? new WeakMap<ResourceDefinition, WeakMap<Negotiated, WatchEncoder>>()
    const known = framed.get(definition) ?? new WeakMap<Negotiated, WatchEncoder>()
    const encoder = known.get(negotiated) ?? make()
    this.#shared.set(framing, framed.set(definition, known.set(negotiated, encoder)))
    return encoder
  }
}

/** Encodes watch events in the negotiated representation; frames of a change are cached for all watchers. */
function watchEncoder(answers: AnswerServices, answered: Answered): WatchEncoder {
  const { exchange, resource } = answered
  const framing = framingOf(exchange.request)
  const negotiated = answers.negotiator.negotiateStream(exchange.request.headers.get('accept'), endpointOf(answered))
  const frame = framing.framer(streamOf(negotiated))
  const initialEnd = answers.platform.name('<domain>/initial-events-end')
  const withErrors = (frames: FrameEncoder): WatchEncoder => ({
    ...frames,
    error: (given) => frame('ERROR', encode({ value: statusOf(given), schema: StatusSchema }, negotiated.format, false)),
  })
  if (negotiated.transform?.kind === 'PartialObjectMetadataList') return withErrors(unfit)
  const renderer = (headers: boolean) => createRenderer(answers, answered, negotiated, headers)
  // Only the first table of a watch has column definitions.
  if (negotiated.transform?.kind === 'Table') return withErrors(frameEncoder(renderer(true), renderer(false), framing, initialEnd))
  return answers.watchEncoders.of(resource.definition, negotiated, framing, () => {
    const only = renderer(true)
    return withErrors(frameEncoder(only, only, framing, initialEnd))
  })
}

/**
 * Answers with the events of a source: in the body of a response, or in messages, then a close frame, if the client asks for a WebSocket. `open`
 * is called when the answer is certain.
 */
export function respondWatch(
  answers: AnswerServices,
  answered: Answered,
  open: (encoder: WatchEncoder) => ByteSource,
): Response | Promise<Response> {
  const { exchange } = answered
  const { request } = exchange
  const encoder = watchEncoder(answers, answered)
  if (isWebSocket(request))
    return webSocketAnswer(
      exchange,
      answers,
      () => onlyProtocol(exchange, answers.platform),
      (client, signal) => sendMessages(client, open(encoder), signal),
    )
  const negotiated = answers.negotiator.negotiateStream(request.headers.get('accept'), endpointOf(answered))
  const type = streamOf(negotiated).responseType(negotiated.mediaType)
  return new Reply(open(encoder), { status: 200, headers: responseHeaders(exchange, type) })
}

/** What the client sends is ignored, but its end ends the watch. */
async function sendMessages(client: WebSocketEnd, events: ByteSource, signal: AbortSignal): Promise<void> {
  const end = () => events.cancel()
  client.receive(() => undefined).then(end, end)
  signal.addEventListener('abort', () => client.abort(signal.reason), { once: true })
  await client.sendAll(events, writeTimeout)
}
