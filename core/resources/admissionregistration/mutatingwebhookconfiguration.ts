import { keyedList, message, pointer, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { LabelSelector } from '../meta/selector.ts'
import { ReinvocationPolicyType } from './enums.ts'
import { matchConditions } from './match.ts'
import { callFields, requestFields, webhookRow, webhookStrategy } from './webhook-fields.ts'
import { defaultWebhook, validateWebhook } from './webhook-validation.ts'

export const MutatingWebhook = message('MutatingWebhook', 'A webhook that may change objects.', () => ({
  ...requestFields,
  objectSelector: pointer(11, LabelSelector, 'Objects, by label; the old or the new one must match.'),
  ...callFields,
  reinvocationPolicy: pointer(10, string, 'Never, or IfNeeded to call again after later changes.', {
    goType: 'v1.ReinvocationPolicyType',
    enum: ReinvocationPolicyType,
  }),
  matchConditions: matchConditions(12),
})).with({
  defaults(webhook) {
    defaultWebhook(webhook)
    webhook.reinvocationPolicy ??= 'Never'
  },
  validate: (webhook, path, errors) => validateWebhook(webhook, path, errors),
})

export const MutatingWebhookConfiguration = object('MutatingWebhookConfiguration', 'Webhooks that may change objects.', () => ({
  webhooks: keyedList(2, MutatingWebhook, 'name', 'The webhooks.'),
}))

export const mutatingWebhookConfigurations = resource({
  ...webhookRow,
  names: ['mutatingwebhookconfigurations', 'mutatingwebhookconfiguration'],
  schema: MutatingWebhookConfiguration,
  strategy: webhookStrategy,
})
