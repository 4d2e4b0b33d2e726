/** Validates structural schemas: every value has exactly one known type (KEP-1152 and the reference's validation). */

import { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { patternProblem } from '../../schema/formats/pattern.ts'
import { equal } from '../../schema/json/equal.ts'
import { atOnce, type InPart } from '../in-parts.ts'
import { asJson } from '../validation.ts'
import { itemsOf, othersOf, propertyOf, type SchemaNode } from './schema-nodes.ts'

type SchemaLevel = 'root' | 'item' | 'field'

const typeNeeded = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
} as const satisfies Record<SchemaLevel, string>

const intOrString = [{ type: 'integer' }, { type: 'string' }]
const isIntOrString = (schemas: readonly SchemaNode[] | undefined) => equal(asJson(schemas), intOrString)

/** Adds all errors of the schema, sorted by text as in the reference. */
export function validateStructural(schema: SchemaNode, path: FieldPath, errors: FieldErrors, inPart: InPart = atOnce): void {
  const nodes = inPart(() => {
    const found = new FieldErrors()
    validateNode(schema, 'root', path, found)
    return found
  })
  const parts = inPart(() => {
    const found = new FieldErrors()
    found.include(nodes)
    validateCompleteness(schema, schema, path, path, found)
    found.sort()
    return found
  })
  errors.include(parts)
}

const noProperties: NonNullable<SchemaNode['properties']> = {}

function validateNode(schema: SchemaNode, place: SchemaLevel, path: FieldPath, errors: FieldErrors): void {
  const { type = '', properties = noProperties, additionalProperties } = schema
  const items = itemsOf(schema)
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true
  const either = schema['x-kubernetes-int-or-string'] === true
  if (type === 'array' && !schema.items) errors.required(path.child('items'), 'must be specified')
  if (items) validateNode(items, 'item', path.child('items'), errors)
  const names = Object.keys(properties)
  const below = path.child('properties')
  for (const name of names) validateNode(properties[name] as SchemaNode, 'field', below.key(name), errors)
  if (additionalProperties !== undefined) {
    if (place === 'root') errors.forbidden(path.child('additionalProperties'), 'must not be used at the root')
    if (embedded) errors.forbidden(path.child('additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set')
    const others = othersOf(schema)
    if (others) validateNode(others, 'field', path.child('additionalProperties'), errors)
  }
  if (either)
    for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
      if (schema[name]) errors.invalid(path.child(name), true, 'must be false if x-kubernetes-int-or-string is true')
    }
  validateValue(schema, path, errors)
  if (embedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true'
    if (type === '') errors.required(path.child('type'), detail)
    else errors.invalid(path.child('type'), type, detail)
  } else if (type === '' && !either && !keepsUnknown) errors.required(path.child('type'), typeNeeded[place])
  if (place === 'root' && type !== '' && type !== 'object') errors.invalid(path.child('type'), type, 'must be object at the root')
  if (names.length > 0) validateMeta(properties, place === 'root', place === 'root' || embedded, below, errors)
  if (embedded && !keepsUnknown && names.length === 0) {
    errors.required(below, 'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields')
  }
}

/** Metadata is predefined; schemas may only restrict name and generateName. */
function validateMeta(
  { kind, apiVersion, metadata }: NonNullable<SchemaNode['properties']>,
  root: boolean,
  whole: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const [name, schema] of Object.entries({ kind, apiVersion })) {
    if (whole && schema && schema.type !== 'string') errors.invalid(path.key(name).child('type'), schema.type ?? '', 'must be string')
  }
  if (!metadata) return
  if (whole && metadata.type !== 'object') errors.invalid(path.key('metadata').child('type'), metadata.type ?? '', 'must be object')
  if (!root) return
  const { type: _type, default: _default, properties = {}, ...rest } = metadata
  const named = Object.keys(properties).every((name) => name === 'name' || name === 'generateName')
  if (!named || Object.values(rest).some((value) => value !== undefined)) {
    errors.forbidden(
      path.key('metadata'),
      'must not specify anything other than name and generateName, but metadata is implicitly specified',
    )
  }
}

/** Constraints on a value besides its structure. The `anyOf` of an int-or-string is no structure. */
function validateValue(schema: SchemaNode, path: FieldPath, errors: FieldErrors): void {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern = '' } = schema
  if (!isIntOrString(anyOf)) for (const [index, each] of anyOf.entries()) validateNested(each, path.child('anyOf').index(index), errors)
  allOf.forEach((each, index) => {
    const { anyOf: first, ...rest } = each
    validateNested(index === 0 && isIntOrString(first) ? rest : each, path.child('allOf').index(index), errors)
  })
  oneOf.forEach((each, index) => {
    validateNested(each, path.child('oneOf').index(index), errors)
  })
  if (not) validateNested(not, path.child('not'), errors)
  const problem = pattern === '' ? undefined : patternProblem(pattern)
  if (problem !== undefined) errors.invalid(path.child('pattern'), pattern, `must be a valid regular expression, but isn't: ${problem}`)
}

/** Members that define structure, which logical junctors may not contain, with the value that they must have there. */
const structure: readonly (readonly [name: string, needed: 'empty' | 'false' | 'undefined'])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
]

function validateNested(schema: SchemaNode, path: FieldPath, errors: FieldErrors): void {
  validateValue(schema, path, errors)
  const items = itemsOf(schema)
  if (items) validateNested(items, path.child('items'), errors)
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    validateNested(property, path.child('properties').key(name), errors)
  for (const [name, needed] of structure) {
    const value = schema[name]
    const isZero = needed !== 'undefined' && (value === '' || value === false)
    if (value !== undefined && !isZero) errors.forbidden(path.child(name), `must be ${needed} to be structural`)
  }
  if (propertyOf(schema, 'metadata')) {
    errors.forbidden(path.child('properties').key('metadata'), 'must not be specified in a nested context')
  }
}

/** Fields in junctors must be part of the structure. `value` is at `said`, the corresponding structure at `path`. */
function validateCompleteness(
  value: SchemaNode,
  structural: SchemaNode | undefined,
  path: FieldPath,
  said: FieldPath,
  errors: FieldErrors,
): void {
  const visit = (nested: SchemaNode | undefined, at: FieldPath) => {
    if (nested) validateNestedCompleteness(nested, structural, path, at, errors)
  }
  visit(value.not, said.child('not'))
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    value[name]?.forEach((each, index) => {
      visit(each, said.child(name).index(index))
    })
  }
}

function validateNestedCompleteness(
  value: SchemaNode,
  structural: SchemaNode | undefined,
  path: FieldPath,
  said: FieldPath,
  errors: FieldErrors,
) {
  if (structural === undefined) return errors.required(path, `because it is defined in ${said}`)
  validateCompleteness(value, structural, path, said, errors)
  const items = itemsOf(value)
  if (items) validateNestedCompleteness(items, itemsOf(structural), path.child('items'), said.child('items'), errors)
  for (const [name, property] of Object.entries(value.properties ?? {})) {
    const [at, there] = [path.child('properties').key(name), said.child('properties').key(name)]
    validateNestedCompleteness(property, propertyOf(structural, name), at, there, errors)
  }
}
