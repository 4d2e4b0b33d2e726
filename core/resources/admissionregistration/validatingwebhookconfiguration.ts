import { keyedList, message, pointer } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { LabelSelector } from '../meta/selector.ts'
import { matchConditions } from './match.ts'
import { callFields, requestFields, webhookRow, webhookStrategy } from './webhook-fields.ts'
import { defaultWebhook, validateWebhook } from './webhook-validation.ts'

export const ValidatingWebhook = message('ValidatingWebhook', 'A webhook that may refuse objects.', () => ({
  ...requestFields,
  objectSelector: pointer(10, LabelSelector, 'Objects, by label; the old or the new one must match.'),
  ...callFields,
  matchConditions: matchConditions(11),
})).with({ defaults: (webhook) => defaultWebhook(webhook), validate: (webhook, path, errors) => validateWebhook(webhook, path, errors) })

export const ValidatingWebhookConfiguration = object('ValidatingWebhookConfiguration', 'Webhooks that may refuse objects.', () => ({
  webhooks: keyedList(2, ValidatingWebhook, 'name', 'The webhooks.'),
}))

export const validatingWebhookConfigurations = resource({
  ...webhookRow,
  names: ['validatingwebhookconfigurations', 'validatingwebhookconfiguration'],
  schema: ValidatingWebhookConfiguration,
  strategy: webhookStrategy,
})
