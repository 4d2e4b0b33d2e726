/** Validates x-kubernetes-list-type and its keys. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { asJson, validateSupported } from '../validation.ts'
import { itemsOf, propertyOf, type SchemaNode } from './schema-nodes.ts'

export function validateListType(schema: SchemaNode, path: FieldPath, errors: FieldErrors): void {
  const { type = '', 'x-kubernetes-list-type': kind, 'x-kubernetes-list-map-keys': keys = [] } = schema
  const at = path.child('x-kubernetes-list-type')
  const items = itemsOf(schema)
  if (kind !== undefined && type !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified'
    if (type === '') errors.required(path.child('type'), detail)
    else errors.invalid(path.child('type'), type, detail)
  } else if (kind === 'set' && items) errors.forgivable('items of sets', () => validateSetItems(items, path.child('items'), errors))
  if (kind !== undefined) validateSupported(kind, ['atomic', 'set', 'map'], at, errors)
  if (keys.length > 0 && kind !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty'
    if (kind === undefined) errors.required(at, detail)
    else errors.invalid(at, kind, detail)
  }
  if (kind === 'map') validateKeys(schema, items, keys, path, errors)
  if (items && (kind === 'set' || kind === 'map')) {
    errors.forgivable('items that may be null', () => validateItems(items, kind, keys, path.child('items'), errors))
  }
}

/** Items of a set are compared as a whole. */
function validateSetItems(items: SchemaNode, path: FieldPath, errors: FieldErrors): void {
  const { type, 'x-kubernetes-list-type': list = null, 'x-kubernetes-map-type': map } = items
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  if (type === 'array' && list !== null && list !== 'atomic') errors.invalid(path.child('x-kubernetes-list-type'), list, detail)
  // The reference shows the items' list type, which objects don't have.
  if (type === 'object' && map !== 'atomic') errors.invalid(path.child('x-kubernetes-map-type'), list, detail)
}

function validateKeys(
  schema: SchemaNode,
  items: SchemaNode | undefined,
  keys: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const at = path.child('x-kubernetes-list-map-keys')
  const below = path.child('items')
  if (keys.length === 0) errors.required(at, 'must not be empty if x-kubernetes-list-type is map')
  if (schema.items === undefined) errors.required(below, 'must have a schema if x-kubernetes-list-type is map')
  else if (!items) errors.invalid(below, asJson(schema.items), 'must only have a single schema if x-kubernetes-list-type is map')
  else if (items.type !== 'object') {
    errors.invalid(below.child('type'), items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map")
  } else {
    const seen = new Set<string>()
    for (const key of keys) {
      const property = propertyOf(items, key)
      if (!property) errors.invalid(at, asJson(keys), 'entries must all be names of item properties')
      else if (property.type === 'array' || property.type === 'object') {
        const where = below.child('properties').key(key).child('type')
        errors.invalid(where, items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map")
      }
      if (seen.has(key)) errors.invalid(at, asJson(keys), 'must not contain duplicate entries')
      seen.add(key)
    }
  }
}

/** Items must have all keys, with values. */
function validateItems(items: SchemaNode, kind: string, keys: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (items.nullable) errors.forbidden(path.child('nullable'), `cannot be nullable when x-kubernetes-list-type is ${kind}`)
  if (kind !== 'map') return
  const required = new Set(items.required)
  for (const key of keys) {
    const property = propertyOf(items, key)
    if (!property) continue
    const at = path.child('properties').key(key)
    if (!required.has(key) && property.default === undefined) {
      errors.required(
        at.child('default'),
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      )
    }
    if (property.nullable) {
      errors.forbidden(at.child('nullable'), 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable')
    }
  }
}
