import { type ByteSource, isByteSource } from '../../../core/answers/byte-source.ts'
import { type PlainBody, Reply, type ReplyParts } from '../../../core/answers/reply.ts'
import type { UpgradeBody } from '../../../core/answers/upgrade-body.ts'
import type { Connection, Logger } from '../../../core/ports.ts'

export type Handler = (request: Request, connection: Connection) => Response | Promise<Response>

/** Shared by all connections of a listener. */
export interface Service {
  readonly handler: Handler
  readonly logger: Logger | undefined
  /** True while the listener closes: responses then ask clients to close their connections. */
  closing: boolean
  /** Current value of the Date header. */
  date(): string
}

export function createService(handler: Handler, logger?: Logger): Service {
  let second = 0
  let text = ''
  return {
    handler,
    logger,
    closing: false,
    date() {
      const now = Math.floor(Date.now() / 1000)
      if (now !== second) {
        second = now
        text = new Date(now * 1000).toUTCString()
      }
      return text
    },
  }
}

/** Statuses that never have a body (RFC 9110 6.4.1). */
export const isBodyless = (status: number) => status === 204 || status === 304

/** Status, headers and body of a response. A response with invalid headers becomes a 500. */
export function partsOf(service: Service, response: Response): ReplyParts {
  try {
    return Reply.parts(response) ?? { status: response.status, headers: [...response.headers].flat(), body: response.body }
  } catch (error) {
    return partsOf(service, failed(service, error))
  }
}

/**
 * Names (in lower case) and values, alternating. Adds content-length, when it is known, and date (RFC 9110 6.6.1) unless they are present.
 * `fields`: the list to add them to, such as that of HTTP/2 with its status.
 */
export function completed(headers: ReplyParts['headers'], size: number | undefined, date: string, fields: string[] = []): string[] {
  if (isList(headers)) for (let i = 0; i < headers.length; i++) fields.push(headers[i] as string)
  else for (const name in headers) fields.push(name.toLowerCase(), headers[name] as string)
  if (size !== undefined && !has(fields, 'content-length')) fields.push('content-length', String(size))
  if (!has(fields, 'date')) fields.push('date', date)
  return fields
}

const isList = (headers: ReplyParts['headers']): headers is readonly string[] => Array.isArray(headers)

function has(fields: readonly string[], name: string): boolean {
  for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return true
  return false
}

/** Bodies of unknown size. */
export type StreamBody = ByteSource | ReadableStream<Uint8Array<ArrayBuffer>>
export const isStream = (body: PlainBody): body is StreamBody => body instanceof ReadableStream || isByteSource(body)

/** Cancels a body that is not sent completely. */
export function giveUp(body: PlainBody, why: unknown): void {
  if (body instanceof ReadableStream) body.cancel(typeof why === 'string' ? new Error(why) : why).catch(() => {})
  else if (isByteSource(body)) body.cancel()
}

export const sizeOf = (body: Exclude<PlainBody, StreamBody | UpgradeBody>) =>
  body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength

/** Calls the handler. Never throws or rejects. */
export function answer(service: Service, request: Request, connection: Connection): Response | Promise<Response> {
  try {
    const result = service.handler(request, connection)
    return result instanceof Promise ? result.catch((error: unknown) => failed(service, error)) : result
  } catch (error) {
    return failed(service, error)
  }
}

/** The response for a handler that throws, which is a defect. */
export function failed(service: Service, error: unknown): Response {
  service.logger?.error({ err: error }, 'request handler failed')
  return new Reply('Internal Server Error\n', { status: 500 })
}

export const tooManyFields = () => new Reply('Request Header Fields Too Large\n', { status: 431 })
/** As net/http answers a body that is not framed by chunks alone, or by chunks in HTTP/1.0. The connection ends, because the end of the body is not known. */
export const unsupportedCoding = () =>
  new Reply('Unsupported transfer encoding', {
    status: 501,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' },
  })

/** As net/http answers a malformed request, after which it ends the connection. */
export function badRequest(why?: string): Response {
  const text = why === undefined ? '400 Bad Request' : `400 Bad Request: ${why}`
  return new Reply(text, { status: 400, headers: { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' } })
}
