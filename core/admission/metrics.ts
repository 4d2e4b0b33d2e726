import { counter, histogram, type LabelValues, type Recorded, summary } from '../metrics.ts'

const step = ['name', 'type', 'operation'] as const
const owner = ['name', 'kind', 'type', 'operation'] as const
const podRequest = ['request_operation', 'resource', 'subresource'] as const
const phase = ['type', 'operation', 'rejected'] as const
const validating = ['policy', 'policy_binding', 'error_type', 'enforcement_action'] as const
const mutating = ['policy', 'policy_binding', 'error_type'] as const

const webhookSeconds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25]
const conditionSeconds = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25]
const checkSeconds = [0.0000005, 0.001, 0.01, 0.1, 1]
const stepSeconds = [0.005, 0.025, 0.1, 0.5, 1, 2.5]

/** Webhooks, policies and plugins. */
export const admissionRows = {
  webhookDurations: histogram('apiserver_admission_webhook_admission_duration_seconds', 'Duration of webhook calls, in seconds.', {
    stability: 'STABLE',
    labels: [...step, 'rejected'],
    buckets: webhookSeconds,
  }),
  webhookRequests: counter('apiserver_admission_webhook_request_total', 'Webhook calls.', { labels: [...step, 'code', 'rejected'] }),
  webhookRejections: counter('apiserver_admission_webhook_rejection_count', 'Requests refused because of a webhook.', {
    labels: [...step, 'error_type', 'rejection_code'],
  }),
  webhookFailedOpen: counter('apiserver_admission_webhook_fail_open_count', 'Failed calls that were ignored (failure policy Ignore).', {
    labels: ['name', 'type'],
  }),
  exclusions: counter('apiserver_admission_match_condition_exclusions_total', 'Requests excluded from a webhook by its match conditions.', {
    labels: owner,
  }),
  conditionErrors: counter('apiserver_admission_match_condition_evaluation_errors_total', 'Match conditions that could not be evaluated.', {
    labels: owner,
  }),
  conditionDurations: histogram(
    'apiserver_admission_match_condition_evaluation_seconds',
    'Duration of match condition evaluations, in seconds.',
    { labels: owner, buckets: conditionSeconds },
  ),
  validations: counter('apiserver_validating_admission_policy_check_total', 'Checks of validating admission policies.', {
    stability: 'BETA',
    labels: validating,
  }),
  validationDurations: histogram(
    'apiserver_validating_admission_policy_check_duration_seconds',
    'Time of checks of validating policies, in seconds.',
    { stability: 'BETA', labels: validating, buckets: checkSeconds },
  ),
  mutations: counter('apiserver_mutating_admission_policy_check_total', 'Checks of mutating admission policies.', { labels: mutating }),
  mutationDurations: histogram(
    'apiserver_mutating_admission_policy_check_duration_seconds',
    'Time of checks of mutating policies, in seconds.',
    { labels: mutating, buckets: checkSeconds },
  ),
  podEvaluations: counter('pod_security_evaluations_total', 'Comparisons of pods with a standard of Pod Security.', {
    labels: ['decision', 'policy_level', 'policy_version', 'mode', ...podRequest],
  }),
  podExemptions: counter('pod_security_exemptions_total', 'Requests that are exempt from Pod Security.', { labels: podRequest }),
  podErrors: counter('pod_security_errors_total', 'Errors that kept Pod Security from its policy.', { labels: ['fatal', ...podRequest] }),
}

export const chainRows = {
  phases: histogram('apiserver_admission_step_admission_duration_seconds', 'Duration of admission phases, in seconds.', {
    stability: 'STABLE',
    labels: phase,
    buckets: stepSeconds,
  }),
  summary: summary(
    'apiserver_admission_step_admission_duration_seconds_summary',
    'Summary of the duration of admission phases, in seconds.',
    { labels: phase },
  ),
  plugins: histogram('apiserver_admission_controller_admission_duration_seconds', 'Duration of admission plugins, in seconds.', {
    stability: 'STABLE',
    labels: ['name', ...phase],
    buckets: stepSeconds,
  }),
}

export type AdmissionMetrics = Recorded<typeof admissionRows>
export type ChainMetrics = Recorded<typeof chainRows>

/** Webhook types in labels. */
export type StepType = 'admit' | 'validating'

/** Match conditions of a webhook or policy were evaluated, with this number of errors. Policies of both kinds have type `validate`. */
export function countConditions(
  { conditionErrors, conditionDurations }: Pick<AdmissionMetrics, 'conditionErrors' | 'conditionDurations'>,
  labels: LabelValues<typeof owner>,
  errors: number,
  milliseconds: number,
): void {
  if (errors > 0) conditionErrors.add(labels, errors)
  conditionDurations.observe(labels, milliseconds / 1000)
}

/** Larger status codes count as this one, because webhooks choose them. */
const highestCode = 600

/** Label of a status code. */
export const codeText = (code: number) => String(Math.min(code, highestCode))

/** Result of a policy expression. */
export type ExpressionError = 'no_error' | 'compile_error' | 'out_of_budget' | 'invalid_error'

/** Classifies an error by its text, for metrics. */
export function expressionError(message: string): ExpressionError {
  if (message.startsWith('compilation')) return 'compile_error'
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error'
}
