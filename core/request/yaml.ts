import { badRequest } from '../respond/status.ts'
import { shorten } from '../schema/shorten.ts'
import { decodeUtf8 } from '../schema/utf8.ts'
import { readYaml, YamlError } from '../schema/yaml/reader.ts'
import { notUtf8, type Parsed } from './json.ts'

const maxFaults = 100
/** Maximum characters of a key in errors. */
const maxShown = 256

/**
 * Parses a YAML 1.1 body of one document into JSON values: plain `yes`, `no`, `on` and `off` are booleans, timestamps stay strings.
 * The last of duplicate keys wins; with `duplicates` they are reported as `line 3: key "a" already set in map`.
 * Throws BadRequest with a message such as `yaml: line 2: …`.
 */
export function parseYaml(bytes: Uint8Array, options: { readonly duplicates: boolean }): Parsed {
  const duplicates: string[] = []
  const repeated = (key: string, line: number) => {
    if (duplicates.length < maxFaults) duplicates.push(`line ${line + 1}: key ${JSON.stringify(shorten(key, maxShown))} already set in map`)
  }
  const text = decodeUtf8(bytes)
  if (text === undefined) throw notUtf8()
  try {
    return { value: readYaml(text, options.duplicates ? { repeated } : {}), duplicates }
  } catch (error) {
    if (error instanceof YamlError) throw badRequest(`yaml: ${error.message}`)
    throw error
  }
}
