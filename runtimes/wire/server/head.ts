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
/** Fields about the connection, which HTTP/2 does not have (section 8.2.2). */
const connectionFields = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

const isSpace = (code: number) => code === 0x20 || code === 0x09

/** What a connection remembers of its last request: a list of at most so many bytes. */
const maxRemembered = 16 * 1024
const none: readonly string[] = []

function checkValue(key: string, value: string): void {
  if (control.test(value)) throw malformed(`${key} has a control character`)
  if (isSpace(value.charCodeAt(0)) || isSpace(value.charCodeAt(value.length - 1))) throw malformed(`${key} has surrounding space`)
}

function checkField(key: string, value: string): void {
  if (!name.test(key)) throw malformed(`${JSON.stringify(key)} is no valid field name`)
  checkValue(key, value)
  if (connectionFields.has(key) || (key === 'te' && value !== 'trailers')) throw malformed(`${key} is not allowed in HTTP/2`)
}

/** Pseudo-header fields (section 8.3.1, RFC 8441). */
type PseudoName = ':method' | ':scheme' | ':path' | ':authority' | ':protocol'

const isPseudo = (key: string): key is PseudoName =>
  key === ':method' || key === ':scheme' || key === ':path' || key === ':authority' || key === ':protocol'

/**
 * Reads the heads of the requests of one connection. Fields are mostly those of the request before, and the decoder returns the same strings
 * for them: what is in the same place as then is not validated again.
 */
export class RequestHeads {
  /** A valid list, and where its regular fields begin. */
  #last = none
  #regularFrom = 0

  /**
   * Reads the head of a request from a header list, which has so many bytes (RFC 9113, section 6.5.2).
   * @throws StreamError when it is malformed.
   */
  read(list: readonly string[], bytes = 0): RequestHead {
    const last = this.#last
    const pseudo: { [name in PseudoName]: string | undefined } = {
      ':method': undefined,
      ':scheme': undefined,
      ':path': undefined,
      ':authority': undefined,
      ':protocol': undefined,
    }
    let contentLength: number | undefined
    let at = 0
    for (; at < list.length; at += 2) {
      const key = list[at] as string
      if (key.charCodeAt(0) !== 0x3a) break
      if (!isPseudo(key) || pseudo[key] !== undefined) throw malformed(`${JSON.stringify(key)} is not allowed in a request, or is repeated`)
      const value = list[at + 1] as string
      if (last[at] !== key || last[at + 1] !== value) checkValue(key, value)
      pseudo[key] = value
    }
    const regularFrom = at
    // A pseudo-header field of the last request is no valid regular field in the same place.
    const sameFrom = Math.max(regularFrom, this.#regularFrom)
    for (; at < list.length; at += 2) {
      const key = list[at] as string
      const value = list[at + 1] as string
      if (at < sameFrom || last[at] !== key || last[at + 1] !== value) checkField(key, value)
      if (key === 'content-length') contentLength = lengthOf(value, contentLength)
    }
    const { ':method': method, ':scheme': scheme, ':path': path, ':authority': authority, ':protocol': protocol } = pseudo
    if (method === undefined || !isMethod(method)) throw malformed('a request has no method')
    const tunnel = method === 'CONNECT' && protocol === undefined
    if (tunnel ? path !== undefined || scheme !== undefined || !authority : !path || !scheme)
      throw malformed('missing or unknown pseudo-header fields')
    if (protocol !== undefined && method !== 'CONNECT') throw malformed(':protocol is only allowed with CONNECT')
    this.#last = bytes <= maxRemembered ? list : none
    this.#regularFrom = regularFrom
    return { method, path, authority, protocol, fields: list.slice(regularFrom), contentLength }
  }
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const usual = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
const isMethod = (method: string) => usual.has(method) || token.test(method)

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
  for (let i = 0; i < list.length; i += 2) checkField(list[i] as string, list[i + 1] as string)
}
