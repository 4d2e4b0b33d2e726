/** Validates uniqueness in lists of type set and map in custom resources (reference: pkg/apiserver/schema/listtype). */

import type { FieldErrors } from '../field-error.ts'
import type { FieldPath } from '../field-path.ts'
import { isObject } from '../json/is-object.ts'
import { get } from '../json/members.ts'
import { printJson } from '../json/text.ts'
import type { Json, JsonObject, List, Schema } from '../model.ts'
import { reaching } from '../reaches.ts'

const hasLists = reaching((schema) => schema.type === 'list' && (schema.listType === 'set' || schema.listType === 'map'))

/** The identity of each item. */
function identities({ listType, keys = [] }: List, items: readonly Json[]): readonly Json[] {
  if (listType === 'set') return items
  return items.map((item) => {
    const identity: JsonObject = {}
    for (const key of keys) {
      const value = isObject(item) ? get(item, key) : undefined
      if (value !== undefined) identity[key] = value
    }
    return identity
  })
}

/** Reports the second of equal items. */
function addRepeats(list: List, items: readonly Json[], path: FieldPath, errors: FieldErrors): void {
  const stranger = list.listType === 'map' ? items.findIndex((item) => item !== null && !isObject(item)) : -1
  if (stranger >= 0) {
    errors.invalid(path.index(stranger), items[stranger], 'must be an object for an array of list-type map')
    return
  }
  const seen = new Map<string, number>()
  for (const [index, identity] of identities(list, items).entries()) {
    const text = printJson(identity)
    const times = seen.get(text) ?? 0
    seen.set(text, times + 1)
    if (times === 1) errors.duplicate(path.index(index), identity)
  }
}

/** Adds the errors of all set and map lists in a value. */
export function validateListTypes(schema: Schema, value: Json, path: FieldPath, errors: FieldErrors): void {
  if (!hasLists(schema) || typeof value !== 'object' || value === null) return
  if (schema.type === 'list' && Array.isArray(value)) {
    if (schema.listType === 'set' || schema.listType === 'map') addRepeats(schema, value, path, errors)
    value.forEach((item, index) => {
      validateListTypes(schema.items, item, path.index(index), errors)
    })
  }
  if (schema.type !== 'message' || !schema.open || Array.isArray(value)) return
  for (const key of Object.keys(value)) {
    const declared = schema.json.get(key)?.schema
    if (declared) validateListTypes(declared, value[key] as Json, path.child(key), errors)
    else if (schema.additional) validateListTypes(schema.additional, value[key] as Json, path.key(key), errors)
  }
}
