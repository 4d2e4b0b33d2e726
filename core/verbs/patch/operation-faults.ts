/** Strict decoding errors of a JSON patch. */

import { strictFaults } from '../../request/json.ts'
import { closed, free, type Shape } from '../../request/json-faults.ts'
import { isObject } from '../../schema/json/is-object.ts'
import type { Json } from '../../schema/model.ts'

const members = new Set(['op', 'path', 'from', 'value'])

const operations: Shape = { item: { member: (key) => (key === 'value' ? free : members.has(key) ? closed : undefined) } }

const hasUnknownMembers = (patch: Json) =>
  Array.isArray(patch) && patch.some((each) => isObject(each) && Object.keys(each).some((key) => !members.has(key)))

/** Errors such as `json patch unknown field "[0].foo"`; `duplicates`: those that the parser found. */
export function operationFaults(bytes: Uint8Array, patch: Json, duplicates: readonly string[]): string[] {
  if (duplicates.length === 0 && !hasUnknownMembers(patch)) return []
  return strictFaults(bytes, operations).map((fault) => `json patch ${fault}`)
}
