/** The paths of branches: `/branches/NAME/…` is the server of a branch, `/branches` and `/branches/NAME` are the interface. */

import { readImpersonation } from '../../../core/access/authn/impersonation-headers.ts'
import { type Authorizer, attributesOf } from '../../../core/access/authz/authorizer.ts'
import { deniedError } from '../../../core/access/authz/forbidden.ts'
import { pageNotFound } from '../../../core/answers/plain-error.ts'
import { Reply } from '../../../core/answers/reply.ts'
import { badRequest, internalError, notAllowed, notFound } from '../../../core/answers/status.ts'
import type { PathHandler } from '../../../core/filters/path-handlers.ts'
import { readBody } from '../../../core/request/body.ts'
import type { Exchange } from '../../../core/request/exchange.ts'
import { targetOf } from '../../../core/request/target.ts'
import { type Branch, branchResource } from './branch.ts'
import type { Branches } from './branches.ts'
import type { Ask } from './differences.ts'
import { type Choices, describe, type Row, rows } from './rows.ts'

const prefix = '/branches'

/** Names are DNS labels (RFC 1123). Compared with the bytes of the path: nothing is decoded, and dot segments stay as they are. */
const form = /^\/branches(?:\/([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)(?::([a-z]+)|(\/.*))?)?$/s

interface Place {
  /** Empty: all branches. */
  readonly name: string
  readonly action: string
  /** Path and query below the branch; undefined: the request is for the interface. */
  readonly target: string | undefined
}

function placeOf(request: Request): Place {
  const target = targetOf(request)
  const mark = target.indexOf('?')
  const end = mark < 0 ? target.length : mark
  const found = form.exec(target.slice(0, end))
  if (found === null) throw pageNotFound()
  const [, name = '', action = '', rest] = found
  return { name, action, target: rest && rest + target.slice(end) }
}

/** Maximum bytes of a body of the interface. */
const maxBody = 64 * 1024

async function bodyOf(request: Request): Promise<Choices> {
  const text = new TextDecoder().decode(await readBody(request, maxBody))
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Reported as below.
  }
  throw badRequest('the body must be a JSON object')
}

const json = (value: unknown, status: number) =>
  new Reply(`${JSON.stringify(value)}\n`, { status, headers: { 'content-type': 'application/json' } })

/** `live`: answers a request as the live server. */
export function branchPaths(branches: Branches, live: Ask): PathHandler {
  async function allow(exchange: Exchange, authorizer: Authorizer, verb: string, path: string, branch: Branch | undefined): Promise<void> {
    if (branch?.isOwnedBy(exchange.user)) return exchange.observer?.authorized('allow', 'owner of the branch')
    const attributes = attributesOf(exchange.user, { ...exchange.info, verb, path })
    const { verdict, reason, error } = await authorizer.authorize(attributes, exchange)
    exchange.observer?.authorized(verdict === 'allow' ? 'allow' : error === undefined ? 'forbid' : 'error', reason)
    if (verdict === 'allow') return
    if (error !== undefined) throw internalError(error)
    throw deniedError(attributes, reason)
  }

  async function serve(exchange: Exchange, authorizer: Authorizer, { name, target = '/' }: Place): Promise<Response> {
    const branch = branches.find(name)
    const { verb, path } = exchange.info
    await allow(exchange, authorizer, verb, path, branch)
    if (branch === undefined) throw notFound(branchResource, name)
    const { connection, request, user } = exchange
    const response = await branch.handle(request, target, user, connection)
    // Watches of the branch end when the live server shuts down.
    const end = exchange.onShutdown(() => void branches.close())
    if (connection.whenSent) connection.whenSent(response, end)
    else end()
    return response
  }

  async function ask(exchange: Exchange, authorizer: Authorizer, { name, action }: Place): Promise<Response> {
    const { request, user } = exchange
    const matching: readonly Row[] = rows.filter((row) => row.action === action && row.ofOne === (name !== ''))
    if (matching.length === 0) throw pageNotFound()
    const row = matching.find(({ method }) => method === request.method)
    if (row === undefined) throw notAllowed()
    // The user of the headers would have to be authorized for what the request does as a whole.
    if (readImpersonation(request.headers) !== undefined) throw badRequest('requests of /branches can not be impersonated')
    if (row.verb === undefined) {
      const visible = []
      for (const branch of branches.list()) if (await isVisible(exchange, authorizer, branch)) visible.push(describe(branch))
      exchange.observer?.authorized('allow', 'branches of the user')
      return json({ branches: visible }, 200)
    }
    const branch = branches.find(name)
    // Its owner may not replace it, either: that needs the right to create.
    await allow(exchange, authorizer, row.verb, `${prefix}/${name}`, row.verb === 'create' ? undefined : branch)
    if (row.verb !== 'create' && branch === undefined) throw notFound(branchResource, name)
    const body = row.method === 'POST' ? await bodyOf(request) : {}
    return json(await row.run({ branches, name, user, body, live }), row.status ?? 200)
  }

  async function isVisible(exchange: Exchange, authorizer: Authorizer, branch: Branch): Promise<boolean> {
    if (branch.isOwnedBy(exchange.user)) return true
    const attributes = attributesOf(exchange.user, { ...exchange.info, verb: 'get', path: `${prefix}/${branch.settings.name}` })
    return (await authorizer.authorize(attributes, exchange)).verdict === 'allow'
  }

  return {
    prefix,
    // A branch's server has deadlines of its own.
    lasts: (path) => path.indexOf('/', prefix.length + 1) > 0,
    async answer(exchange, authorizer) {
      const place = placeOf(exchange.request)
      return place.target === undefined ? ask(exchange, authorizer, place) : serve(exchange, authorizer, place)
    },
  }
}
