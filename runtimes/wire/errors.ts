/** Errors of HTTP/2 (RFC 9113, sections 5.4 and 7). */

export const errorCodes = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  settingsTimeout: 4,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  connectError: 10,
  enhanceYourCalm: 11,
  inadequateSecurity: 12,
  http11Required: 13,
} as const

const names = (
  'NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED FRAME_SIZE_ERROR REFUSED_STREAM CANCEL ' +
  'COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM INADEQUATE_SECURITY HTTP_1_1_REQUIRED'
).split(' ')

/** Name of the error code in the RFC. */
export const nameOf = (code: number): string => names[code] ?? `error ${code}`

/** A protocol violation that ends the connection. `code` is one of `errorCodes`. */
export class ConnectionError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** A protocol violation that resets one stream; the others continue. */
export class StreamError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export const protocolError = (message: string) => new ConnectionError(errorCodes.protocolError, message)
export const frameSizeError = (message: string) => new ConnectionError(errorCodes.frameSizeError, message)
/** ENHANCE_YOUR_CALM: the peer causes excessive work. */
export const calmError = (message: string) => new ConnectionError(errorCodes.enhanceYourCalm, message)
