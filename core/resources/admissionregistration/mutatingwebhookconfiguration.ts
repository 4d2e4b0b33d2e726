import { field, list, message, pointer, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { LabelSelector } from '../meta/selector.ts'
import { ReinvocationPolicyType } from './enums.ts'
import { MatchCondition } from './match.ts'
import { staticNameWarnings, validateStaticName } from './static-name.ts'
import { callFields, requestFields, webhookRow } from './webhook-fields.ts'
import { defaultWebhook, validateWebhook, validateWebhookNames } from './webhook-validation.ts'

export const MutatingWebhook = message(
  'MutatingWebhook',
  'A webhook that may change objects.',
  {
    ...requestFields,
    objectSelector: pointer(11, LabelSelector, 'Objects, by label; the old or the new one must match.'),
    ...callFields,
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
  ...webhookRow,
  kind: 'MutatingWebhookConfiguration',
  names: ['mutatingwebhookconfigurations', 'mutatingwebhookconfiguration'],
  schema: MutatingWebhookConfiguration,
  strategy: {
    countsAsChange: 'empty',
    validate(object, errors, context, old) {
      validateWebhookNames(object.webhooks, errors)
      if (old === undefined) validateStaticName(object, errors, context)
    },
    warnings: staticNameWarnings,
  },
})
