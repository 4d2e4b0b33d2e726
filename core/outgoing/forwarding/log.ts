/** The log of a container, as its node agent sends it (apiserver/pkg/registry/generic/rest/streamer.go). */

import { Reply } from '../../answers/reply.ts'
import { serverResponse } from '../../answers/server-response.ts'
import { type ApiError, badRequest, internalError, unreasoned } from '../../answers/status.ts'
import type { Exchange } from '../../request/exchange.ts'
import { encodeBase64 } from '../../schema/formats/base64.ts'
import { messageOf } from '../../schema/message-of.ts'
import { clientError } from '../dial-error.ts'
import { opcodes } from '../websocket/frames.ts'
import { isWebSocket, negotiate } from '../websocket/handshake.ts'
import type { WebSocketEnd } from '../websocket/socket.ts'
import { type Destination, urlOf } from './destination.ts'
import { endAtShutdown, shutdownGrace } from './ending.ts'
import { type Forwarding, forward } from './forward.ts'
import type { AgentServices } from './metrics.ts'
import { readStart } from './read-start.ts'
import { webSocketAnswer } from './websocket-answer.ts'

/** Bytes of an agent's error that the client gets. */
const maxErrorBytes = 50_000

/** Statuses that Go's client takes for redirects. */
const redirects = new Set([301, 302, 303, 307, 308])

const encoder = new TextEncoder()

const resource = { group: '', resource: 'pods/log' }

async function refusal({ status, body }: Response, name: string): Promise<ApiError> {
  let said: string
  try {
    said = await readStart(body, maxErrorBytes)
  } catch (error) {
    return internalError(messageOf(error))
  }
  if (status === 500) return internalError(said)
  return status === 400 ? badRequest(said) : serverResponse(status, resource, name, said)
}

export interface LogSource {
  readonly destination: Destination
  /** Name of the pod, for error messages. */
  readonly pod: string
  /** It ends only when the container does. */
  readonly follows: boolean
}

/** Sends the log of a container: as the body of the response, or in messages if the client asks for a WebSocket. Throws the agent's error. */
export function relayLog(exchange: Exchange, { destination, pod, follows }: LogSource, services: AgentServices): Promise<Response> {
  const url = urlOf(destination)
  const forwarding: Forwarding = {
    destination,
    ending: endAtShutdown(exchange, follows ? 0 : shutdownGrace, services.clock),
    request: (signal) => new Request(url, { signal, redirect: 'manual' }),
    failure(error) {
      const why = clientError(error, destination.origin)
      if (why.includes('x509: ')) services.forwarding.refusedLogs.add([])
      return unreasoned(`Get ${JSON.stringify(url)}: ${why}`)
    },
    // `response.body` is read only where it ends: of a Reply, it is another reader than `Reply.bodyOf`.
    async answer(response) {
      const { status, headers } = response
      const location = headers.get('location') ?? ''
      if (redirects.has(status) && location !== '') {
        void response.body?.cancel().catch(() => undefined)
        throw unreasoned(`Get ${JSON.stringify(location)}: redirects forbidden`)
      }
      if (status < 200 || status > 206) throw await refusal(response, pod)
      return answer(exchange, response, services)
    },
  }
  return forward(exchange, forwarding, services.outbound)
}

function answer(exchange: Exchange, response: Response, services: AgentServices): Response | Promise<Response> {
  if (!isWebSocket(exchange.request)) return new Reply(Reply.bodyOf(response), { headers: { 'content-type': 'text/plain' } })
  const { platform } = services
  const base64 = platform.name('base64.binary.<domain>')
  let protocol = ''
  const select = () => {
    protocol = negotiate(exchange.request, ['', platform.name('binary.<domain>'), base64])
    return protocol
  }
  const log = response.body
  const opened = webSocketAnswer(exchange, services, select, (client, signal) => sendLog(client, log, protocol === base64, signal))
  return opened.then((answered) => {
    if (answered.status >= 400) void log?.cancel().catch(() => undefined)
    return answered
  })
}

/** Sends the log in messages, after an empty one. */
async function sendLog(client: WebSocketEnd, log: ReadableStream<Uint8Array> | null, isText: boolean, signal: AbortSignal): Promise<void> {
  const opcode = isText ? opcodes.text : opcodes.binary
  const reader = log?.getReader()
  // What the client sends is ignored, but its end ends the log.
  const stop = () => void reader?.cancel().catch(() => undefined)
  client.receive(() => undefined).then(stop, stop)
  signal.addEventListener('abort', stop, { once: true })
  await client.send(opcode)
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read()
      if (done) break
      await client.send(opcode, isText ? encoder.encode(encodeBase64(value)) : value)
    }
  } finally {
    stop()
    await client.close()
  }
}
