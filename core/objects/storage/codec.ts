/**
 * Converts between stored values and served bytes. A printed object is canonical JSON that starts with kind, apiVersion and metadata, without
 * a resourceVersion; the served form has it spliced in at its place in metadata, so that reads don't parse stored values.
 * A stored value is the printed object, protobuf in an envelope, CBOR, or YAML. JSON of other forms and versions is read too, because the
 * reference server may have written it.
 */

import { isEncrypted, readsEncrypted } from '../../encryption/encrypted-value.ts'
import { StoreError } from '../../ports.ts'
import type { ApiObject, ResourceDefinition } from '../../resources/definition.ts'
import { apiVersionOf } from '../../resources/definition.ts'
import { concatenate, endLine, sameBytes, startsWith, withoutLineFeed } from '../../schema/bytes.ts'
import { decodeCbor } from '../../schema/cbor/decode.ts'
import { encodeCbor, isCbor } from '../../schema/cbor/encode.ts'
import { canonicalise } from '../../schema/decode.ts'
import { encodeUtf8 } from '../../schema/formats/utf8.ts'
import { closeBrace, openBrace, quote } from '../../schema/json/bytes.ts'
import { givenEmpties, setGivenEmpties } from '../../schema/json/given-empty.ts'
import { htmlSafe } from '../../schema/json/html-safe.ts'
import { keepsText, parseJsonText, parseToShow, printJson } from '../../schema/json/text.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { Json, JsonObject, Message } from '../../schema/model.ts'
import {
  decodeEnvelope,
  decodeProtobuf,
  encodeEnvelope,
  encodeObject,
  isEnvelope,
  ProtobufEncoder,
} from '../../schema/protobuf/protobuf.ts'
import { parseYamlText, yamlText } from '../../schema/yaml/text.ts'
import type { ObjectName } from './keys.ts'
import { labelsFinder } from './served-metadata.ts'
import { versionMember, versionPlace } from './version-place.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** Pieces of JSON as text: none ends within a character. */
export const textOf = (pieces: readonly Uint8Array[]) => pieces.reduce((text, piece) => text + decoder.decode(piece), '')
/** Of the resourceVersion behind another member. */
const memberStart = encoder.encode(',"resourceVersion":"')

/** The code of a digit, as the first character of a name. */
const isDigit = (code: number) => code >= 0x30 && code <= 0x39

/**
 * The JSON of an object that starts with kind, apiVersion and metadata. JavaScript objects have members with names of array indices before all
 * others, and a custom resource may have such fields.
 */
export function printObject(object: ApiObject): string {
  const text = printJson(object)
  if (!isDigit(text.charCodeAt('{"'.length))) return text
  const { kind, apiVersion, metadata, ...fields } = object
  return `${printJson({ kind, apiVersion, metadata }).slice(0, -1)},${printJson(fields).slice(1)}`
}

/** An object in canonical form, and its JSON. */
export class Printed {
  readonly object: ApiObject
  readonly json: string
  #bytes: Uint8Array | undefined

  constructor(object: ApiObject, json: string) {
    this.object = object
    this.json = json
  }

  /** The JSON in UTF-8, encoded once. */
  get bytes(): Uint8Array {
    this.#bytes ??= encodeUtf8(this.json)
    return this.#bytes
  }
}

export type Labels = { readonly [key: string]: string }

export interface Codec {
  /**
   * The canonical form: fields in schema order, empty fields omitted as the API does, no resourceVersion. Shares canonical parts with the given
   * object. `known`: an object in this form, such as the one that the object is an update of.
   */
  canonical(object: ApiObject, known?: ApiObject): ApiObject
  print(canonical: ApiObject): Printed
  /** The value to store. */
  store(printed: Printed): Uint8Array
  /** The served bytes of a printed object; without a revision: of an object that is not stored, whose resourceVersion may be any text. */
  show(printed: Printed, revision?: number | string): Uint8Array
  /** Served bytes with another revision, as a deletion shows them. */
  restamp(served: Uint8Array, from: number, to: number): Uint8Array
  /** Whether `served` equals the result of `show`. */
  isShown(served: Uint8Array, printed: Printed, revision: number): boolean
  /**
   * The served bytes of a stored value. `key`: of the object, where recent writes are remembered by it.
   * @throws StoreError `corrupt` when the value can't be read.
   */
  serve(stored: Uint8Array, revision: number, key?: string): Uint8Array
  /** Whether `serve` only adds a resourceVersion to this value. */
  isServed(stored: Uint8Array): boolean
  /** As `serve`, for such a value: its start, and the rest of the stored value itself. */
  pieces(stored: Uint8Array, revision: number): Uint8Array[]
  /** Decodes a new object from served bytes, in one piece or several; the caller may change it. */
  decode(...served: readonly Uint8Array[]): ApiObject
  /** The object that a recent write stored as these bytes, stored or served: canonical, without resourceVersion; must not be changed. */
  written?(key: string, bytes: Uint8Array): ApiObject | undefined
  /** The object of a key. */
  nameOf(key: string): ObjectName
  /** Reads nothing but the labels, which selectors ask of every object. The bytes may lack the resourceVersion. */
  labels(served: Uint8Array): Labels
}

export interface CodecOptions {
  /** Default, for objects that are in no store: the key is the name. */
  readonly nameOf?: Codec['nameOf']
  /** Media type of stored values: JSON (default), YAML or CBOR; any other means protobuf. All of them can be read regardless. */
  readonly mediaType?: string
  /** The same resource in other versions: schemas for objects that were stored in them. */
  readonly versions?: readonly ResourceDefinition[]
}

/** Of objects that are in no store. */
export const unstored: Codec['nameOf'] = (key) => ({ namespace: '', name: key })

/** A copy without resourceVersion, of as little as possible. */
function withoutVersion(object: ApiObject): ApiObject {
  const { resourceVersion: _, ...metadata } = object.metadata
  setGivenEmpties(metadata, givenEmpties(object.metadata))
  const copy = { ...object, metadata }
  setGivenEmpties(copy, givenEmpties(object))
  return copy
}

/** A value that is neither JSON nor an envelope: YAML, which the reference server tries last, too. */
function readYaml(stored: Uint8Array): ApiObject {
  const object = parseYamlText(decoder.decode(stored)) as Partial<ApiObject> | null
  if (typeof object?.metadata !== 'object') throw new Error('not an object of this API')
  return object as ApiObject
}

export function createCodec(
  definition: ResourceDefinition,
  { mediaType = 'application/json', versions = [], nameOf = unstored }: CodecOptions = {},
): Codec {
  const { kind, schema, versioning } = definition
  const apiVersion = apiVersionOf(definition)
  const typeMeta = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`
  const head = encoder.encode(`${typeMeta}"metadata":{`)

  const canonical = (object: ApiObject, known?: ApiObject): ApiObject => {
    const unversioned = object.metadata.resourceVersion === undefined ? object : withoutVersion(object)
    const options = { root: true, shares: true, known: known as JsonObject | undefined }
    return canonicalise(definition.schema, unversioned as Json, options) as ApiObject
  }

  const print = (object: ApiObject) => new Printed(object, htmlSafe(printObject(object)))
  const decode = (...served: readonly Uint8Array[]) => parseJsonText(textOf(served), schema) as ApiObject

  const findLabels = labelsFinder(definition)

  const labels = (served: Uint8Array): Labels => {
    const found = findLabels(served)
    if (found === undefined) return decode(served).metadata.labels ?? {}
    return found === null ? {} : ((parseJsonText(decoder.decode(found)) ?? {}) as Labels)
  }

  /** Copies the printed object up to the end of the resourceVersion member. */
  const startOf = (printed: Uint8Array, place: number, revision: number | string, rest: number): Uint8Array => {
    if (place === head.length || typeof revision === 'string') {
      const member = encoder.encode(versionMember(printed, head.length, place, revision))
      return concatenate([printed.subarray(0, place), member, new Uint8Array(rest)])
    }
    // A copy of constant bytes and a loop over digits take a third of the time of a call of the encoder.
    const digits = String(revision)
    const start = place + memberStart.length
    const served = new Uint8Array(start + digits.length + 1 + rest)
    served.set(printed.subarray(0, place))
    served.set(memberStart, place)
    for (let at = 0; at < digits.length; at++) served[start + at] = digits.charCodeAt(at)
    served[start + digits.length] = quote
    return served
  }

  const splice = (printed: Uint8Array, revision: number | string): Uint8Array => {
    const place = versionPlace(printed, head.length)
    const rest = printed.length - place
    // Responses end with a line feed.
    const served = startOf(printed, place, revision, rest + 1)
    served.set(printed.subarray(place), served.length - rest - 1)
    return endLine(served)
  }

  const show = ({ bytes }: Printed, revision?: number | string): Uint8Array => (revision === undefined ? bytes : splice(bytes, revision))

  const restamp = (served: Uint8Array, from: number, to: number): Uint8Array => {
    const place = versionPlace(served, head.length)
    const member = versionMember(served, head.length, place, from)
    // The only member of metadata: the comma that the closing brace behind the member does not need was not written.
    const isAlone = place === head.length && served[place + member.length - 1] === closeBrace
    const rest = served.subarray(place + member.length - (isAlone ? 1 : 0))
    const bare = new Uint8Array(place + rest.length)
    bare.set(served.subarray(0, place))
    bare.set(rest, place)
    return splice(bare, to)
  }

  /** Texts of ASCII characters are compared as strings: decoding takes a quarter of the time of encoding. */
  const isShown = (served: Uint8Array, printed: Printed, revision: number) => {
    const { json } = printed
    // There are at least as many bytes as characters.
    if (json.length > served.length) return false
    const text = decoder.decode(served)
    const place = versionPlace(served, head.length)
    if (text.length < served.length || place === head.length) return sameBytes(served, show(printed, revision))
    const member = versionMember(served, head.length, place, revision)
    return text === json.slice(0, place) + member + json.slice(place)
  }

  const isOwn = (object: Pick<ApiObject, 'kind' | 'apiVersion'>) => object.kind === kind && object.apiVersion === apiVersion

  const another = (object: Pick<ApiObject, 'kind' | 'apiVersion'>) =>
    new Error(`it is a ${object.kind} of ${object.apiVersion}, not a ${kind} of ${apiVersion}`)

  const schemaOf = (object: Pick<ApiObject, 'kind' | 'apiVersion'>): Message => {
    if (isOwn(object)) return schema
    const other = versions.find((each) => each.kind === object.kind && apiVersionOf(each) === object.apiVersion)
    if (other === undefined) throw another(object)
    return other.schema
  }

  const inOwnVersion = (object: ApiObject): ApiObject => {
    if (isOwn(object)) return object
    const convert = object.kind === kind ? versioning?.converter.now : undefined
    if (convert === undefined) throw another(object)
    return convert(object, apiVersion)
  }

  const read = (stored: Uint8Array): ApiObject => {
    if (isEncrypted(stored)) throw new Error(readsEncrypted)
    if (stored[0] === openBrace) return decode(stored)
    if (isCbor(stored)) return decodeCbor(stored) as unknown as ApiObject
    if (!isEnvelope(stored)) return readYaml(stored)
    const { raw, ...envelope } = decodeEnvelope(stored)
    const fields = decodeProtobuf(schemaOf(envelope), raw)
    return { kind: envelope.kind, apiVersion: envelope.apiVersion, ...fields } as ApiObject
  }

  /** Prints a value that was not printed by this server. */
  const reprint = (stored: Uint8Array): Printed => {
    try {
      return print(canonical(inOwnVersion(read(stored))))
    } catch (error) {
      throw new StoreError('corrupt', `stored ${kind} can't be read: ${messageOf(error)}`)
    }
  }

  /** White space after the brace would need another comma. */
  const isServed = (stored: Uint8Array) => startsWith(stored, head) && (stored[head.length] === quote || stored[head.length] === closeBrace)

  const serve = (stored: Uint8Array, revision: number): Uint8Array => {
    if (!isServed(stored)) return show(reprint(stored), revision)
    // The reference ends stored JSON with a line feed, which would split a watch event.
    return splice(withoutLineFeed(stored), revision)
  }

  const pieces = (stored: Uint8Array, revision: number): Uint8Array[] => {
    const place = versionPlace(stored, head.length)
    return [startOf(stored, place, revision, 0), withoutLineFeed(stored).subarray(place)]
  }

  const writers: { readonly [mediaType: string]: Codec['store'] } = {
    'application/json': ({ bytes }) => bytes,
    'application/yaml': ({ json }) => encoder.encode(yamlText(parseToShow(json))),
    'application/cbor': ({ object }) => encodeCbor(object as unknown as Json, 'deterministic', schema),
  }
  let protobufEncoder: ProtobufEncoder | undefined
  const protobuf: Codec['store'] = ({ object, bytes }) => {
    // The text of parts that keep theirs is escaped in the bytes.
    if (keepsText(schema)) return encodeObject(apiVersion, kind, schema, object as Json)
    protobufEncoder ??= new ProtobufEncoder()
    return encodeEnvelope(apiVersion, kind, protobufEncoder.encode(schema, bytes))
  }
  const store = writers[mediaType] ?? protobuf

  return { nameOf, canonical, print, decode, labels, store, show, restamp, isShown, serve, isServed, pieces }
}
