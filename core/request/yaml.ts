import { badRequest } from '../answers/status.ts'
import { shorten } from '../schema/go/shorten.ts'
import { yamlInput } from '../schema/yaml/input.ts'
import { readYaml, YamlError } from '../schema/yaml/reader.ts'
import type { Parsed } from './json.ts'

const maxFaults = 100
/** Maximum characters of a key in errors. */
const maxShown = 256

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
  try {
    return { value: readYaml(yamlInput(bytes), { first: true, ...(options.duplicates && { repeated }) }), duplicates }
  } catch (error) {
    if (error instanceof YamlError) throw badRequest(error.message)
    throw error
  }
}
