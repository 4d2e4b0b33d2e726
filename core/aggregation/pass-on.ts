/** Passes requests on to another API server, which answers them (handler_proxy.go of the aggregator, httputil.ReverseProxy). */

import type { LightHeaders } from '../answers/light-headers.ts'
import { PlainError, pageNotFound } from '../answers/plain-error.ts'
import { Reply } from '../answers/reply.ts'
import type { Slices } from '../common/slices.ts'
import { dialError } from '../outgoing/dial-error.ts'
import { connectedAddress, type Destination } from '../outgoing/forwarding/destination.ts'
import { endAfter, endAtShutdown } from '../outgoing/forwarding/ending.ts'
import { type Forwarding, type ForwardingServices, forward } from '../outgoing/forwarding/forward.ts'
import { forwardedHeaders } from '../outgoing/forwarding/headers.ts'
import { directLinks } from '../outgoing/forwarding/links.ts'
import { escapePath } from '../outgoing/forwarding/paths.ts'
import { answerWith, passedOn } from '../outgoing/forwarding/relay.ts'
import { relayUpgrade } from '../outgoing/forwarding/upgrade.ts'
import type { Clock } from '../ports.ts'
import { isUpgrade } from '../request/connection-options.ts'
import type { Exchange } from '../request/exchange.ts'
import { messageOf } from '../schema/message-of.ts'
import { InvalidUserHeader, identityFields } from './identity.ts'

export interface PassOnServices extends ForwardingServices {
  /** Whether the server gets the user's UID. */
  readonly sendsUid: () => boolean
  /** Whether a redirect of the server is an error, or the client's. */
  readonly rejectRedirects: boolean
  /** Sent instead of fields of these names. */
  readonly headers?: { readonly [name: string]: string }
}

/** Milliseconds for a discovery document, which clients ask for often. */
const discoveryTimeout = 5_000

/** Answers an exchange from another server. Rejects with a PlainError 503 when there is no answer. */
export type PassOn = (exchange: Exchange, server: Destination) => Promise<Response>

export function createPassOn(services: PassOnServices): PassOn {
  const { clock, outbound, pauses, platform, rejectRedirects, sendsUid } = services

  function fieldsOf({ user }: Exchange) {
    try {
      return identityFields(user, sendsUid())
    } catch (error) {
      if (!(error instanceof InvalidUserHeader)) throw error
      throw new PlainError(503, `error trying to reach service: ${error.message}`)
    }
  }

  function headersOf(exchange: Exchange, address: string): LightHeaders {
    const headers = forwardedHeaders(exchange, platform)
    headers.deleteAll((name) => name === 'authorization' || name.startsWith('x-remote-'))
    headers.set('audit-id', exchange.auditId)
    headers.set('x-forwarded-uri', escapePath(exchange.info.path))
    headers.set('x-forwarded-host', address)
    headers.set('x-forwarded-proto', 'https')
    for (const [name, value] of Object.entries(services.headers ?? {})) headers.set(name, value)
    return headers
  }

  return async (exchange, server) => {
    const { origin, options } = server
    const fields = fieldsOf(exchange)
    const destination: Destination = { origin, options: { ...options, target: targetOf(exchange), fields } }
    const headers = headersOf(exchange, connectedAddress(server))
    if (isUpgrade(exchange.request)) return relayUpgrade(exchange, destination, services, { headers, host: null }).catch(asPlain)
    const limit = limitOf(exchange, clock)
    const forwarding: Forwarding = {
      destination,
      ending: limit === undefined ? endAtShutdown(exchange, 0, clock) : endAfter(exchange, limit, clock),
      request: (signal) => passedOn(exchange.request, origin, headers, signal),
      failure: (error) => new PlainError(503, `error trying to reach service: ${dialError(error, origin)}`),
      answer(response) {
        const slices = pauses.slices(() => exchange.signal)
        return answerOf(response, rejectRedirects, origin, slices)
      },
    }
    return forward(exchange, forwarding, outbound)
  }
}

/** Authorization saw the path as it is: no server behind this one may take it for another one. Throws 404. */
export function checkPath({ path }: Exchange['info']): void {
  if (path.split('/').some((segment) => segment === '.' || segment === '..')) throw pageNotFound()
}

/** Errors of upgrades are plain text, as all errors of this handler. */
function asPlain(error: unknown): never {
  throw error instanceof PlainError ? error : new PlainError(503, messageOf(error))
}

/** Path and query, written anew: the other server must not read them in another way than this one has. */
function targetOf({ info, query }: Exchange): string {
  const sorted = new URLSearchParams(query)
  sorted.sort()
  return `${escapePath(info.path)}${sorted.size > 0 ? `?${sorted}` : ''}`
}

/** Milliseconds until a request ends; undefined: a watch or a stream. */
function limitOf({ info, deadline }: Exchange, clock: Clock): number | undefined {
  if (info.longRunning) return undefined
  const isDiscovery = !info.isResource && info.path.split('/').filter(Boolean).length === 3
  const left = deadline === undefined ? undefined : deadline - clock.monotonic()
  return isDiscovery ? Math.min(discoveryTimeout, left ?? discoveryTimeout) : left
}

const redirected = 'the backend attempted to redirect this request, which is not permitted'

function answerOf(response: Response, rejectRedirects: boolean, { host }: URL, slices: Slices): Response {
  const { status, headers } = response
  if (rejectRedirects && status >= 300 && status <= 399 && (headers.get('location') ?? '') !== '') {
    void response.body?.cancel().catch(() => undefined)
    return new Reply(redirected, { status: 502, headers: { 'content-type': 'text/plain; charset=utf-8' } })
  }
  return answerWith(response, directLinks(host), slices)
}
