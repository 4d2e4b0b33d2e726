import { ApiError, type StatusDetails } from '../../respond/status.ts'

/** A webhook could not be asked, or gave no usable answer: its failure policy decides. `code` is that of the metric. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed'
  readonly code: number
  constructor(webhook: string, reason: string, code: number, cause?: unknown) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${reason}`, { cause })
    this.code = code
  }
}

/** A webhook refused the request. */
export class Denied extends Error {
  override readonly name = 'Denied'
  readonly refusal: ApiError
  constructor(refusal: ApiError) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** The part of a webhook's Status that clients get; its reason may be any text. */
export interface Result {
  readonly message?: string
  readonly reason?: string
  readonly code?: number
  readonly details?: StatusDetails
}

const lowestCode = 400
const highestCode = 599

/** The refusal with the webhook's own Status, which is a failure whatever it says. */
export function denied(webhook: string, { message, reason, code = 0, details }: Result = {}): Denied {
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`
  const why = message || reason
  const status = code < lowestCode ? lowestCode : code > highestCode ? 500 : code
  const refusal = new ApiError('BadRequest', why ? `${by}: ${why}` : `${by} without explanation`, details, status)
  delete refusal.status.reason
  if (reason) Object.assign(refusal.status, { reason })
  return new Denied(refusal)
}
