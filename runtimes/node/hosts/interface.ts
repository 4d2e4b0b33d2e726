/** The HTTP interface: finds the row of a request, checks its token and body, and answers with JSON. Errors are Status objects. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { apiErrorOf } from '../../../core/answers/error.ts'
import { Reply } from '../../../core/answers/reply.ts'
import { ApiError, badRequest, internalError, unauthorized } from '../../../core/answers/status.ts'
import { readFields } from '../../../core/config/files/fields.ts'
import { OptionError } from '../../../core/options/validate.ts'
import type { Logger } from '../../../core/ports.ts'
import { readBody } from '../../../core/request/body.ts'
import { LightRequest } from '../../../core/request/light-request.ts'
import { splitTarget, targetOf } from '../../../core/request/target.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { ApiFailure } from '../../testing/failure.ts'
import { type InterfaceServices, type Row, rows } from './rows.ts'

/** Maximum bytes of a body: a folder of manifests. */
const maxBody = 16 * 1024 * 1024

const digest = (text: string) => createHash('sha256').update(text).digest()

function jsonReply(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Reply(`${JSON.stringify(value)}\n`, { status, headers: { 'content-type': 'application/json', ...headers } })
}

export function errorReply({ status, headers }: ApiError): Response {
  const seconds = status.details?.retryAfterSeconds
  return jsonReply(status, status.code ?? 500, { ...headers, ...(seconds !== undefined && { 'retry-after': String(seconds) }) })
}

/** The client's error; what is unexpected goes to the log. */
export function clientError(error: unknown, logger: Logger): ApiError {
  const known = apiErrorOf(error)
  if (known !== undefined) return known
  if (error instanceof OptionError) return new ApiError('Invalid', error.message)
  if (error instanceof ApiFailure) {
    const failure = new ApiError('Invalid', error.message, undefined, error.code)
    return Object.assign(failure, { status: { ...failure.status, ...error.status, message: error.message } })
  }
  logger.error({ err: error }, 'request of the interface failed')
  return internalError(messageOf(error))
}

/** The name in a path that has the form of a row's; empty: the row has none. Undefined: it has another form. */
function nameIn(path: string, { path: form }: Row): string | undefined {
  const [segments, expected] = [path.split('/'), form.split('/')]
  const at = expected.indexOf('{name}')
  if (segments.length !== expected.length || !segments.every((segment, index) => index === at || segment === expected[index]))
    return undefined
  return at < 0 ? '' : segments[at] || undefined
}

function findRow(method: string, path: string): { readonly row: Row; readonly name: string } {
  const matching = rows.flatMap((row) => {
    const name = nameIn(path, row)
    return name === undefined ? [] : [{ row, name }]
  })
  const found = matching.find(({ row }) => row.method === method)
  if (found) return found
  if (matching.length === 0) throw new ApiError('NotFound', 'the server could not find the requested resource')
  const allowed = matching.map(({ row }) => row.method).join(', ')
  throw Object.assign(new ApiError('MethodNotAllowed', `the methods of ${path} are ${allowed}`), { headers: { allow: allowed } })
}

async function bodyOf(request: Request, { body: schema, text }: Row): Promise<unknown> {
  if (schema === undefined) return undefined
  const content = new TextDecoder().decode(await readBody(request, maxBody))
  const isJson = /^application\/json\b/.test(request.headers.get('content-type') ?? '')
  const value = text !== undefined && !isJson ? { [text]: content } : parsed(content)
  const read = readFields(schema, value)
  if ('content' in read) return read.content
  const problems = read.problems.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`))
  throw badRequest(`the body is invalid: ${problems.join('; ')}`)
}

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch (error) {
    throw badRequest(`the body is no JSON: ${messageOf(error)}`)
  }
}

/** Answers requests with the token; others get 401. */
export function createInterface(services: InterfaceServices, token: string, logger: Logger): (request: Request) => Promise<Response> {
  const expected = digest(`Bearer ${token}`)
  return async (request) => {
    try {
      const { path, query } = splitTarget(targetOf(request))
      if (path === '/readyz') return new Reply('ok')
      if (!timingSafeEqual(digest(request.headers.get('authorization') ?? ''), expected)) throw unauthorized()
      LightRequest.identified(request)
      const { row, name } = findRow(request.method, path)
      const asked = { services, name, query, body: await bodyOf(request, row) }
      const answer = await row.run(asked as never)
      if (typeof row.answer !== 'string') return jsonReply(answer, row.status)
      return new Reply(String(answer), { status: row.status, headers: { 'content-type': row.answer } })
    } catch (error) {
      return errorReply(clientError(error, logger))
    }
  }
}
