import type { FieldErrors } from '../field-error.ts'
import type { FieldPath } from '../field-path.ts'
import type { Json, Schema } from '../model.ts'
import { shapeOf } from './shape.ts'
import { typeCheck } from './types.ts'

/**
 * Adds an error for each null that a custom resource's schema neither allows nor replaces. In request bodies such nulls mean absence; in an
 * applied configuration they are values.
 */
export function validateNulls(schema: Schema, value: Json, path: FieldPath, errors: FieldErrors): void {
  if (typeof value !== 'object' || value === null) return
  if (schema.type === 'list' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) validateNulls(schema.items, item, path.index(index), errors)
  }
  if (schema.type !== 'message' || !schema.open || Array.isArray(value)) return
  for (const name in value) {
    const member = value[name] as Json
    if (typeof member !== 'object') continue
    const field = schema.json.get(name)
    const part = field?.schema ?? schema.additional
    if (part === undefined) continue
    const at = field ? path.child(name) : path.key(name)
    if (member !== null) validateNulls(part, member, at, errors)
    else if (field?.default === undefined && part.facets?.nullDefault === undefined) typeCheck(shapeOf(part))?.(null, at, errors)
  }
}
