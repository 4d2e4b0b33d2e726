import { given } from '../../schema/json/given-empty.ts'
import { atomicList, bool, field, type Infer, int32, int64, list, message, pointer, required, string } from '../../schema/model.ts'
import { objectValidation } from '../core/object-validation.ts'
import { resource } from '../definition.ts'
import { conditionFields } from '../meta/condition.ts'
import { object } from '../meta/object.ts'
import { holdForInstances } from './definition-deletion.ts'
import { nameProblems, validateDefinition, validateDefinitionStatus } from './definition-validation.ts'
import { JSONSchemaProps } from './json-schema.ts'
import { formatWarnings } from './unknown-formats.ts'
import { fromV1beta1 } from './v1beta1.ts'
import { WebhookClientConfig } from './webhook.ts'

export const CustomResourceColumnDefinition = message(
  'CustomResourceColumnDefinition',
  'A column of the table of a custom resource.',
  () => ({
    name: required(1, string, 'Title of the column.'),
    type: required(2, string, 'integer, number, string, boolean or date.'),
    format: field(3, string, 'Meaning of the cells; name marks the column of names.'),
    description: field(4, string, 'What the column shows.'),
    priority: field(5, int32, '0 for always; greater ones are shown when there is room.'),
    jsonPath: required(6, string, 'Path of the value in the object.'),
  }),
)

export const WebhookConversion = message('WebhookConversion', 'Conversion by a webhook.', () => ({
  clientConfig: pointer(2, WebhookClientConfig, 'How it is called.'),
  conversionReviewVersions: required(3, atomicList(string), 'Versions of the review that it understands; the first known one is sent.'),
}))

export const CustomResourceConversion = message(
  'CustomResourceConversion',
  'Strategy for conversion between versions: none, or a webhook.',
  () => ({
    strategy: required(1, string, 'None changes apiVersion only; Webhook calls the webhook.', {
      goType: 'v1.ConversionStrategyType',
      openEnum: ['None', 'Webhook'],
    }),
    webhook: pointer(2, WebhookConversion, 'The webhook, with strategy Webhook.'),
  }),
)

export const CustomResourceDefinitionNames = message('CustomResourceDefinitionNames', 'Names of a custom resource.', () => ({
  plural: required(1, string, 'Plural name; part of URLs.'),
  singular: field(2, string, 'Singular name; the kind in lower case by default.'),
  shortNames: field(3, atomicList(string), 'Abbreviations for people.'),
  kind: required(4, string, 'Kind of the objects.'),
  listKind: field(5, string, 'Kind of lists; <kind>List by default.'),
  categories: field(6, atomicList(string), 'Collective names that include it, such as all.'),
}))

export const CustomResourceValidation = message('CustomResourceValidation', 'How objects are validated.', () => ({
  openAPIV3Schema: pointer(1, JSONSchemaProps, 'Schema of the objects.'),
}))

export const CustomResourceSubresourceStatus = message('CustomResourceSubresourceStatus', 'The status subresource; it has no settings.', {})

export const CustomResourceSubresourceScale = message('CustomResourceSubresourceScale', 'The scale subresource.', () => ({
  specReplicasPath: required(1, string, 'Path of the desired number, below .spec.'),
  statusReplicasPath: required(2, string, 'Path of the observed number, below .status.'),
  labelSelectorPath: pointer(3, string, 'Path of the selector as text, below .spec or .status.'),
}))

export const CustomResourceSubresources = message('CustomResourceSubresources', 'Subresources of a custom resource.', () => ({
  status: pointer(1, CustomResourceSubresourceStatus, 'Present to have /status.'),
  scale: pointer(2, CustomResourceSubresourceScale, 'Present to have /scale.'),
}))

export const SelectableField = message('SelectableField', 'A field that field selectors can use.', () => ({
  jsonPath: required(1, string, 'Path of a string, number or bool.'),
}))

export const CustomResourceDefinitionVersion = message('CustomResourceDefinitionVersion', 'A version of a custom resource.', () => ({
  name: required(1, string, 'Name of the version, such as v1beta1.'),
  served: required(2, bool, 'Served to clients.'),
  storage: required(3, bool, 'Stored; true for exactly one version.'),
  deprecated: field(7, bool, 'Answers carry a warning.'),
  deprecationWarning: pointer(8, string, 'Text of that warning; a general one by default.'),
  schema: pointer(4, CustomResourceValidation, 'Schema of the version.'),
  subresources: pointer(5, CustomResourceSubresources, 'Subresources of the version.'),
  additionalPrinterColumns: field(6, atomicList(CustomResourceColumnDefinition), 'Columns of the table; the age by default.'),
  selectableFields: field(9, atomicList(SelectableField), 'Fields that field selectors can use; up to 8.', {
    gate: 'CustomResourceFieldSelectors',
  }),
}))

export const CustomResourceDefinitionSpec = message('CustomResourceDefinitionSpec', 'Schema of the custom resource.', () => ({
  group: required(1, string, 'API group; the definition is named <plural>.<group>.'),
  names: required(3, CustomResourceDefinitionNames, 'Names of the resource and of its kind.'),
  scope: required(4, string, 'Cluster or Namespaced.', { goType: 'v1.ResourceScope', openEnum: ['Cluster', 'Namespaced'] }),
  versions: required(7, atomicList(CustomResourceDefinitionVersion), 'Versions of the resource.'),
  conversion: pointer(9, CustomResourceConversion, 'How objects get from one version to another.'),
  preserveUnknownFields: field(10, bool, 'Deprecated: keeps fields that the schema does not name; must be false in new ones.'),
})).with({
  defaults(spec) {
    const { names } = spec
    if (names) {
      names.singular ||= names.kind?.toLowerCase()
      if (names.kind) names.listKind ||= `${names.kind}List`
    }
    spec.conversion ??= { strategy: 'None' }
    const { webhook } = spec.conversion
    if (webhook && !given(webhook, 'conversionReviewVersions')) dropWebhook(spec)
  },
})

/** The reference has no place for a webhook without settings. */
function dropWebhook(spec: { conversion?: Infer<typeof CustomResourceConversion> | undefined }): void {
  const { webhook } = spec.conversion ?? {}
  if (webhook && !webhook.clientConfig && !webhook.conversionReviewVersions?.length) delete spec.conversion?.webhook
}

export const CustomResourceDefinitionCondition = message('CustomResourceDefinitionCondition', 'An observation about a definition.', () => ({
  type: required(1, string, 'Aspect that is judged, in CamelCase.', {
    goType: 'v1.CustomResourceDefinitionConditionType',
    openEnum: [
      'Established',
      'NamesAccepted',
      'NonStructuralSchema',
      'Terminating',
      'KubernetesAPIApprovalPolicyConformant',
      'StorageMigrating',
    ],
  }),
  ...conditionFields,
  observedGeneration: field(6, int64, 'Generation of the spec that the condition speaks about.', { gate: 'CRDObservedGenerationTracking' }),
}))

export const CustomResourceDefinitionStatus = message('CustomResourceDefinitionStatus', 'State of a definition.', () => ({
  conditions: field(
    1,
    list(CustomResourceDefinitionCondition, { listType: 'map', keys: ['type'] }),
    'Latest observations, such as NamesAccepted and Established.',
    { omitEmpty: false },
  ),
  acceptedNames: field(2, CustomResourceDefinitionNames, 'Names that are in use; they may differ from the spec after a conflict.', {
    omitEmpty: false,
  }),
  storedVersions: field(3, atomicList(string), 'Versions that objects may be stored in; these cannot be removed from the spec.', {
    omitEmpty: false,
  }),
  observedGeneration: field(4, int64, 'Generation of the spec that this status was computed from.', {
    gate: 'CRDObservedGenerationTracking',
  }),
}))

export const CustomResourceDefinition = object('CustomResourceDefinition', 'Adds a resource to the API; named <plural>.<group>.', () => ({
  spec: required(2, CustomResourceDefinitionSpec, 'Desired state.'),
  status: field(3, CustomResourceDefinitionStatus, 'Last observed state; written by controllers through the status subresource.'),
}))

export const customResourceDefinitions = resource({
  group: 'apiextensions.<domain>',
  version: 'v1',
  names: ['customresourcedefinitions', 'customresourcedefinition', 'crd', 'crds'],
  anyFinalizers: true,
  categories: ['api-extensions'],
  namespaced: false,
  schema: CustomResourceDefinition,
  storageKey: 'apiextensions.<domain>/customresourcedefinitions',
  storageVersion: 'apiextensions.<domain>/v1beta1',
  formerVersions: { 'apiextensions.<domain>/v1beta1': fromV1beta1 },
  // As in the reference server; schemas are smaller and faster to read than in protobuf.
  storageMediaType: 'application/json',
  lifecycle: { introduced: '1.16' },
  status: true,
  statusTables: false,
  generation: 'spec',
  updateNeedsVersion: true,
  strategy: {
    prepareCreate(definition) {
      dropWebhook(definition.spec)
      definition.status = { storedVersions: storageVersionsOf(definition.spec) }
    },
    prepareUpdate(definition) {
      dropWebhook(definition.spec)
      const stored = definition.status?.storedVersions ?? []
      const missing = storageVersionsOf(definition.spec).filter((name) => !stored.includes(name))
      if (missing.length > 0) definition.status = { ...definition.status, storedVersions: [...stored, ...missing] }
    },
    prepareDelete: holdForInstances,
    nameProblems,
    validate: objectValidation(validateDefinition),
    warnings: formatWarnings,
    validateStatus: (definition, _old, errors) => validateDefinitionStatus(definition, errors),
  },
})

/** The first version marked `storage`, as a list. */
function storageVersionsOf({ versions }: Infer<typeof CustomResourceDefinitionSpec>): string[] {
  const first = versions?.find(({ storage }) => storage)
  return first ? [first.name] : []
}
