import { ApiError, type Reason } from '../../core/answers/status.ts'

/** A Status as JSON, for what is answered outside of a server. */
export function failure(reason: Reason, message: string): Response {
  const { status } = new ApiError(reason, message)
  return Response.json(status, { status: status.code ?? 500 })
}
