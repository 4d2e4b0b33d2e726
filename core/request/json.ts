import { ApiError, badRequest } from '../answers/status.ts'
import { decodeUtf8, repairUtf8 } from '../schema/formats/utf8.ts'
import { NumberRangeError } from '../schema/go/spelled-number.ts'
import { syntaxFault } from '../schema/json/syntax.ts'
import { endOfString, hasLongInteger, hasSurrogateEscape, keepsText, mayBeMisread, parseExact } from '../schema/json/text.ts'
import type { Json, Schema } from '../schema/model.ts'
import { mergeDuplicates } from './json-duplicates.ts'
import { findFaults, type Shape } from './json-faults.ts'

/** Maximum nesting depth of a document; walkers recurse, so this bounds their stack. */
export const maxDepth = 1000

/** A decoded body, and its strict decoding errors: `duplicate field "spec.replicas"`. */
export interface Parsed {
  readonly value: Json
  readonly duplicates: string[]
}

export interface ParseOptions {
  /** Whether to report duplicate keys. */
  readonly duplicates: boolean
  /** Parse all numbers as doubles, even with loss of digits. Default false: integers beyond 2^53 are bigints. */
  readonly doubles?: boolean
  /** Schema that tells which parts keep their text. */
  readonly schema?: Schema | undefined
  /**
   * Refuse what YAML does not allow or reads in another way: invalid UTF-8, escaped surrogates, characters that it takes for controls or line
   * breaks, numbers with fraction or exponent. Default false: the first two become U+FFFD, as in Go.
   */
  readonly isYaml?: boolean
  /** Called when numbers are written with a fraction or exponent, which are symbols then; see spelled-number.ts. */
  readonly settle?: ((value: Json) => Json) | undefined
}

/** Characters that mean something else in YAML. */
const otherInYaml = /[\u007f-\u009f\u2028\u2029\ufffe\uffff]/

/**
 * Parses a JSON body (RFC 8259, UTF-8). The last of duplicate keys wins; with `duplicates` they are reported. Lone surrogates and invalid
 * UTF-8 become U+FFFD, as in Go. Throws BadRequest with the syntax error as message, such as `unexpected end of JSON input`.
 */
export function parseJson(bytes: Uint8Array, { duplicates, doubles = false, schema, isYaml = false, settle }: ParseOptions): Parsed {
  const text = decodeUtf8(bytes) ?? (isYaml ? undefined : repairUtf8(bytes))
  if (text === undefined || (isYaml && (otherInYaml.test(text) || hasSurrogateEscape(text)))) throw badRequest('not allowed in YAML')
  const { members, exponents, fractions } = measure(text)
  if (isYaml && (exponents || fractions)) throw badRequest('not allowed in YAML')
  const spelled = settle !== undefined && (exponents || fractions || hasLongInteger(text))
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    throw badRequest(syntaxFault(bytes) ?? 'invalid JSON')
  }
  const keeps = schema !== undefined && keepsText(schema)
  if (spelled) value = inRange(() => settle(parseExact(text, schema, true)))
  else if (!doubles && (keeps || exponents || hasLongInteger(text) || hasSurrogateEscape(text) || mayBeMisread(text)))
    value = inRange(() => parseExact(text, schema))
  const repeats = duplicates && countMembers(value) !== members
  return { value, duplicates: repeats ? findFaults(text) : [] }
}

/** The strict decoding errors of a body that `parseJson` has accepted. */
export const strictFaults = (bytes: Uint8Array, shape: Shape): string[] => findFaults(decodeUtf8(bytes) ?? repairUtf8(bytes), shape)

/** A body that `parseJson` has accepted, with its duplicate members as Go's decoder of the type merges them. */
export const mergedDuplicates = (bytes: Uint8Array, schema: Schema): Uint8Array =>
  new TextEncoder().encode(mergeDuplicates(decodeUtf8(bytes) ?? repairUtf8(bytes), schema))

/** 400 for a text that is JSON, with a number that Go can't hold: it finds the kind of the object before that. */
export class NumberRangeRefusal extends ApiError {}

/** What a parser returns, unless a number is beyond doubles. */
function inRange(parse: () => Json): Json {
  try {
    return parse()
  } catch (error) {
    throw error instanceof NumberRangeError ? new NumberRangeRefusal('BadRequest', error.message) : error
  }
}

/** Result of a walk over the tokens. */
interface Measured {
  /** Number of members of all objects. */
  readonly members: number
  /** Whether a number has an exponent. */
  readonly exponents: boolean
  /** Whether a number has a decimal point. */
  readonly fractions: boolean
}

/** Walks over the tokens once: counts, and bounds the depth (BadRequest). */
function measure(text: string): Measured {
  let depth = 0
  let members = 0
  let exponents = false
  let fractions = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      at = endOfString(text, at)
      if (at < 0) break
    } else if (code === 0x3a) members++
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) throw badRequest('exceeded max depth')
    } else if (code === 0x7d || code === 0x5d) depth--
    else if ((code | 0x20) === 0x65 && isDigit(text.charCodeAt(at - 1))) exponents = true
    else if (code === 0x2e) fractions = true
  }
  return { members, exponents, fractions }
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

function countMembers(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countMembers(item)
    return count
  }
  for (const key in value) {
    count++
    const member = value[key] as Json
    if (typeof member === 'object') count += countMembers(member)
  }
  return count
}

/** 400 for a body that is not an object of the kind, with the reason and the start of the body. */
export function unrecognizedObject(kind: string, why: string, body: Uint8Array): ApiError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(body)})`)
}

const summaryBytes = 30

function summary(body: Uint8Array): string {
  if (body.length === 0) return '<empty>'
  const head = body.subarray(0, summaryBytes)
  const shown = body[0] === 0x7b ? new TextDecoder().decode(head) : Array.from(head, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return body.length > summaryBytes ? `${shown} ...` : shown
}
