import { field, int32, list, message, pointer, required, requiredPointer, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { LabelSelector } from '../meta/selector.ts'
import { webhookConfigurationColumns } from './columns.ts'
import { FailurePolicyType, MatchPolicyType, ReinvocationPolicyType, SideEffectClass } from './enums.ts'
import { MatchCondition, RuleWithOperations } from './match.ts'
import { staticNameWarnings, validateStaticName } from './static-name.ts'
import { WebhookClientConfig } from './webhook.ts'
import { defaultWebhook, validateWebhook, validateWebhookNames } from './webhook-validation.ts'

export const MutatingWebhook = message(
  'MutatingWebhook',
  'A webhook that may change objects.',
  {
    name: required(1, string, 'Name, as a full domain name.', { notEmpty: true, format: 'fullyQualifiedName' }),
    clientConfig: required(2, WebhookClientConfig, 'How it is called.'),
    rules: field(3, list(RuleWithOperations, { listType: 'atomic' }), 'Requests that are sent to it; one rule is enough.'),
    failurePolicy: pointer(4, string, 'After a failed call: Fail or Ignore.', { goType: 'v1.FailurePolicyType', enum: FailurePolicyType }),
    matchPolicy: pointer(9, string, 'Exact, or Equivalent to match other versions of a resource too.', {
      goType: 'v1.MatchPolicyType',
      enum: MatchPolicyType,
    }),
    namespaceSelector: pointer(5, LabelSelector, 'Namespaces of the objects, by label.'),
    objectSelector: pointer(11, LabelSelector, 'Objects, by label; the old or the new one must match.'),
    sideEffects: requiredPointer(6, string, 'None, or NoneOnDryRun.', { goType: 'v1.SideEffectClass', publishedEnum: SideEffectClass }),
    timeoutSeconds: pointer(7, int32, 'Seconds until the call fails, from 1 to 30; 10 by default.'),
    admissionReviewVersions: required(
      8,
      list(string, { listType: 'atomic' }),
      'Versions of the review that it understands; the first known one is sent.',
    ),
    reinvocationPolicy: pointer(10, string, 'Never, or IfNeeded to call again after later changes.', {
      goType: 'v1.ReinvocationPolicyType',
      enum: ReinvocationPolicyType,
    }),
    matchConditions: field(12, list(MatchCondition, { listType: 'map', keys: ['name'] }), 'Conditions that must all be met.', {
      patchStrategy: 'merge',
      patchMergeKey: 'name',
    }),
  },
  {
    defaults(webhook) {
      defaultWebhook(webhook)
      webhook.reinvocationPolicy ??= 'Never'
    },
    validate: (webhook, path, errors) => validateWebhook(webhook, path, errors),
  },
)

export const MutatingWebhookConfiguration = object('MutatingWebhookConfiguration', 'Webhooks that may change objects.', {
  webhooks: field(2, list(MutatingWebhook, { listType: 'map', keys: ['name'] }), 'The webhooks.', {
    patchStrategy: 'merge',
    patchMergeKey: 'name',
  }),
})

export const mutatingWebhookConfigurations = resource({
  group: 'admissionregistration.<domain>',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  names: ['mutatingwebhookconfigurations', 'mutatingwebhookconfiguration'],
  anyFinalizers: true,
  metadataOnUpdate: ['object'],
  categories: ['api-extensions'],
  namespaced: false,
  schema: MutatingWebhookConfiguration,
  columns: webhookConfigurationColumns,
  lifecycle: { introduced: '1.16' },
  generation: 'spec',
  updateNeedsVersion: true,
  strategy: {
    countsAsChange: 'empty',
    validate(object, errors, context, old) {
      validateWebhookNames(object.webhooks, errors)
      if (old === undefined) validateStaticName(object, errors, context)
    },
    warnings: staticNameWarnings,
  },
})
