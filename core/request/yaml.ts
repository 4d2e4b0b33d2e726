import { badRequest } from '../respond/status.ts'
import { shorten } from '../schema/shorten.ts'
import { decodeUtf8 } from '../schema/utf8.ts'
import { readYaml, YamlError } from '../schema/yaml/reader.ts'
import type { Parsed } from './json.ts'

const maxFaults = 100
/** Maximum characters of a key in errors. */
const maxShown = 256

/** Bytes of a character by its first byte; 0: no character starts so. */
const widthOf = (byte: number) => (byte < 0x80 ? 1 : byte < 0xc0 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf8 ? 4 : 0)
const minValues = [0, 0, 0x80, 0x800, 0x10000]

/** What is wrong with a text that is not UTF-8, in the words of the reference's parser. */
function utf8Fault(bytes: Uint8Array): string {
  for (let at = 0; at < bytes.length; ) {
    const width = widthOf(bytes[at] as number)
    if (width === 0) return 'invalid leading UTF-8 octet'
    if (at + width > bytes.length) return 'incomplete UTF-8 octet sequence'
    let value = (bytes[at] as number) & (width === 1 ? 0x7f : 0xff >> (width + 1))
    for (const byte of bytes.subarray(at + 1, at + width)) {
      if ((byte & 0xc0) !== 0x80) return 'invalid trailing UTF-8 octet'
      value = (value << 6) | (byte & 0x3f)
    }
    if (value < (minValues[width] as number)) return 'invalid length of a UTF-8 sequence'
    at += width
  }
  return 'invalid Unicode character'
}

/**
 * Parses a YAML 1.1 body into JSON values, as the reference does only its first document: plain `yes`, `no`, `on` and `off` are booleans, timestamps stay strings.
 * The last of duplicate keys wins; with `duplicates` they are reported as `line 3: key "a" already set in map`.
 * Throws BadRequest with a message such as `yaml: line 2: …`.
 */
export function parseYaml(bytes: Uint8Array, options: { readonly duplicates: boolean }): Parsed {
  const duplicates: string[] = []
  const repeated = (key: string, line: number) => {
    if (duplicates.length < maxFaults) duplicates.push(`line ${line + 1}: key ${JSON.stringify(shorten(key, maxShown))} already set in map`)
  }
  const text = decodeUtf8(bytes)
  if (text === undefined) throw badRequest(`yaml: ${utf8Fault(bytes)}`)
  try {
    return { value: readYaml(text, { first: true, ...(options.duplicates && { repeated }) }), duplicates }
  } catch (error) {
    if (error instanceof YamlError) throw badRequest(`yaml: ${error.message}`)
    throw error
  }
}
