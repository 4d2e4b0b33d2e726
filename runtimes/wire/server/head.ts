/** Validates header lists of requests (RFC 9113, sections 8.2 and 8.3). */
import { errorCodes, StreamError } from '../errors.ts'

export interface RequestHead {
  readonly method: string
  /** Absent for CONNECT without a protocol. */
  readonly path: string | undefined
  readonly authority: string | undefined
  /** `:protocol` of an extended CONNECT, such as `websocket` (RFC 8441). */
  readonly protocol: string | undefined
  /** Names (in lower case) and values, alternating, without pseudo-header fields. */
  readonly fields: string[]
  /** content-length; absent: not sent. */
  readonly contentLength: number | undefined
}

const malformed = (why: string) => new StreamError(errorCodes.protocolError, why)
const name = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const control = /[\0-\x08\x0a-\x1f\x7f]/
const pseudoNames = new Set([':method', ':scheme', ':path', ':authority', ':protocol'])
/** Fields about the connection, which HTTP/2 does not have (section 8.2.2). */
const connectionFields = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

const isSpace = (code: number) => code === 0x20 || code === 0x09

/** Minimum length of a cached value: validating a shorter one is faster than looking it up. */
const longValue = 128
const maxLong = 4

/**
 * The last valid long value, such as a token, by field name; one map per connection. The decoder returns the same string for a repeated
 * value, so the comparison costs nothing.
 */
export type CheckedValues = Map<string, string>

function checkValue(key: string, value: string, checked: CheckedValues): void {
  if (value.length >= longValue && checked.get(key) === value) return
  checkText(key, value)
  if (value.length < longValue) return
  if (checked.size >= maxLong) checked.clear()
  checked.set(key, value)
}

function checkText(key: string, value: string): void {
  if (control.test(value)) throw malformed(`${key} has a control character`)
  if (isSpace(value.charCodeAt(0)) || isSpace(value.charCodeAt(value.length - 1))) throw malformed(`${key} has surrounding space`)
}

function checkField(key: string, value: string, checked: CheckedValues): void {
  if (!name.test(key)) throw malformed(`${JSON.stringify(key)} is no valid field name`)
  checkValue(key, value, checked)
  if (connectionFields.has(key) || (key === 'te' && value !== 'trailers')) throw malformed(`${key} is not allowed in HTTP/2`)
}

/**
 * Reads the head of a request from a header list.
 * @throws StreamError when it is malformed.
 */
export function requestHead(list: readonly string[], checked: CheckedValues): RequestHead {
  const pseudo = new Map<string, string>()
  let at = 0
  for (; at < list.length; at += 2) {
    const key = list[at] as string
    if (key.charCodeAt(0) !== 0x3a) break
    if (!pseudoNames.has(key) || pseudo.has(key)) throw malformed(`${JSON.stringify(key)} is not allowed in a request, or is repeated`)
    const value = list[at + 1] as string
    checkValue(key, value, checked)
    pseudo.set(key, value)
  }
  const fields = list.slice(at)
  let contentLength: number | undefined
  for (let i = 0; i < fields.length; i += 2) {
    const key = fields[i] as string
    const value = fields[i + 1] as string
    checkField(key, value, checked)
    if (key === 'content-length') contentLength = lengthOf(value, contentLength)
  }
  const method = pseudo.get(':method')
  const protocol = pseudo.get(':protocol')
  const path = pseudo.get(':path')
  const authority = pseudo.get(':authority')
  if (method === undefined || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(method)) throw malformed('a request has no method')
  const tunnel = method === 'CONNECT' && protocol === undefined
  if (tunnel ? path !== undefined || pseudo.has(':scheme') || !authority : !path || !pseudo.get(':scheme'))
    throw malformed('missing or unknown pseudo-header fields')
  if (protocol !== undefined && method !== 'CONNECT') throw malformed(':protocol is only allowed with CONNECT')
  return { method, path, authority, protocol, fields, contentLength }
}

function lengthOf(value: string, before: number | undefined): number {
  const length = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
  if (Number.isNaN(length) || (before !== undefined && before !== length)) throw malformed('content-length is no number or is repeated')
  return length
}

/**
 * Validates trailers (section 8.1), which are then ignored.
 * @throws StreamError when they are malformed.
 */
export function checkTrailers(list: readonly string[]): void {
  for (let i = 0; i < list.length; i += 2) checkField(list[i] as string, list[i + 1] as string, new Map())
}
