import type { Connection, Logger } from '../../../core/ports.ts'
import { LightResponse, type PlainBody } from './response.ts'

export type Handler = (request: Request, connection: Connection) => Response | Promise<Response>

/** What all connections of a listener share. */
export interface Service {
  readonly handler: Handler
  readonly logger: Logger | undefined
  /** Set once the listener closes: connections are told not to come back. */
  closing: boolean
}

/** A response, taken apart for sending. Headers: a record, or names and values by turns. */
export interface Parts {
  readonly status: number
  readonly headers: Record<string, string> | string[]
  readonly body: PlainBody
}

/** Statuses that never have a body (RFC 9110 6.4.1). */
export const isBodyless = (status: number) => status === 204 || status === 304

/** Takes a response apart; one whose headers are not valid becomes a failure. */
export function partsOf(service: Service, response: Response): Parts {
  try {
    return LightResponse.parts(response) ?? { status: response.status, headers: [...response.headers].flat(), body: response.body }
  } catch (error) {
    return partsOf(service, failed(service, error))
  }
}

/** Adds a Content-Length where there is none and the size is known. Names and values by turns: a record costs more to copy. */
export function sized(headers: Parts['headers'], size: number): string[] {
  const flat = Array.isArray(headers) ? [...headers] : flatten(headers)
  for (let i = 0; i < flat.length; i += 2) if (flat[i]?.toLowerCase() === 'content-length') return flat
  flat.push('content-length', String(size))
  return flat
}

function flatten(headers: Record<string, string>): string[] {
  const flat: string[] = []
  for (const name in headers) flat.push(name, headers[name] as string)
  return flat
}

export const sizeOf = (body: Uint8Array | string | null) =>
  body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength

/** Header fields that a request may have: some things take time for each pair of them. */
export const maxFields = 2_000

/** Calls the handler. Never throws or rejects. */
export function answer(service: Service, request: Request, connection: Connection): Response | Promise<Response> {
  try {
    const result = service.handler(request, connection)
    return result instanceof Promise ? result.catch((error: unknown) => failed(service, error)) : result
  } catch (error) {
    return failed(service, error)
  }
}

/** Answers when a handler fails, which it is not supposed to do. */
export function failed(service: Service, error: unknown): Response {
  service.logger?.error({ err: error }, 'request handler failed')
  return new LightResponse('Internal Server Error\n', { status: 500 })
}

export const tooManyFields = () => new LightResponse('Request Header Fields Too Large\n', { status: 431 })
export const badRequest = () => new LightResponse('Bad Request\n', { status: 400 })
