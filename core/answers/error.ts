import { StoreError } from '../ports.ts'
import { Status as StatusSchema } from '../resources/meta/status.ts'
import { encodeBody, type Format } from './encode.ts'
import { responseHeaders, type Trace } from './headers.ts'
import { Reply } from './reply.ts'
import { ApiError, expired, internalError, type Status, serviceUnavailable, timeout } from './status.ts'

/** Maps a store failure to the client's error. */
function ofStore(error: StoreError): ApiError {
  switch (error.code) {
    case 'compacted':
      return expired('The resourceVersion for the provided list is too old.')
    case 'future-revision':
      return timeout('Too large resource version', 1)
    case 'timeout':
      return timeout('the store did not answer in time', 1)
    case 'unavailable':
      return serviceUnavailable('the store is unavailable')
    case 'too-large':
      return new ApiError('RequestEntityTooLarge', `Request entity too large: ${error.message}`)
    case 'no-space':
      // RFC 4918 11.5, without Retry-After: an immediate retry would not help.
      return new ApiError('InternalError', `Internal error occurred: the store has no space left: ${error.message}`, undefined, 507)
    case 'corrupt':
      return internalError(error.message)
  }
}

/** Maps a thrown value to the client's error; undefined: an internal error, whose text only goes to the log. */
export function apiErrorOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error instanceof StoreError) return ofStore(error)
  return undefined
}

/** How an error is written. */
export interface ErrorEncoding {
  readonly format: Format
  readonly mediaType: string
  readonly pretty: boolean
}

/** The body of a failure, or of the failure to write it in this format; the response keeps its code. */
function writable<T>(write: (status: Status) => T, status: Status): T {
  try {
    return write(status)
  } catch (error) {
    if (error instanceof ApiError) return write(error.status)
    throw error
  }
}

/** The response for a failure. */
export function errorResponse(trace: Trace, { status, headers }: ApiError, { format, mediaType, pretty }: ErrorEncoding): Response {
  const retry = status.details?.retryAfterSeconds
  const others = retry === undefined ? headers : { ...headers, 'retry-after': String(retry) }
  const write = (value: Status) => encodeBody({ value, schema: StatusSchema }, format, pretty) as Uint8Array<ArrayBuffer>
  const body = writable(write, status)
  return new Reply(body, { status: status.code ?? 500, headers: responseHeaders(trace, mediaType, others) })
}
