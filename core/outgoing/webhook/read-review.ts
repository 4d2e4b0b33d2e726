/** Reads the review that a webhook answers with, as the reference's client does: JSON or YAML, kind and apiVersion first, then the fields. */
import { mergedDuplicates, parseJson } from '../../request/json.ts'
import { readTypeHeader, type TypeHeader } from '../../request/type-header.ts'
import { parseYaml } from '../../request/yaml.ts'
import { isReviewVersion } from '../../resources/webhook-client-validation.ts'
import { decode } from '../../schema/decode.ts'
import { shorten } from '../../schema/go/shorten.ts'
import { settle } from '../../schema/go/spelled-number.ts'
import { isObject } from '../../schema/json/is-object.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { Json, JsonObject, Message } from '../../schema/model.ts'
import { checkStructure } from './parse-answer.ts'

/** Reviews of one kind. */
export interface ReviewType {
  readonly kind: string
  /** API group. */
  readonly group: string
  readonly version: string
  readonly schema: Message
  /** Maximum values of an answer; default: that of answers without lists of objects. */
  readonly maxValues?: number
}

/** What a review says about itself; empty texts are absent. */
export interface ReadReview extends TypeHeader {
  /** Canonical members. */
  readonly review: JsonObject
}

/** Maximum characters of an answer that is read as YAML, which takes longer. */
const maxYaml = 256 * 1024
/** Maximum characters of an answer in errors. */
const maxShown = 1_024
/** A text that starts so is JSON, and nothing else: Go's white space, and a brace. */
const startsObject = /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*\{/

const encoder = new TextEncoder()

function parseReviewJson(text: string, schema: Message): Json {
  const bytes = encoder.encode(text)
  const options = { schema, settle: (value: Json) => settle(value, schema) }
  try {
    const { value, duplicates } = parseJson(bytes, { ...options, duplicates: true })
    return duplicates.length === 0 ? value : parseJson(mergedDuplicates(bytes, schema), { ...options, duplicates: false }).value
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${messageOf(error)}`)
  }
}

function parseReviewYaml(text: string): Json {
  if (text.length > maxYaml) throw new Error(`the answer is no JSON, and has more than ${maxYaml} characters`)
  return parseYaml(encoder.encode(text), { duplicates: false }).value
}

/** Group and version of an `apiVersion` (ParseGroupVersion). */
function groupVersionOf(apiVersion: string): readonly [group: string, version: string] {
  const [first = '', second, ...more] = apiVersion.split('/')
  if (more.length > 0) throw new Error(`unexpected GroupVersion string: ${shorten(apiVersion, maxShown)}`)
  return second === undefined ? ['', first] : [first, second]
}

/** Throws an Error unless the answer is of the type that was sent, or does not say its type. */
function checkType(header: TypeHeader, text: string, expected: ReviewType): void {
  const { group, version, kind } = expected
  const [givenGroup, givenVersion] = groupVersionOf(header.apiVersion)
  const isSameGroup = givenGroup === group
  const actual = {
    kind: header.kind || kind,
    group: givenGroup === '' && givenVersion === '' ? group : givenGroup,
    version: givenVersion === '' && (isSameGroup || givenGroup === '') ? version : givenVersion,
  }
  if (actual.version === '') throw new Error(`Object 'apiVersion' is missing in '${shorten(text, maxShown)}'`)
  const isReview = actual.group === group && actual.kind === kind
  if (isReview && actual.version === version) return
  const isStatus = actual.group === '' && actual.version === 'v1' && actual.kind === 'Status'
  if ((isReview && isReviewVersion(actual.version)) || isStatus)
    throw new Error(`converting (${actual.version}.${actual.kind}) to (${version}.${kind}): unknown conversion`)
  const named = `${actual.group}${actual.group && '/'}${actual.version}`
  const where = 'in scheme "pkg/util/webhook/client.go:71"'
  throw new Error(
    `no kind ${JSON.stringify(shorten(actual.kind, maxShown))} is registered for version ${JSON.stringify(shorten(named, maxShown))} ${where}`,
  )
}

const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : '')

/** Throws an Error with the reason when the text is malformed, or a review of another type. */
export function readReview(text: string, expected: ReviewType): ReadReview {
  checkStructure(text, expected.maxValues)
  const isJson = startsObject.test(text)
  const value = isJson ? parseReviewJson(text, expected.schema) : parseReviewYaml(text)
  const header = readTypeHeader(value, !isJson)
  if (typeof header === 'string') throw new Error(header)
  checkType(header, text, expected)
  const members = isObject(value) ? value : {}
  const { value: review } = decode(expected.schema, members, { root: true })
  // Any case of these names says the type, but the fields are read by their exact names.
  return { kind: textOf(members['kind']), apiVersion: textOf(members['apiVersion']), review }
}
