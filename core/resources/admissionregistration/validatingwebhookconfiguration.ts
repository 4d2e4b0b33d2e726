import { field, list, message, pointer } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { LabelSelector } from '../meta/selector.ts'
import { MatchCondition } from './match.ts'
import { staticNameWarnings, validateStaticName } from './static-name.ts'
import { callFields, requestFields, webhookRow } from './webhook-fields.ts'
import { defaultWebhook, validateWebhook, validateWebhookNames } from './webhook-validation.ts'

export const ValidatingWebhook = message(
  'ValidatingWebhook',
  'A webhook that may refuse objects.',
  {
    ...requestFields,
    objectSelector: pointer(10, LabelSelector, 'Objects, by label; the old or the new one must match.'),
    ...callFields,
    matchConditions: field(11, list(MatchCondition, { listType: 'map', keys: ['name'] }), 'Conditions that must all be met.', {
      patchStrategy: 'merge',
      patchMergeKey: 'name',
    }),
  },
  { defaults: (webhook) => defaultWebhook(webhook), validate: (webhook, path, errors) => validateWebhook(webhook, path, errors) },
)

export const ValidatingWebhookConfiguration = object('ValidatingWebhookConfiguration', 'Webhooks that may refuse objects.', {
  webhooks: field(2, list(ValidatingWebhook, { listType: 'map', keys: ['name'] }), 'The webhooks.', {
    patchStrategy: 'merge',
    patchMergeKey: 'name',
  }),
})

export const validatingWebhookConfigurations = resource({
  ...webhookRow,
  kind: 'ValidatingWebhookConfiguration',
  names: ['validatingwebhookconfigurations', 'validatingwebhookconfiguration'],
  schema: ValidatingWebhookConfiguration,
  strategy: {
    countsAsChange: 'empty',
    validate(object, errors, context, old) {
      validateWebhookNames(object.webhooks, errors)
      if (old === undefined) validateStaticName(object, errors, context)
    },
    warnings: staticNameWarnings,
  },
})
