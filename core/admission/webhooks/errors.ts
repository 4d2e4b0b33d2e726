import { ApiError, type Status, type StatusDetails } from '../../answers/status.ts'

/** The call failed or its response is unusable: the failure policy decides. `code` is for the metric. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed'
  readonly code: number
  constructor(webhook: string, reason: string, code: number, cause?: unknown) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${reason}`, { cause })
    this.code = code
  }
}

/** The webhook denied the request. */
export class Denied extends Error {
  override readonly name = 'Denied'
  readonly refusal: ApiError
  constructor(refusal: ApiError) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** Result of a webhook's response that clients get; the reason may be any string. */
export interface Result {
  readonly message?: string
  readonly reason?: string
  readonly code?: number
  readonly details?: StatusDetails
  readonly metadata?: Status['metadata']
}

const lowestCode = 400
/** What HTTP has digits for; the reference ends the connection instead of answering with a greater one. */
const highestCode = 999

/** The denial with the webhook's Status, always as a failure. */
export function denied(webhook: string, { message, reason, code = 0, details, metadata }: Result = {}): Denied {
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`
  const why = message || reason
  const status = code < lowestCode ? lowestCode : code > highestCode ? 500 : code
  const refusal = new ApiError('BadRequest', why ? `${by}: ${why}` : `${by} without explanation`, details, status, metadata)
  if (reason) Object.assign(refusal.status, { reason })
  else delete refusal.status.reason
  return new Denied(refusal)
}
