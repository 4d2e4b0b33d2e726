/** Validates each node of a custom resource's schema, regardless of its place. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { given } from '../../schema/json/given-empty.ts'
import { asJson, validateSupported } from '../validation.ts'
import { validateListType } from './list-type-validation.ts'
import { findUnsupported, itemsByPlace, itemsOf, othersOf, type SchemaNode, schemaAt, type ValidationRule } from './schema-nodes.ts'

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']
const conditions = ['allOf', 'oneOf', 'anyOf'] as const
const metaNames = new Set(['metadata', 'kind', 'apiVersion'])
/** Forbidden members, in the reference's order; `ifEmpty`: even if empty. */
const refused = [
  { name: 'id', ifEmpty: false },
  { name: 'additionalItems', ifEmpty: true },
  { name: 'patternProperties', ifEmpty: false },
  { name: 'definitions', ifEmpty: false },
  { name: 'dependencies', ifEmpty: true },
  { name: '$ref', ifEmpty: true },
] as const

/** Context of a node. */
interface Around {
  /** The node describes kind, apiVersion or metadata of an object. */
  readonly meta: boolean
  /** Why defaults are forbidden here. */
  readonly noDefault?: string
  /** Paths of nodes with errors. */
  readonly broken: Set<string>
}

const isSet = (value: unknown) => value !== undefined && value !== '' && Object.keys(Object(value)).length > 0

/**
 * Validates the nodes of a schema; structural-validation.ts validates how they fit together. Returns
 * the paths of nodes with errors at or below them, whose rules can't be compiled.
 */
export function validateSchema(schema: SchemaNode, path: FieldPath, errors: FieldErrors): ReadonlySet<string> {
  const around = { meta: false, broken: new Set<string>() }
  validateNode(schema, path, around, true, errors)
  return around.broken
}

function validateNode(schema: SchemaNode, path: FieldPath, around: Around, root: boolean, errors: FieldErrors): void {
  const before = errors.count
  validateSupportedMembers(schema, path, around, errors)
  if (schema.uniqueItems) {
    errors.forbidden(path.child('uniqueItems'), 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic')
  }
  validateParts(schema, path, around, root, errors)
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.invalid(path.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined')
  }
  validateMapType(schema, path, errors)
  validateListType(schema, path, errors)
  schema['x-kubernetes-validations']?.forEach((rule, index) => {
    validateRule(rule, schema, path.child('x-kubernetes-validations').index(index), errors)
  })
  if (errors.count > before) around.broken.add(path.toString())
}

function validateSupportedMembers(schema: SchemaNode, path: FieldPath, { meta, noDefault }: Around, errors: FieldErrors): void {
  const { type = '' } = schema
  if (type !== '' && !types.includes(type))
    errors.forgivable('types of schemas', () => validateSupported(type, types, path.child('type'), errors))
  if (schema.default !== undefined && noDefault !== undefined) errors.forbidden(path.child('default'), `must not be set ${noDefault}`)
  for (const { name, ifEmpty } of refused) {
    const isThere = ifEmpty ? given(schema, name) !== undefined : isSet(schema[name])
    if (isThere) errors.forbidden(path.child(name), `${name} is not supported`)
  }
  if (type === 'null') errors.forbidden(path.child('type'), 'type cannot be set to null, use nullable as an alternative')
  if (itemsByPlace(schema).length > 0) errors.forbidden(path.child('items'), 'items must be a schema object and not an array')
  if (meta && schema['x-kubernetes-embedded-resource']) {
    errors.forbidden(path.child('x-kubernetes-embedded-resource'), 'must not be used inside of resource meta')
  }
}

function validateParts(schema: SchemaNode, path: FieldPath, around: Around, root: boolean, errors: FieldErrors): void {
  const { properties, additionalProperties, not, definitions, dependencies } = schema
  const visit = (part: SchemaNode | undefined, at: FieldPath, where = around) => {
    if (part) validateNode(part, at, where, false, errors)
  }
  const others = othersOf(schema)
  if (additionalProperties !== undefined) {
    const at = path.child('additionalProperties')
    if (additionalProperties !== true && Object.keys(properties ?? {}).length > 0)
      errors.forbidden(at, 'additionalProperties and properties are mutual exclusive')
    const noDefault = 'inside additionalProperties applying to object metadata'
    if (others) visit(others, at, around.meta ? { ...around, noDefault } : around)
  }
  if (properties) {
    const at = path.child('properties')
    for (const name of Object.keys(properties)) {
      const meta = (root || schema['x-kubernetes-embedded-resource']) && metaNames.has(name)
      const where = meta ? { ...around, meta: true, ...(root && { noDefault: `in top-level ${name}` }) } : around
      visit(properties[name], at.key(name), where)
    }
  }
  if (not) visit(not, path.child('not'))
  for (const name of conditions) {
    schema[name]?.forEach((each, index) => {
      visit(each, path.child(name).index(index))
    })
  }
  if (definitions) for (const [name, each] of Object.entries(definitions)) visit(each, path.child('definitions').key(name))
  if (schema.items) visit(itemsOf(schema), path.child('items'))
  for (const [index, each] of itemsByPlace(schema).entries()) visit(each, path.child('items').index(index))
  if (dependencies)
    for (const [name, each] of Object.entries(dependencies)) {
      if (!Array.isArray(each)) visit(each as SchemaNode, path.child('dependencies').key(name))
    }
}

function validateMapType({ type = '', 'x-kubernetes-map-type': kind }: SchemaNode, path: FieldPath, errors: FieldErrors): void {
  if (kind === undefined) return
  const detail = 'must be object if x-kubernetes-map-type is specified'
  if (type === '') errors.required(path.child('type'), detail)
  else if (type !== 'object') errors.invalid(path.child('type'), type, detail)
  validateSupported(kind, ['atomic', 'granular'], path.child('x-kubernetes-map-type'), errors)
}

const hasBreaks = (text: string) => /[\n\r]/.test(text)

/** Validates the texts of a rule; its expression is compiled elsewhere. */
function validateRule(rule: ValidationRule, schema: SchemaNode, path: FieldPath, errors: FieldErrors): void {
  const { rule: expression = '', message = '', messageExpression = '', reason, fieldPath = '' } = rule
  const at = { message: path.child('message'), field: path.child('fieldPath') }
  if (expression.trim() === '') errors.required(path.child('rule'), 'rule is not specified')
  else if (message !== '' && message.trim() === '') errors.invalid(at.message, message, 'must be non-empty if specified')
  else if (hasBreaks(message.trim())) errors.invalid(at.message, message, 'must not contain line breaks')
  else if (hasBreaks(expression.trim()) && message.trim() === '') {
    errors.required(at.message, 'message must be specified if rule contains line breaks')
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.required(path.child('messageExpression'), 'messageExpression must be non-empty if specified')
  }
  if (reason !== undefined) validateSupported(reason, reasons, path.child('reason'), errors)
  if (fieldPath === '') return
  if (fieldPath.trim() === '') errors.invalid(at.field, fieldPath, 'must be non-empty if specified')
  if (hasBreaks(fieldPath)) errors.invalid(at.field, fieldPath, 'must not contain line breaks')
  if (findUnsupported(schema) === undefined && !leads(schema, fieldPath)) errors.invalid(at.field, fieldPath, 'must be a valid path')
}

function leads(schema: SchemaNode, path: string): boolean {
  try {
    schemaAt(schema, path)
    return true
  } catch {
    return false
  }
}

const selectableTypes = new Set(['string', 'boolean', 'integer'])
const maxSelectable = 8

type Found = ReturnType<typeof schemaAt>

/** The target of a selectable field; adds an error when there is none. */
function selectableAt(jsonPath: string, schema: SchemaNode, path: FieldPath, errors: FieldErrors): Found | undefined {
  try {
    if (jsonPath !== '') return schemaAt(schema, jsonPath, false)
    errors.required(path)
  } catch (error) {
    errors.invalid(path, jsonPath, `is an invalid path: ${(error as Error).message}`)
  }
  return undefined
}

/** Validates the selectable fields of a version. */
export function validateSelectableFields(
  fields: readonly { readonly jsonPath: string }[],
  schema: SchemaNode,
  path: FieldPath,
  errors: FieldErrors,
) {
  const known = new Set<string>()
  fields.forEach(({ jsonPath }, index) => {
    const at = path.index(index).child('jsonPath')
    const found = selectableAt(jsonPath, schema, at, errors)
    if (!found) return
    if (found.names[0] === 'metadata') errors.invalid(at, jsonPath, 'must not point to fields in metadata')
    if (!selectableTypes.has(found.node.type ?? '')) {
      const detail = 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
      errors.invalid(at, jsonPath, detail)
    }
    const name = JSON.stringify(found.names)
    if (known.has(name)) errors.duplicate(at, jsonPath)
    known.add(name)
  })
  if (known.size > maxSelectable) {
    errors.forgivable(`fields of ${JSON.stringify(asJson(fields))}`, () => errors.tooMany(path, known.size, maxSelectable))
  }
}
