/** Forwards requests to switch protocols; afterwards bytes are copied between client and backend (upgradeaware.go). */

import { LightHeaders } from '../../answers/light-headers.ts'
import { Reply } from '../../answers/reply.ts'
import { badRequest, unreasoned } from '../../answers/status.ts'
import type { Upgraded } from '../../ports.ts'
import type { Exchange } from '../../request/exchange.ts'
import { dialError } from '../dial-error.ts'
import { type Destination, keepingHost } from './destination.ts'
import { endAtShutdown } from './ending.ts'
import type { ForwardingServices } from './forward.ts'
import { endToEnd, forwardedHeaders } from './headers.ts'
import { join } from './join.ts'
import { rateLimited } from './rate-limit.ts'
import { noUpgrades, switchProtocols } from './switch-protocols.ts'

/** Message on runtimes without upgraded outgoing connections, such as edge runtimes. */
const noOutgoing = 'unable to upgrade: this runtime has no upgraded streams to other servers'

/** A request to switch protocols. */
export interface UpgradeRequest {
  readonly method: string
  readonly headers: Headers
  /** Null: the destination's. */
  readonly host: string | null
  /** Ends the connection, before and after the switch. */
  readonly signal: AbortSignal
}

/**
 * Asks a backend to switch protocols. Throws when it can't be reached or the server shuts down before it answers, and when it answers with
 * neither the new protocol nor an error.
 */
export async function dialUpgrade(
  exchange: Exchange,
  destination: Destination,
  init: UpgradeRequest,
  { outbound, clock }: Pick<ForwardingServices, 'outbound' | 'clock'>,
): Promise<Upgraded> {
  if (outbound.upgrade === undefined) throw badRequest(noOutgoing)
  const { method, headers, host } = init
  const call = keepingHost(destination, host)
  const ending = endAtShutdown(exchange, 0, clock)
  const signal = AbortSignal.any([init.signal, ending.signal])
  const answer = await outbound
    .upgrade(new Request(call.origin, { method, headers, signal }), call.options)
    .catch((error: unknown) => {
      init.signal.throwIfAborted()
      throw unreasoned(`error dialing backend: ${dialError(error, destination.origin)}`)
    })
    .finally(ending.forget)
  if (answer.stream === undefined && answer.status < 400) {
    void answer.body?.cancel().catch(() => undefined)
    throw unreasoned(`invalid upgrade response: status code ${answer.status}`)
  }
  return answer
}

/** What a backend gets of a request. */
export interface Sent {
  readonly headers: LightHeaders
  /** Null: the destination's. */
  readonly host: string | null
}

/** Forwards a request to switch protocols. If the backend refuses, its response is the answer. */
export async function relayUpgrade(
  exchange: Exchange,
  destination: Destination,
  services: ForwardingServices,
  sent?: Sent,
): Promise<Response> {
  const { connection, request, signal } = exchange
  if (connection.upgrade === undefined) throw badRequest(noUpgrades)
  const { headers, host } = sent ?? { headers: forwardedHeaders(exchange, services.platform), host: request.headers.get('host') }
  headers.set('connection', 'Upgrade')
  headers.set('upgrade', request.headers.get('upgrade') ?? '')
  for (const name of ['content-length', 'content-type']) headers.delete(name)
  const init = { method: request.method, headers, host, signal }
  const { status, headers: given, body, stream } = await dialUpgrade(exchange, destination, init, services)
  const answer = new LightHeaders([...endToEnd(given).entries()])
  if (stream === undefined) return new Reply(body, { status, headers: answer })
  answer.set('upgrade', given.get('upgrade') ?? '')
  const { clock, maxConnectionBytesPerSecond = 0 } = services
  const limited = rateLimited(stream, maxConnectionBytesPerSecond, clock)
  return switchProtocols(exchange, Object.fromEntries(answer.entries()), (client, ends) => join(client, limited, ends, clock))
}
