import { Reply } from './reply.ts'
import { sanitize } from './sanitize.ts'

/** Headers of errors in plain text. */
export const plainHeaders = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' } as const

/** An error without a Status: plain text, as Go's http.Error writes it. */
export class PlainError extends Error {
  override readonly name = 'PlainError'
  readonly code: number
  /** Seconds after which the client should try again. */
  readonly retryAfter: number | undefined

  constructor(code: number, message: string, retryAfter?: number) {
    super(message)
    this.code = code
    this.retryAfter = retryAfter
  }

  get response(): Response {
    const retry = this.retryAfter === undefined ? {} : { 'retry-after': String(this.retryAfter) }
    return new Reply(`${this.message}\n`, { status: this.code, headers: { ...plainHeaders, ...retry } })
  }
}

/** 404 for a path outside of the built-in groups. */
export const pageNotFound = () => new PlainError(404, '404 page not found')

/** 500 for a request that fails before its handler (responsewriters.InternalError). `target`: path and query. */
export const internalServerError = (target: string, why: string) =>
  new PlainError(500, sanitize(`Internal Server Error: ${JSON.stringify(target)}: ${why}`))
