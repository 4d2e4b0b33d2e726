/** What a kube-apiserver 1.36.2 with default flags answered, recorded without descriptions. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Json, JsonObject } from '../../../core/schema/model.ts'
import { root } from '../../support/root.ts'

export const fact = (
  name: 'openapi-v2' | 'openapi-v3' | 'discovery' | 'bootstrap-objects' | 'custom-resources',
): { readonly [key: string]: JsonObject } =>
  JSON.parse(gunzipSync(readFileSync(join(root, 'test/reference/documents', `${name}.json.gz`))).toString())

const isObject = (value: Json): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Without descriptions; a reference that was wrapped only to have a description is plain. */
export function withoutDescriptions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDescriptions)
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const [name, member] of Object.entries(value)) {
    if (name !== 'description' || typeof member !== 'string') result[name] = withoutDescriptions(member)
  }
  const { allOf, ...others } = result
  if (Array.isArray(allOf) && allOf.length === 1 && Object.keys(others).length === 0) return allOf[0] ?? null
  return result
}
