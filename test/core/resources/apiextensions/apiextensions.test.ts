import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../support/wait.ts'
import { assertHas, causesOf, type Refusals, startServer, tables, withChanges } from '../support.ts'

const client = startServer()
const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        name: { type: 'string' },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        parts: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' }, n: { type: 'integer' } } } },
      },
    },
  },
}
const manifest = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
}
const subject = { path, manifest, fixedName: true } as const

const version = 'spec.versions.0'
const root = `${version}.schema.openAPIV3Schema`
const inSchema = 'spec.validation.openAPIV3Schema'
const property = (rest: string) => `${root}.properties.spec.properties.${rest}`
const at = (rest: string) => `${inSchema}.properties[spec].properties${rest}`
const second = { name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } }

const label1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"

const names: Refusals = [
  [
    'another name',
    { 'metadata.name': 'others.example.com' },
    ['metadata.name: Invalid value: "others.example.com": must be spec.names.plural+"."+spec.group'],
  ],
  [
    'group without a dot',
    { 'spec.group': 'example', 'metadata.name': 'widgets.example' },
    ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
  ],
  ['no scope', { 'spec.scope': '' }, ['spec.scope: Required value']],
  ['unknown scope', { 'spec.scope': 'World' }, ['spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"']],
  [
    'kind equal to listKind',
    { 'spec.names.listKind': 'Widget' },
    ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same'],
  ],
  [
    'kind with a space',
    { 'spec.names.kind': 'My Widget', 'spec.names.listKind': 'WidgetList', 'spec.names.singular': 'widget' },
    [`spec.names.kind: Invalid value: "My Widget": may have mixed case, but should otherwise match: ${label1035}`],
  ],
  ['short name in capitals', { 'spec.names.shortNames': ['W'] }, [`spec.names.shortNames[0]: Invalid value: "W": ${label1035}`]],
  ['category in capitals', { 'spec.names.categories': ['all', 'A'] }, [`spec.names.categories[1]: Invalid value: "A": ${label1035}`]],
  [
    'version with a dot',
    { [`${version}.name`]: 'v1.2' },
    [`spec.versions[0].name: Invalid value: "v1.2": ${label1035}`, `spec.version: Invalid value: "v1.2": ${label1035}`],
  ],
  [
    'preserveUnknownFields',
    { 'spec.preserveUnknownFields': true },
    [
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  ],
  [
    'protected group',
    { 'spec.group': 'x.k8s.io', 'metadata.name': 'widgets.x.k8s.io' },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/platform/enhancements/pull/1111',
    ],
  ],
  [
    'protected group with an invalid annotation',
    { 'spec.group': 'x.k8s.io', 'metadata.name': 'widgets.x.k8s.io', 'metadata.annotations': { 'api-approved.kubernetes.io': 'yes' } },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Invalid value: "yes": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/platform/enhancements/pull/1111',
    ],
  ],
]

const versions: Refusals = [
  [
    'no versions',
    { 'spec.versions': undefined },
    [
      'spec.versions: Invalid value: null: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: null: must have at least one stored version',
    ],
  ],
  ['no schema', { [`${version}.schema`]: undefined }, ['spec.versions[0].schema.openAPIV3Schema: Required value']],
  [
    'warning without deprecation',
    { [`${version}.deprecationWarning`]: 'old' },
    ['spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions'],
  ],
  [
    'multi-line warning',
    { [`${version}.deprecationWarning`]: 'a\nb', [`${version}.deprecated`]: true },
    [
      'spec.versions[0].deprecationWarning: Invalid value: "a\\nb": must only contain printable UTF-8 characters; non-printable character found at index 1',
    ],
  ],
  [
    'column without a path',
    { [`${version}.additionalPrinterColumns`]: [{ name: 'a', type: 'string', jsonPath: '' }] },
    ['spec.additionalPrinterColumns[0].JSONPath: Required value'],
  ],
  [
    'column path without a leading dot',
    { [`${version}.additionalPrinterColumns`]: [{ name: 'a', type: 'string', jsonPath: 'spec.a' }] },
    ['spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec.a": must be a simple json path starting with .'],
  ],
  [
    'column of unknown type and format',
    { [`${version}.additionalPrinterColumns`]: [{ name: 'a', type: 'text', format: 'x', jsonPath: '.a' }] },
    [
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].format: Invalid value: "x": must be one of byte,date,date-time,double,float,int32,int64,password',
    ],
  ],
  [
    'scale paths outside of spec and status',
    {
      [`${version}.subresources`]: {
        scale: { specReplicasPath: '.replicas', statusReplicasPath: '.spec.replicas', labelSelectorPath: '.selector' },
      },
    },
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".replicas": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Invalid value: ".spec.replicas": should be a json path under .status',
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".selector": should be a json path under either .spec or .status',
    ],
  ],
  [
    'invalid columns in one of two versions',
    { 'spec.versions.1': { ...second, additionalPrinterColumns: [{ name: '', type: 'date', jsonPath: '.a' }] } },
    ['spec.versions[1].additionalPrinterColumns[0].name: Required value'],
  ],
  [
    'invalid schema in one of two versions',
    { 'spec.versions.1': { ...second, schema: { openAPIV3Schema: { type: 'string' } } } },
    ['spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root'],
  ],
  [
    'conversion without a webhook',
    { 'spec.conversion': { strategy: 'Webhook' } },
    [
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      'spec.conversion.conversionReviewVersions: Required value',
    ],
  ],
  [
    'webhook without conversion',
    { 'spec.conversion': { strategy: 'None', webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v1'] } } },
    [
      'spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook',
      'spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook',
    ],
  ],
  [
    'webhook without a supported review version',
    { 'spec.conversion': { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v9', 'v9'] } } },
    [
      'spec.conversion.conversionReviewVersions[1]: Invalid value: "v9": duplicate version',
      'spec.conversion.conversionReviewVersions: Invalid value: ["v9","v9"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    'selectable fields',
    {
      [`${version}.selectableFields`]: [
        { jsonPath: '.spec.size' },
        { jsonPath: '.spec.size' },
        { jsonPath: '.spec.none' },
        { jsonPath: '.spec.parts' },
        { jsonPath: "['spec'].size" },
      ],
    },
    [
      'spec.selectableFields[1].jsonPath: Duplicate value: ".spec.size"',
      'spec.selectableFields[2].jsonPath: Invalid value: ".spec.none": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[3].jsonPath: Invalid value: ".spec.parts": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      `spec.selectableFields[4].jsonPath: Invalid value: "['spec'].size": is an invalid path: array notation is not allowed`,
    ],
  ],
]

const schemas: Refusals = [
  [
    'root of another type',
    { [`${root}.type`]: 'array', [`${root}.items`]: { type: 'string' } },
    [`${inSchema}.type: Invalid value: "array": must be object at the root`],
  ],
  ['root without a type', { [`${root}.type`]: undefined }, [`${inSchema}.type: Required value: must not be empty at the root`]],
  ['nullable root', { [`${root}.nullable`]: true }, [`${inSchema}.nullable: Forbidden: nullable cannot be true at the root`]],
  [
    'additionalProperties at the root',
    { [`${root}.properties`]: undefined, [`${root}.additionalProperties`]: true },
    [`${inSchema}.additionalProperties: Forbidden: must not be used at the root`],
  ],
  [
    'field without a type',
    { [property('size.type')]: undefined },
    [`${at('[size]')}.type: Required value: must not be empty for specified object fields`],
  ],
  [
    'field of an unknown type',
    { [property('size.type')]: 'int' },
    [`${at('[size]')}.type: Unsupported value: "int": supported values: "array", "boolean", "integer", "number", "object", "string"`],
  ],
  [
    'items without a type',
    { [property('parts.items.type')]: undefined },
    [`${at('[parts]')}.items.type: Required value: must not be empty for specified array items`],
  ],
  ['array without items', { [property('parts.items')]: undefined }, [`${at('[parts]')}.items: Required value: must be specified`]],
  [
    'items as an array',
    { [property('parts.items')]: [{ type: 'string' }] },
    [`${at('[parts]')}.items: Forbidden: items must be a schema object and not an array`],
  ],
  [
    'unique items',
    { [property('parts.uniqueItems')]: true },
    [`${at('[parts]')}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`],
  ],
  [
    'properties with additionalProperties',
    { [`${root}.properties.spec.additionalProperties`]: { type: 'string' } },
    [`${inSchema}.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`],
  ],
  ['reference', { [property('size.$ref')]: '#/x' }, [`${at('[size]')}.$ref: Forbidden: $ref is not supported`]],
  [
    'definitions',
    { [`${root}.definitions`]: { a: { type: 'string' } } },
    [`${inSchema}.definitions: Forbidden: definitions is not supported`],
  ],
  ['schema dialect', { [`${root}.$schema`]: 'x' }, [`${inSchema}: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`]],
  [
    'bad pattern',
    { [property('name.pattern')]: '(' },
    [
      `${at('[name]')}.pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
    ],
  ],
  [
    'type in anyOf',
    { [property('size.anyOf')]: [{ type: 'integer' }] },
    [`${at('[size]')}.anyOf[0].type: Forbidden: must be empty to be structural`],
  ],
  [
    'description in anyOf',
    { [property('size.not')]: { description: 'x' } },
    [`${at('[size]')}.not.description: Forbidden: must be empty to be structural`],
  ],
  [
    'condition about an unknown field',
    { [`${root}.oneOf`]: [{ properties: { spec: { properties: { nothing: { minimum: 1 } } } } }] },
    [`${at('[nothing]')}: Required value: because it is defined in ${inSchema}.oneOf[0].properties[spec].properties[nothing]`],
  ],
  [
    'labels in the schema of metadata',
    { [`${root}.properties.metadata`]: { type: 'object', properties: { labels: { type: 'object' } } } },
    [
      `${inSchema}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`,
    ],
  ],
  [
    'default in metadata',
    { [`${root}.properties.metadata`]: { type: 'object', properties: { name: { type: 'string', default: 'x' } } } },
    [`${inSchema}.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata`],
  ],
  [
    'kind of another type',
    { [`${root}.properties.kind`]: { type: 'integer' } },
    [`${inSchema}.properties[kind].type: Invalid value: "integer": must be string`],
  ],
  [
    'x-kubernetes-preserve-unknown-fields false',
    { [property('labels.x-kubernetes-preserve-unknown-fields')]: false },
    [`${at('[labels]')}.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`],
  ],
  [
    'embedded resource of another type than object',
    { [property('name.x-kubernetes-embedded-resource')]: true, [property('name.x-kubernetes-preserve-unknown-fields')]: true },
    [`${at('[name]')}.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true`],
  ],
  [
    'empty embedded resource',
    { [property('labels')]: { type: 'object', 'x-kubernetes-embedded-resource': true } },
    [
      `${at('[labels]')}.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
    ],
  ],
  [
    'map type on a string',
    { [property('name.x-kubernetes-map-type')]: 'atomic' },
    [`${at('[name]')}.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified`],
  ],
  [
    'list type on a string',
    { [property('name.x-kubernetes-list-type')]: 'atomic' },
    [`${at('[name]')}.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified`],
  ],
  [
    'unknown list type',
    { [property('parts.x-kubernetes-list-type')]: 'bag' },
    [`${at('[parts]')}.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"`],
  ],
  [
    'map without keys',
    { [property('parts.x-kubernetes-list-type')]: 'map' },
    [`${at('[parts]')}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`],
  ],
  [
    'keys without a map',
    { [property('parts.x-kubernetes-list-map-keys')]: ['name'] },
    [`${at('[parts]')}.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty`],
  ],
  [
    'list map key that is no property',
    { [property('parts.x-kubernetes-list-type')]: 'map', [property('parts.x-kubernetes-list-map-keys')]: ['constructor'] },
    [`${at('[parts]')}.x-kubernetes-list-map-keys: Invalid value: ["constructor"]: entries must all be names of item properties`],
  ],
  [
    'list map key that is optional',
    { [property('parts.x-kubernetes-list-type')]: 'map', [property('parts.x-kubernetes-list-map-keys')]: ['name'] },
    [
      `${at('[parts]')}.items.properties[name].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
    ],
  ],
  [
    'set of granular objects',
    { [property('parts.x-kubernetes-list-type')]: 'set' },
    [`${at('[parts]')}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`],
  ],
  [
    'rule without expression',
    { [property('size.x-kubernetes-validations')]: [{ rule: ' ' }] },
    [`${at('[size]')}.x-kubernetes-validations[0].rule: Required value: rule is not specified`],
  ],
  [
    'multi-line rule without message',
    { [property('size.x-kubernetes-validations')]: [{ rule: 'self >\n0' }] },
    [`${at('[size]')}.x-kubernetes-validations[0].message: Required value: message must be specified if rule contains line breaks`],
  ],
  [
    'rule with unknown reason and field',
    { [`${root}.properties.spec.x-kubernetes-validations`]: [{ rule: 'true', reason: 'X', fieldPath: '.none' }] },
    [
      `${inSchema}.properties[spec].x-kubernetes-validations[0].reason: Unsupported value: "X": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
      `${inSchema}.properties[spec].x-kubernetes-validations[0].fieldPath: Invalid value: ".none": must be a valid path`,
    ],
  ],
]

tables(client, subject, {
  stored: [
    [
      'all defaults',
      {},
      {
        spec: {
          names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
          conversion: { strategy: 'None' },
        },
        status: { storedVersions: ['v1'] },
      },
    ],
    [
      'an integer or a string',
      { [property('size')]: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } },
      { metadata: { name: 'widgets.example.com' } },
    ],
    [
      'a list of type map with required keys',
      {
        [property('parts.x-kubernetes-list-type')]: 'map',
        [property('parts.x-kubernetes-list-map-keys')]: ['name'],
        [property('parts.items.required')]: ['name'],
      },
      {},
    ],
    [
      'a restricted name',
      { [`${root}.properties.metadata`]: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
      {},
    ],
    ['conditions on known fields', { [`${root}.anyOf`]: [{ properties: { spec: { properties: { size: { minimum: 1 } } } } }] }, {}],
    [
      'a protected group, approved',
      {
        'spec.group': 'x.k8s.io',
        'metadata.name': 'widgets.x.k8s.io',
        'metadata.annotations': { 'api-approved.kubernetes.io': 'https://example.com/1' },
      },
      {},
    ],
    ['selectable fields', { [`${version}.selectableFields`]: [{ jsonPath: '.spec.size' }, { jsonPath: '.spec.name' }] }, {}],
    [
      'a webhook',
      {
        'spec.conversion': {
          strategy: 'Webhook',
          webhook: { clientConfig: { service: { namespace: 'n', name: 's' } }, conversionReviewVersions: ['v1', 'v9'] },
        },
      },
      { spec: { conversion: { webhook: { clientConfig: { service: { port: 443 } } } } } },
    ],
  ],
  refused: [...names, ...versions, ...schemas],
})

/** Updates a definition, retrying on conflicts with its controllers. */
async function change(name: string, changes: Parameters<typeof withChanges>[1]) {
  const { send } = await client
  for (;;) {
    const { body } = await send('GET', `${path}/${name}`)
    const answer = await send('PUT', `${path}/${name}`, withChanges(body, changes))
    if (answer.code !== 409) return answer
  }
}

test('status.storedVersions keeps the versions in which objects were stored', async () => {
  const { send } = await client
  const made = await send('POST', path, manifest)
  assert.equal(made.code, 201, JSON.stringify(made.body))
  const v2 = { ...second, storage: true }
  const moved = await change('widgets.example.com', { 'spec.versions.0.storage': false, 'spec.versions.1': v2 })
  assert.equal(moved.code, 200, JSON.stringify(moved.body))
  assertHas(moved.body, { status: { storedVersions: ['v1', 'v2'] } })
  const removed = await change('widgets.example.com', { 'spec.versions': [v2] })
  assert.match(
    causesOf(removed).join(),
    /^status\.storedVersions\[0\]: Invalid value: "v1": missing from spec\.versions; v1 was previously/,
  )
  assert.match(
    causesOf(await change('widgets.example.com', { 'spec.versions.0.storage': true })).join(),
    /must have exactly one version marked as storage version/,
  )
})

test('errors about versions show what all versions have in common as absent', async () => {
  const both = await change('widgets.example.com', {
    'spec.versions.0.storage': true,
    'spec.versions.1': { ...second, storage: true, schema: manifest.spec.versions[0]?.schema },
  })
  assert.match(causesOf(both).join(), /"Storage":true,[^{}]*"Schema":null,[^{}]*\},\{[^{}]*"Schema":null/)
})

test('spec.names.plural is immutable; scope and kind once the definition is established', async () => {
  const { send } = await client
  const group = {
    ...manifest,
    metadata: { name: 'things.example.com' },
    spec: { ...manifest.spec, names: { plural: 'things', kind: 'Thing' } },
  }
  const made = await send('POST', path, group)
  assert.equal(made.code, 201, JSON.stringify(made.body))
  const plural = await change('things.example.com', { 'spec.names.plural': 'others' })
  assert.deepEqual(causesOf(plural), ['spec.names.plural: Invalid value: "others": field is immutable'])
  await eventually('an established definition', async () => {
    const { body } = await send('GET', `${path}/things.example.com`)
    const { conditions = [] } = body['status'] as { conditions?: { type: string; status: string }[] }
    return conditions.some(({ type, status }) => type === 'Established' && status === 'True')
  })
  const scoped = await change('things.example.com', { 'spec.scope': 'Cluster' })
  assert.deepEqual(causesOf(scoped), ['spec.scope: Invalid value: "Cluster": field is immutable'])
})
