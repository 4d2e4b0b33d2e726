/** The error for a response of another server that is not a Status (apimachinery's NewGenericServerResponse). */
import { quote } from '../schema/go/quote.ts'
import { ApiError, type GroupResource, qualified, type Reason } from './status.ts'

interface Row {
  readonly reason: Reason
  /** Absent: what the server said. */
  readonly text?: string
  /** Stands for what the server said if that was nothing. */
  readonly unsaid?: string
}

const rows: { readonly [code: number]: Row } = {
  400: { reason: 'BadRequest', text: 'the server rejected our request for an unknown reason' },
  401: { reason: 'Unauthorized', text: 'the server has asked for the client to provide credentials' },
  403: { reason: 'Forbidden' },
  404: { reason: 'NotFound', text: 'the server could not find the requested resource' },
  405: { reason: 'MethodNotAllowed', text: 'the server does not allow this method on the requested resource' },
  406: { reason: 'NotAcceptable', unsaid: 'the server was unable to respond with a content type that the client supports' },
  409: { reason: 'Conflict', text: 'the server reported a conflict' },
  415: { reason: 'UnsupportedMediaType' },
  422: { reason: 'Invalid', text: 'the server rejected our request due to an error in our request' },
  429: { reason: 'TooManyRequests', text: 'the server has received too many requests and has asked us to try again later' },
  503: { reason: 'ServiceUnavailable', text: 'the server is currently unable to handle the request' },
  504: {
    reason: 'Timeout',
    text: 'the server was unable to return a response in the time allotted, but may still be processing the request',
  },
}

/** The reason of an HTTP status; undefined: it has none. */
export const reasonOfCode = (code: number): Reason | undefined => rows[code]?.reason ?? (code >= 500 ? 'InternalError' : undefined)

/** What is said about a response with this HTTP status, in which the server said `said`. */
export function textOfCode(code: number, said: string): string {
  const row = rows[code]
  if (row !== undefined) return row.text ?? (row.unsaid !== undefined && (said === '' || said === 'unknown') ? row.unsaid : said)
  if (code >= 500) return `an error on the server (${quote(said)}) has prevented the request from succeeding`
  return `the server responded with the status code ${code} but did not return more information`
}

/** The error for a client that asked for this resource. */
export function serverResponse(code: number, groupResource: GroupResource, name: string, said: string): ApiError {
  const { group, resource: kind } = groupResource
  const message = `${textOfCode(code, said)} ( ${qualified(groupResource)} ${name})`
  const error = new ApiError(reasonOfCode(code) ?? 'InternalError', message, { name, ...(group !== '' && { group }), kind }, code)
  if (reasonOfCode(code) === undefined) error.status.reason = 'Unknown'
  return error
}
