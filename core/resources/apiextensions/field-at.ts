import { FieldPath } from '../../schema/field-path.ts'
import type { Schema } from '../../schema/model.ts'
import { pathSteps } from './path-steps.ts'

/** The schema of a name: a property, or additionalProperties. */
function step(schema: Schema, name: string): { readonly schema: Schema; readonly isField: boolean } {
  if (schema.type === 'message' && (schema.json.size > 0 || schema.additional)) {
    const property = schema.json.get(name)
    if (property) return { schema: property.schema, isField: true }
    if (schema.json.size === 0 && schema.additional) return { schema: schema.additional, isField: false }
  }
  throw new Error('does not refer to a valid field')
}

/**
 * The path to a part of a value, in error format.
 * @throws Error with the reason when it is malformed.
 */
export function fieldAt(schema: Schema, text: string): FieldPath {
  let path = FieldPath.root
  let node = schema
  for (const name of pathSteps(text)) {
    const next = step(node, name)
    node = next.schema
    path = next.isField ? path.child(name) : path.key(name)
  }
  return path
}
