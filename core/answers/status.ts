/** Errors as `metav1.Status` (API conventions, 'Response Status Kind'): one closed set of reasons, one class. */
import type { FieldError } from '../schema/field-error.ts'
import { quote } from '../schema/go/quote.ts'
import { shorten } from '../schema/go/shorten.ts'

export interface StatusCause {
  reason?: string
  message?: string
  field?: string
}

export interface StatusDetails {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: StatusCause[]
  retryAfterSeconds?: number
}

export interface Status {
  kind: 'Status'
  apiVersion: 'v1'
  metadata: { continue?: string }
  status: 'Success' | 'Failure'
  message?: string
  reason?: string
  details?: StatusDetails
  /** Absent in the Success of a delete. */
  code?: number
}

/** HTTP status of each reason. */
export const reasonCodes = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  StoreReadError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const

export type Reason = keyof typeof reasonCodes

/** Maximum characters of a Status message, of all its causes, and of each string in its details. */
const maxMessage = 64 * 1024
const maxCauses = 128 * 1024
const maxDetail = 10 * 1024

/** Bounds strings and causes of details: clients choose names and values in them. */
function bounded({ causes, retryAfterSeconds, ...details }: StatusDetails): StatusDetails {
  return {
    ...shortened(details),
    ...(causes && { causes: firstCauses(causes) }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  }
}

function firstCauses(causes: readonly StatusCause[]): StatusCause[] {
  const first: StatusCause[] = []
  let size = 0
  for (const cause of causes) {
    const { message = '', field = '' } = cause
    size += message.length + field.length
    if (size > maxCauses && first.length > 0) break
    first.push(shortened(cause))
  }
  return first
}

function shortened<T extends object>(texts: T): T {
  const short = Object.entries(texts).map(([name, value]) => [name, typeof value === 'string' ? shorten(value, maxDetail) : value])
  return Object.fromEntries(short) as T
}

/** An error that the client gets as a Status. Its size is bounded. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: Status
  /** Response headers of this error only. */
  headers?: Readonly<Record<string, string>>

  constructor(
    reason: Reason,
    text: string,
    details?: StatusDetails,
    code: number = reasonCodes[reason],
    metadata: Status['metadata'] = {},
  ) {
    const message = shorten(text, maxMessage)
    super(message)
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      reason,
      ...(details && { details: bounded(details) }),
      code,
    }
  }
}

/** The same error; browsers may not guess another content type of its response. Errors of filters have this header. */
export const unsniffed = (error: ApiError): ApiError => Object.assign(error, { headers: { 'x-content-type-options': 'nosniff' } })

/** An error without a reason, as the reference server returns for errors that are not a Status. */
export function unreasoned(message: string): ApiError {
  const error = new ApiError('InternalError', message)
  delete error.status.reason
  return error
}

/** Resource of an error: group and plural. */
export interface GroupResource {
  readonly group: string
  readonly resource: string
}

/** Full name of a resource: `pods`, `deployments.apps`. */
export const qualified = ({ group, resource }: GroupResource) => (group === '' ? resource : `${resource}.${group}`)
const about = ({ group, resource }: GroupResource, name: string): StatusDetails => ({
  ...(name !== '' && { name }),
  ...(group !== '' && { group }),
  ...(resource !== '' && { kind: resource }),
})

export const badRequest = (message: string) => new ApiError('BadRequest', message)
export const unauthorized = () => new ApiError('Unauthorized', 'Unauthorized')
export const notFound = (groupResource: GroupResource, name: string) =>
  new ApiError('NotFound', `${qualified(groupResource)} ${quote(name)} not found`, about(groupResource, name))
export const alreadyExists = (groupResource: GroupResource, name: string) =>
  new ApiError('AlreadyExists', `${qualified(groupResource)} ${quote(name)} already exists`, about(groupResource, name))
export function forbidden(groupResource: GroupResource, name: string, why: string): ApiError {
  const resource = qualified(groupResource)
  const what = resource === '' ? '' : `${resource}${name === '' ? '' : ` ${quote(name)}`} is `
  return new ApiError('Forbidden', `${what}forbidden: ${why}`, about(groupResource, name))
}
export const conflict = (groupResource: GroupResource, name: string, why: string) =>
  new ApiError(
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(groupResource)} ${quote(name)}: ${why}`,
    about(groupResource, name),
  )
/** All generated names were taken. */
export const noUniqueName = (groupResource: GroupResource, name: string) =>
  new ApiError(
    'AlreadyExists',
    `${qualified(groupResource)} ${quote(name)} already exists, the server was not able to generate a unique name for the object`,
    { ...about(groupResource, name), retryAfterSeconds: 1 },
  )
/** Error of a failed compare-and-swap. */
export const modified = (groupResource: GroupResource, name: string) =>
  conflict(groupResource, name, 'the object has been modified; please apply your changes to the latest version and try again')
export const notAcceptable = (accepted: readonly string[]) =>
  new ApiError('NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`)
export const unsupportedMediaType = (accepted: readonly string[]) =>
  new ApiError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
export const entityTooLarge = (limit: number) => new ApiError('RequestEntityTooLarge', `Request entity too large: limit is ${limit}`)
export const tooManyRequests = (message: string, retryAfterSeconds: number) =>
  new ApiError('TooManyRequests', message, { retryAfterSeconds })
export const expired = (message: string, continueToken?: string) =>
  new ApiError('Expired', message, undefined, 410, continueToken === undefined ? {} : { continue: continueToken })
export const internalError = (message: string) =>
  new ApiError('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
export const serviceUnavailable = (message: string, retryAfterSeconds = 1) =>
  new ApiError('ServiceUnavailable', message, { retryAfterSeconds })
export const timeout = (message: string, retryAfterSeconds?: number) =>
  new ApiError('Timeout', `Timeout: ${message}`, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
/** The store has not reached this resourceVersion. `retryAfterSeconds`: absent without a watch cache. */
export const tooLargeResourceVersion = (requested: number, current: number, retryAfterSeconds?: number) =>
  new ApiError('Timeout', `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })

/** All validation errors of an object, as `Pod "web" is invalid: …`. */
export function invalid(on: { readonly group: string; readonly kind: string }, name: string, errors: readonly FieldError[]): ApiError {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))]
  const kind = on.group === '' ? on.kind : `${on.kind}.${on.group}`
  return new ApiError('Invalid', `${kind} ${quote(name)} is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`, {
    ...(name !== '' && { name }),
    ...(on.group !== '' && { group: on.group }),
    ...(on.kind !== '' && { kind: on.kind }),
    causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
  })
}
/** 404 for a path that is not served. */
export const noSuchResource = () => new ApiError('NotFound', 'the server could not find the requested resource', {})

/** 405: the path does not support this method. */
export const notAllowed = () => new ApiError('MethodNotAllowed', 'the server does not allow this method on the requested resource', {})

/** 405: the custom resource does not support this verb, which is empty for methods without one, such as OPTIONS. */
export const unsupportedVerb = (groupResource: GroupResource, verb: string) =>
  new ApiError(
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind ${quote(qualified(groupResource))}`,
    about(groupResource, ''),
  )

/** 415: the path takes no body of this media type. */
export const unsupportedByRoute = () => new ApiError('UnsupportedMediaType', '415: Unsupported Media Type', {})

/** 406: the path answers with none of the media types that the client accepts. */
export const notProduced = (types: readonly string[]) =>
  new ApiError('NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`, {})
