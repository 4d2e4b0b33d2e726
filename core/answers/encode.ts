import { withLineFeed } from '../schema/bytes.ts'
import { encodeCbor } from '../schema/cbor/encode.ts'
import { encodeUtf8 } from '../schema/formats/utf8.ts'
import { htmlSafe } from '../schema/json/html-safe.ts'
import { parseToShow, printJson } from '../schema/json/text.ts'
import type { Json, Message } from '../schema/model.ts'
import { encodeObject } from '../schema/protobuf/protobuf.ts'
import { yamlInput } from '../schema/yaml/input.ts'
import { readYaml, YamlError } from '../schema/yaml/reader.ts'
import { yamlText } from '../schema/yaml/text.ts'
import { unreasoned } from './status.ts'

export type Format = 'json' | 'yaml' | 'protobuf' | 'cbor'

/** A value with the schema of its protobuf and CBOR forms; without schema it is written as JSON, even if protobuf was negotiated. */
export interface Encodable {
  readonly value: { readonly kind: string; readonly apiVersion: string }
  readonly schema: Message | undefined
}

/** An object as compact JSON. */
export const jsonText = (value: object): string => htmlSafe(printJson(value))

/** Characters of JSON as Go writes it that are others in YAML, or not allowed there. */
const changed = /[\u007f-\u009f\ufffe\uffff]/

/**
 * JSON as YAML: the reference reads it as YAML first, which folds U+0085 and refuses other controls. Throws 500 then, so that the object can't be had
 * in this format.
 */
function yamlOf(json: string): string {
  if (!changed.test(json)) return yamlText(parseToShow(json))
  try {
    return yamlText(readYaml(yamlInput(encodeUtf8(htmlSafe(json)))))
  } catch (error) {
    throw error instanceof YamlError ? unreasoned(error.message) : error
  }
}

/** Encodes an object, list or Status in the negotiated format. Throws 500 for what the format can't hold. */
export function encode({ value, schema }: Encodable, format: Format, pretty: boolean): Uint8Array {
  if (format === 'protobuf' && schema) return encodeObject(value.apiVersion, value.kind, schema, value as Json)
  if (format === 'cbor') return encodeCbor(value as Json, 'given', schema)
  // Through JSON, because the YAML writer does not support parts that keep their text.
  if (format === 'yaml') return encodeUtf8(yamlOf(printJson(value)))
  return encodeUtf8(htmlSafe(printJson(value, pretty ? 2 : undefined)))
}

/** As `encode`, for the body of a response. */
export function encodeBody(content: Encodable, format: Format, pretty: boolean): Uint8Array {
  const bytes = encode(content, format, pretty)
  return format === 'json' && !pretty ? withLineFeed(bytes) : bytes
}

/** The Content-Type of the result of `encode`. */
export function contentType({ format, mediaType }: { readonly format: Format; readonly mediaType: string }, hasSchema: boolean): string {
  return format === 'protobuf' && !hasSchema ? 'application/json' : mediaType
}
