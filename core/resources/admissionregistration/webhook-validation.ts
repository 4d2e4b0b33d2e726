/** Validation shared by both kinds of webhooks. */
import { boolType } from '../../cel/types.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { validateSupported } from '../validation.ts'
import { reviewVersions, validateClientConfig, validateReviewVersions } from '../webhook-client-validation.ts'
import { conditionEnvironment } from './expressions.ts'
import type { MutatingWebhook } from './mutatingwebhookconfiguration.ts'
import { eachCondition, validateConditionNames } from './policy-validation.ts'

type Webhook = Omit<Infer<typeof MutatingWebhook>, 'reinvocationPolicy'>

const harmless = ['None', 'NoneOnDryRun']

export function defaultWebhook(webhook: Webhook): void {
  webhook.failurePolicy ??= 'Fail'
  webhook.matchPolicy ??= 'Equivalent'
  webhook.namespaceSelector ??= {}
  webhook.objectSelector ??= {}
  webhook.timeoutSeconds ??= 10
}

export function validateWebhook(webhook: Webhook, path: FieldPath, errors: FieldErrors): void {
  const { sideEffects, timeoutSeconds, clientConfig } = webhook
  const effectsAt = path.child('sideEffects')
  if (sideEffects == null) errors.required(effectsAt, `must specify one of ${harmless.join(', ')}`)
  else if (sideEffects !== 'Some' && sideEffects !== 'Unknown') validateSupported(sideEffects, harmless, effectsAt, errors)
  else {
    errors.forgivable('side effects', () => errors.notSupported(effectsAt, sideEffects, harmless))
  }
  if (timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > 30)) {
    errors.invalid(path.child('timeoutSeconds'), timeoutSeconds, 'the timeout value must be between 1 and 30 seconds')
  }
  for (const name of ['namespaceSelector', 'objectSelector', 'reinvocationPolicy']) errors.moveLast(path.child(name))
  validateClientConfig(clientConfig, path.child('clientConfig'), errors)
  errors.moveLast(path.child('matchConditions'))
  validateConditionNames(webhook.matchConditions, path.child('matchConditions'), errors)
  validateConditions(webhook.matchConditions ?? [], path.child('matchConditions'), errors)
  const missing = `must specify one of ${reviewVersions.join(', ')}`
  validateReviewVersions(webhook.admissionReviewVersions ?? [], path.child('admissionReviewVersions'), errors, missing)
}

/** Match conditions must be boolean expressions. Unchanged ones are not validated again, because earlier releases accepted more. */
function validateConditions(conditions: readonly { readonly expression: string }[], path: FieldPath, errors: FieldErrors): void {
  if (conditions.length === 0) return
  const rule = 'match conditions'
  const environment = conditionEnvironment()
  eachCondition(conditions, path, errors, ({ expression }, at) => {
    const text = expression.trim()
    if (text === '' || errors.omits(rule)) return
    const compiled = environment.compile(text, { result: [boolType] })
    if ('issues' in compiled) errors.forgivable(rule, () => errors.invalid(at.child('expression'), text, compiled.issues))
  })
}

/** Names must be unique within a configuration. */
export function validateWebhookNames(webhooks: readonly { readonly name: string }[] | undefined, errors: FieldErrors): void {
  const seen = new Set<string>()
  webhooks?.forEach(({ name }, index) => {
    const at = FieldPath.of('webhooks').index(index).child('name')
    if (name !== '' && seen.has(name)) errors.forgivable('names of webhooks', () => errors.duplicate(at, name))
    seen.add(name)
  })
}
