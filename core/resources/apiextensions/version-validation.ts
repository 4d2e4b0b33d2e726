/** Validates the parts of a custom resource's version: schema, subresources, columns, selectable fields. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import type { InPart } from '../in-parts.ts'
import { asJson } from '../validation.ts'
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
} from './customresourcedefinition.ts'
import { validateDefaults } from './default-validation.ts'
import { validateExpressions } from './expression-validation.ts'
import { patternErrors } from './pattern-validation.ts'
import { readSchema } from './read-schema.ts'
import { findUnsupported, type SchemaNode, someNode } from './schema-nodes.ts'
import { validateSchema, validateSelectableFields } from './schema-validation.ts'
import { validateStructural } from './structural-validation.ts'

type Version = Infer<typeof CustomResourceDefinitionVersion>

export const schemaOf = ({ schema }: Version) => schema?.openAPIV3Schema as SchemaNode | undefined

/** With a status subresource only these members are allowed at the root, so that the status schema is found in `properties`. */
const atRoot = [
  ['Description', 'description'],
  ['Type', 'type'],
  ['Format', 'format'],
  ['Title', 'title'],
  ['Maximum', 'maximum'],
  ['ExclusiveMaximum', 'exclusiveMaximum'],
  ['Minimum', 'minimum'],
  ['ExclusiveMinimum', 'exclusiveMinimum'],
  ['MaxLength', 'maxLength'],
  ['MinLength', 'minLength'],
  ['Pattern', 'pattern'],
  ['MaxItems', 'maxItems'],
  ['MinItems', 'minItems'],
  ['UniqueItems', 'uniqueItems'],
  ['MultipleOf', 'multipleOf'],
  ['Required', 'required'],
  ['Items', 'items'],
  ['Properties', 'properties'],
  ['ExternalDocs', 'externalDocs'],
  ['Example', 'example'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields'],
  ['XValidations', 'x-kubernetes-validations'],
] as const
const namesAtRoot = new Set<string>(atRoot.map(([, name]) => name))

export interface VersionSettings {
  readonly hasStatus: boolean
  /** The schema equals the stored one. */
  readonly unchanged: boolean
  /** The schema may be non-structural, because an older definition has one. */
  readonly legacy: boolean
  readonly inPart: InPart
}

const hasRules = (node: SchemaNode) => (node['x-kubernetes-validations']?.length ?? 0) > 0

export function validateVersionSchema(schema: SchemaNode, holder: FieldPath, errors: FieldErrors, settings: VersionSettings): void {
  const { hasStatus, unchanged, legacy, inPart } = settings
  const path = holder.child('openAPIV3Schema')
  const wrong = inPart(() => patternErrors(schema, path))
  if (wrong) {
    errors.include(wrong)
    return
  }
  const before = errors.count
  if (hasStatus) validateRoot(schema, path, errors)
  if (schema.nullable) errors.forbidden(path.child('nullable'), 'nullable cannot be true at the root')
  const unsupported = legacy ? undefined : inPart(() => findUnsupported(schema))
  const first = errors.count
  if (unsupported === undefined && !legacy) validateStructural(schema, path, errors, inPart)
  // Expressions need a structural schema with valid defaults.
  if (unsupported === undefined && !legacy && errors.count === first) validateDefaults(schema, path, errors, inPart)
  const meaningless = unsupported !== undefined || legacy || errors.count > first
  const rules = inPart(() => !meaningless && someNode(schema, hasRules))
  const nodes = inPart(() => {
    const found = errors.another()
    return { found, broken: validateSchema(schema, path, found) }
  })
  errors.include(nodes.found)
  if (rules) {
    const read = inPart(() => readSchema(schema))
    validateExpressions(read, path, errors, { limitsRules: !unchanged, broken: nodes.broken, inPart })
  }
  if (unsupported !== undefined && errors.count === before)
    errors.invalid(path, '', `OpenAPIV3Schema '${unsupported.replace('$schema', 'schema')}' is not supported`)
}

function validateRoot(schema: SchemaNode, path: FieldPath, errors: FieldErrors): void {
  if (schema.type !== undefined && schema.type !== 'object') {
    const detail = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    errors.invalid(path.child('type'), schema.type, detail)
  } else if (Object.keys(schema).some((name) => !namesAtRoot.has(name))) {
    const allowed = atRoot.map(([name]) => name).join(' ')
    const detail = `only [${allowed}] fields are allowed at the root of the schema if the status subresource is enabled`
    errors.invalid(path, asJson(schema), detail)
  }
}

export function validateSelectable({ selectableFields = [], ...version }: Version, path: FieldPath, errors: FieldErrors): void {
  if (selectableFields.length === 0) return
  const schema = schemaOf(version)
  if (!schema && version.schema) validateSelectableFields(selectableFields, {}, path, errors)
  else if (!schema) errors.invalid(path, '', 'may only be set when `version.schema.openAPIV3Schema` is not included')
  else if (findUnsupported(schema) === undefined) validateSelectableFields(selectableFields, schema, path, errors)
}

/** A deprecation warning is sent in a header: it must be printable and short. */
export function validateWarning({ deprecated, deprecationWarning: text }: Version, path: FieldPath, errors: FieldErrors) {
  if (text === undefined) return
  if (!deprecated) return errors.invalid(path, text, 'can only be set for deprecated versions')
  if (new TextEncoder().encode(text).length > 256) errors.invalid(path, text, 'must be <= 256 characters long')
  if (text === '') errors.invalid(path, text, 'must not be an empty string')
  const bad = text.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u)
  if (bad >= 0) {
    const index = new TextEncoder().encode(text.slice(0, bad)).length
    errors.invalid(path, text, `must only contain printable UTF-8 characters; non-printable character found at index ${index}`)
  }
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

export function validateColumn(column: Infer<typeof CustomResourceColumnDefinition>, path: FieldPath, errors: FieldErrors): void {
  const { name, type, format = '', jsonPath } = column
  const oneOfTypes = `must be one of ${columnTypes.join(',')}`
  if (name === '') errors.required(path.child('name'))
  if (type === '') errors.required(path.child('type'), oneOfTypes)
  else if (!columnTypes.includes(type)) errors.invalid(path.child('type'), type, oneOfTypes)
  if (format !== '' && !columnFormats.includes(format)) {
    errors.invalid(path.child('format'), format, `must be one of ${columnFormats.join(',')}`)
  }
  validatePath(jsonPath, path.child('JSONPath'), undefined, errors)
}

interface Below {
  readonly prefixes: readonly string[]
  readonly detail: string
}

/** A dotted path below one of the given ones. */
function validatePath(text: string, path: FieldPath, below: Below | undefined, errors: FieldErrors): void {
  if (text === '') errors.required(path)
  else if (!text.startsWith('.')) errors.invalid(path, text, 'must be a simple json path starting with .')
  else if (below && !below.prefixes.some((prefix) => text.startsWith(prefix))) errors.invalid(path, text, below.detail)
}

export function validateSubresources({ scale }: Infer<typeof CustomResourceSubresources>, path: FieldPath, errors: FieldErrors): void {
  if (!scale) return
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale
  const at = (name: string) => path.child(`scale.${name}`)
  const under = (name: string): Below => ({ prefixes: [`.${name}.`], detail: `should be a json path under .${name}` })
  validatePath(specReplicasPath, at('specReplicasPath'), under('spec'), errors)
  validatePath(statusReplicasPath, at('statusReplicasPath'), under('status'), errors)
  const either = { prefixes: ['.spec.', '.status.'], detail: 'should be a json path under either .spec or .status' }
  if (labelSelectorPath !== '') validatePath(labelSelectorPath, at('labelSelectorPath'), either, errors)
}
