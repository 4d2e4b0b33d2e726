/** An error response of the server. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  /** HTTP status code. */
  readonly code: number
  /** Such as `NotFound`, `Conflict` or `Invalid`. */
  readonly reason: string
  /** The whole Status. */
  readonly status: { readonly [field: string]: unknown }

  constructor(code: number, status: { readonly [field: string]: unknown }, about?: string) {
    const message = String(status['message'] ?? code)
    super(about === undefined ? message : `${about}: ${message}`)
    this.code = code
    this.reason = String(status['reason'] ?? '')
    this.status = status
  }

  static async of(response: Response, about?: string): Promise<ApiFailure> {
    const text = await response.text()
    try {
      return new ApiFailure(response.status, JSON.parse(text) as ApiFailure['status'], about)
    } catch {
      return new ApiFailure(response.status, { message: text }, about)
    }
  }
}

/** A Status response with this code, for `intercept`. */
export function failure(code: number, reason: string, message: string): Response {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code }
  return new Response(JSON.stringify(status), { status: code, headers: { 'content-type': 'application/json' } })
}
