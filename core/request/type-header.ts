/** Reads kind and apiVersion of a JSON value, as Go does before it decodes the rest. */
import { isObject } from '../schema/json/is-object.ts'
import type { Json } from '../schema/model.ts'
import { jsonType } from '../schema/scalars.ts'

/** What Go reads kind and apiVersion into. */
const goHeader = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** Go's JSON reads these members whatever their case. */
const headerFields: { readonly [lower: string]: 'apiVersion' | 'kind' | undefined } = { kind: 'kind', apiversion: 'apiVersion' }

export interface TypeHeader {
  kind: string
  apiVersion: string
}

function fieldOf(key: string): 'apiVersion' | 'kind' | undefined {
  if (key === 'kind' || key === 'apiVersion') return key
  return key.length === 4 || key.length === 10 ? headerFields[key.toLowerCase()] : undefined
}

/** Kind and apiVersion of a body, empty when absent; a text says why they can't be read. `sorted`: members are read by name, as from YAML. */
export function readTypeHeader(value: Json, sorted = false): TypeHeader | string {
  const fault = (of: Json, target: string) =>
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonType(of)} into Go ${target}`
  const header: TypeHeader = { kind: '', apiVersion: '' }
  if (value === null) return header
  if (!isObject(value)) return fault(value, `value of type ${goHeader}`)
  const keys = Object.keys(value).filter((key) => fieldOf(key) !== undefined)
  for (const key of sorted ? keys.sort() : keys) {
    const field = fieldOf(key) as keyof TypeHeader
    const text = value[key] as Json
    if (typeof text === 'string') header[field] = text
    else if (text !== null) return fault(text, `struct field .${field} of type string`)
  }
  return header
}
