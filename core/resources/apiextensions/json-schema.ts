import { DecodeError } from '../../schema/decode-error.ts'
import { isObject } from '../../schema/json/is-object.ts'
import {
  type AnyModel,
  type AnySchema,
  any,
  atomicList,
  bool,
  double,
  field,
  int64,
  list,
  type Message,
  map,
  message,
  oneOf,
  pointer,
  required,
  string,
} from '../../schema/model.ts'

export const ExternalDocumentation = message('ExternalDocumentation', 'Address of documentation, with a description.', () => ({
  description: field(1, string, 'What is found there.'),
  url: field(2, string, 'Where it is.'),
}))

export const ValidationRule = message('ValidationRule', 'A CEL expression that must hold.', () => ({
  rule: required(1, string, 'Expression that yields true for a valid value; self is the value, oldSelf the previous one.'),
  message: field(2, string, 'Message of a refusal.'),
  messageExpression: field(3, string, 'Expression that yields the message; wins over message.'),
  reason: pointer(4, string, 'Reason of a refusal; FieldValueInvalid by default.', {
    goType: 'v1.FieldValueErrorReason',
    enum: ['FieldValueRequired', 'FieldValueDuplicate', 'FieldValueInvalid', 'FieldValueForbidden'],
  }),
  fieldPath: field(5, string, 'Field that the refusal names, relative to the value.'),
  optionalOldSelf: pointer(6, bool, 'Runs on creation too; oldSelf is then an optional.', { gate: 'CRDValidationRatcheting' }),
}))

const JSONSchemaPropsOrArray = message('JSONSchemaPropsOrArray', 'A schema, or several.', () => ({
  schema: pointer(1, () => JSONSchemaProps, 'The schema.'),
  jSONSchemas: field(
    2,
    atomicList(() => JSONSchemaProps),
    'The schemas.',
  ),
}))

const JSONSchemaPropsOrBool = message('JSONSchemaPropsOrBool', 'A schema, or whether anything is allowed.', () => ({
  allows: field(1, bool, 'Anything is allowed.'),
  schema: pointer(2, () => JSONSchemaProps, 'The schema.'),
}))

const JSONSchemaPropsOrStringArray = message('JSONSchemaPropsOrStringArray', 'A schema, or names of properties.', () => ({
  schema: pointer(1, () => JSONSchemaProps, 'The schema.'),
  property: field(2, atomicList(string), 'The names.'),
}))

/** Models without structure in OpenAPI. */
const model = (name: string): AnyModel => ({ path: `apiextensions-apiserver.pkg.apis.apiextensions.v1.${name}` })

/** Any JSON value. */
const json: AnySchema = { ...any, model: model('JSON') }

const schemaOrList = oneOf(
  () => ({
    message: JSONSchemaPropsOrArray,
    wrap: (value) => (Array.isArray(value) ? { jSONSchemas: value } : isObject(value) ? { schema: value } : {}),
    unwrap: ({ schema, jSONSchemas }) => jSONSchemas ?? schema ?? null,
  }),
  model('JSONSchemaPropsOrArray'),
)

const schemaOrBool = oneOf(
  () => ({
    message: JSONSchemaPropsOrBool,
    wrap(value) {
      if (typeof value === 'boolean') return { allows: value }
      if (isObject(value)) return { allows: true, schema: value }
      throw new DecodeError('boolean or JSON schema expected')
    },
    unwrap: ({ schema, allows }) => schema ?? allows ?? false,
  }),
  model('JSONSchemaPropsOrBool'),
)

const schemaOrNames = oneOf(
  () => ({
    message: JSONSchemaPropsOrStringArray,
    wrap: (value) => (Array.isArray(value) ? { property: value } : isObject(value) ? { schema: value } : {}),
    unwrap: ({ schema, property }) => property ?? schema ?? null,
  }),
  model('JSONSchemaPropsOrStringArray'),
)

/** Fields that the reference does not describe either: a description would put an `allOf` around their reference in OpenAPI 3. */
const undocumented = ''

export const JSONSchemaProps: Message = message('JSONSchemaProps', 'A schema: OpenAPI 3.0 with extensions.', {
  id: field(1, string, 'Not allowed.'),
  $schema: field(2, string, 'URI of the schema dialect.', { goType: 'v1.JSONSchemaURL' }),
  $ref: pointer(3, string, 'Not allowed.'),
  description: field(4, string, 'What the value means.'),
  type: field(5, string, 'object, array, string, integer, number or boolean.'),
  format: field(6, string, 'Format of strings and numbers; unknown ones are ignored.'),
  title: field(7, string, 'Short title.'),
  default: pointer(8, json, 'Value for absent fields.'),
  maximum: pointer(9, double, 'Greatest number.'),
  exclusiveMaximum: field(10, bool, 'Excludes the maximum itself.'),
  minimum: pointer(11, double, 'Least number.'),
  exclusiveMinimum: field(12, bool, 'Excludes the minimum itself.'),
  maxLength: pointer(13, int64, 'Greatest length of strings.'),
  minLength: pointer(14, int64, 'Least length of strings.'),
  pattern: field(15, string, 'Regular expression that strings must match somewhere.'),
  maxItems: pointer(16, int64, 'Greatest length of arrays.'),
  minItems: pointer(17, int64, 'Least length of arrays.'),
  uniqueItems: field(18, bool, 'Not allowed to be true.'),
  multipleOf: pointer(19, double, 'Number must be a multiple of this.'),
  enum: field(20, atomicList(json), 'Allowed values.'),
  maxProperties: pointer(21, int64, 'Greatest number of properties.'),
  minProperties: pointer(22, int64, 'Least number of properties.'),
  required: field(23, atomicList(string), 'Properties that must be present.'),
  items: pointer(24, schemaOrList, undocumented),
  allOf: field(
    25,
    atomicList(() => JSONSchemaProps),
    'Schemas that must all hold.',
  ),
  oneOf: field(
    26,
    atomicList(() => JSONSchemaProps),
    'Schemas of which exactly one must hold.',
  ),
  anyOf: field(
    27,
    atomicList(() => JSONSchemaProps),
    'Schemas of which at least one must hold.',
  ),
  not: pointer(28, () => JSONSchemaProps, undocumented),
  properties: field(
    29,
    map(() => JSONSchemaProps),
    'Schemas of the properties.',
  ),
  additionalProperties: pointer(30, schemaOrBool, undocumented),
  patternProperties: field(
    31,
    map(() => JSONSchemaProps),
    'Not allowed.',
  ),
  dependencies: field(32, map(schemaOrNames), 'Not allowed.', { goType: 'v1.JSONSchemaDependencies' }),
  additionalItems: pointer(33, schemaOrBool, undocumented),
  definitions: field(
    34,
    map(() => JSONSchemaProps),
    'Not allowed.',
    { goType: 'v1.JSONSchemaDefinitions' },
  ),
  externalDocs: pointer(35, ExternalDocumentation, undocumented),
  example: pointer(36, json, undocumented),
  nullable: field(37, bool, 'Allows null.'),
  'x-kubernetes-preserve-unknown-fields': pointer(38, bool, 'Keeps fields that the schema does not name.'),
  'x-kubernetes-embedded-resource': field(39, bool, 'The value is a whole object, with kind and metadata.'),
  'x-kubernetes-int-or-string': field(40, bool, 'The value is an integer or a string.'),
  'x-kubernetes-list-map-keys': field(41, atomicList(string), 'Properties that identify an item of a list of type map.'),
  'x-kubernetes-list-type': pointer(42, string, 'Ownership of items in server-side apply: atomic, set or map.'),
  'x-kubernetes-map-type': pointer(43, string, 'Ownership of fields in server-side apply: granular or atomic.'),
  'x-kubernetes-validations': field(
    44,
    list(ValidationRule, { listType: 'map', keys: ['rule'], goType: 'v1.ValidationRules' }),
    'CEL expressions that must hold.',
    {
      patchStrategy: 'merge',
      patchMergeKey: 'rule',
    },
  ),
})
