import type { TokenUser } from '../../core/options/authentication.ts'
import { failure } from './failure.ts'
import { withUser } from './routed-user.ts'

/** The binding of a namespace of Durable Objects. */
export interface DurableObjectNamespace {
  idFromName(name: string): object
  get(id: object): { fetch(request: Request): Promise<Response> }
}

/** A control plane's name, and the request as it is to see it. */
export interface Routed {
  readonly name: string
  readonly request: Request
}

/** Finds the control plane of a request; undefined: it names none. */
export type Route = (request: Request) => Routed | undefined

/** Names of control planes: DNS labels (RFC 1123). */
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

const routed = (name: string, request: Request): Routed | undefined => (label.test(name) ? { name, request } : undefined)

/** `byHost('example.com')`: the control plane `team` is at `https://team.example.com`. */
export const byHost =
  (domain: string): Route =>
  (request) => {
    const { hostname } = new URL(request.url)
    return hostname.endsWith(`.${domain}`) ? routed(hostname.slice(0, -domain.length - 1), request) : undefined
  }

/** `byPath('/clusters/')`: the control plane `team` is at `https://example.com/clusters/team`, for a kubeconfig, too. */
export const byPath =
  (prefix: string): Route =>
  (request) => {
    const url = new URL(request.url)
    if (!url.pathname.startsWith(prefix)) return undefined
    const rest = url.pathname.slice(prefix.length)
    const end = rest.indexOf('/')
    const name = end < 0 ? rest : rest.slice(0, end)
    url.pathname = end < 0 ? '/' : rest.slice(end)
    return routed(name, new Request(url, request))
  }

export interface RouterOptions {
  readonly namespace: DurableObjectNamespace
  readonly route: Route
  /**
   * The user of a request to the control plane `name`, before its object is started: a request that has none is answered with 401. Absent: control
   * planes authenticate their users themselves, with their own options.
   */
  readonly authenticate?: (request: Request, name: string) => TokenUser | undefined | Promise<TokenUser | undefined>
}

/**
 * Sends a request to its control plane, one Durable Object for each name:
 *
 *     export default {
 *       fetch: (request, { PLANES }) => routeRequest(request, { namespace: PLANES, route: byHost('example.com'), authenticate }),
 *     }
 */
export async function routeRequest(request: Request, { namespace, route, authenticate }: RouterOptions): Promise<Response> {
  const found = route(request)
  if (found === undefined) return failure('NotFound', 'the server could not find the requested resource')
  const user = await authenticate?.(request, found.name)
  if (authenticate !== undefined && user === undefined) return failure('Unauthorized', 'Unauthorized')
  return await namespace.get(namespace.idFromName(found.name)).fetch(withUser(found.request, user, found.request !== request))
}
