/** What both configurations of webhooks have in common. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { atomicList, field, type HookContext, int32, pointer, required, requiredPointer, string } from '../../schema/model.ts'
import { LabelSelector } from '../meta/selector.ts'
import { webhookConfigurationColumns } from './columns.ts'
import { FailurePolicyType, MatchPolicyType, SideEffectClass } from './enums.ts'
import { RuleWithOperations } from './match.ts'
import { type Named, staticNameWarnings, validateStaticName } from './static-name.ts'
import { WebhookClientConfig } from './webhook.ts'
import { validateWebhookNames } from './webhook-validation.ts'

/** The first fields of a webhook. */
export const requestFields = {
  name: required(1, string, 'Name, as a full domain name.', { notEmpty: true, format: 'fullyQualifiedName' }),
  clientConfig: required(2, WebhookClientConfig, 'How it is called.'),
  rules: field(3, atomicList(RuleWithOperations), 'Requests that are sent to it; one rule is enough.'),
  failurePolicy: pointer(4, string, 'After a failed call: Fail or Ignore.', { goType: 'v1.FailurePolicyType', enum: FailurePolicyType }),
  matchPolicy: pointer(9, string, 'Exact, or Equivalent to match other versions of a resource too.', {
    goType: 'v1.MatchPolicyType',
    enum: MatchPolicyType,
  }),
  namespaceSelector: pointer(5, LabelSelector, 'Namespaces of the objects, by label.'),
}

/** Its fields behind the selectors. */
export const callFields = {
  sideEffects: requiredPointer(6, string, 'None, or NoneOnDryRun.', { goType: 'v1.SideEffectClass', publishedEnum: SideEffectClass }),
  timeoutSeconds: pointer(7, int32, 'Seconds until the call fails, from 1 to 30; 10 by default.'),
  admissionReviewVersions: required(8, atomicList(string), 'Versions of the review that it understands; the first known one is sent.'),
}

interface Configuration extends Named {
  readonly webhooks?: readonly { readonly name: string }[] | undefined
}

export const webhookStrategy = {
  countsAsChange: 'empty',
  validate(object: Configuration, errors: FieldErrors, context: HookContext, old?: Configuration) {
    validateWebhookNames(object.webhooks, errors)
    if (old === undefined) validateStaticName(object, errors, context)
  },
  warnings: staticNameWarnings,
} as const

export const webhookRow = {
  group: 'admissionregistration.<domain>',
  version: 'v1',
  anyFinalizers: true,
  metadataOnUpdate: ['object'],
  categories: ['api-extensions'],
  namespaced: false,
  columns: webhookConfigurationColumns,
  lifecycle: { introduced: '1.16' },
  generation: 'spec',
  updateNeedsVersion: true,
} as const
