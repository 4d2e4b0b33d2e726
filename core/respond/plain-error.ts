import { Reply } from './reply.ts'

/** Headers of errors in plain text. */
export const plainHeaders = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' } as const

/** An error without a Status: plain text, as Go's http.Error writes it. */
export class PlainError extends Error {
  override readonly name = 'PlainError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }

  get response(): Response {
    return new Reply(`${this.message}\n`, { status: this.code, headers: plainHeaders })
  }
}

/** 404 for a path outside of the built-in groups. */
export const pageNotFound = () => new PlainError(404, '404 page not found')
