/** Admission metrics, with the reference server's names. */
import type { AdmissionObserver, ChainObserver, PolicyObserver, WebhookObserver } from '../admission/observer.ts'
import type { MetricsRegistry } from './metrics.ts'

const seconds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25]
/** Larger status codes count as this one, because webhooks choose them. */
const highestCode = 600

function webhookMetrics(registry: MetricsRegistry): WebhookObserver {
  const prefix = 'apiserver_admission_'
  const step = ['name', 'type', 'operation']
  const durations = registry.histogram(
    `${prefix}webhook_admission_duration_seconds`,
    'Duration of webhook calls, in seconds.',
    [...step, 'rejected'],
    seconds,
  )
  const requests = registry.counter(`${prefix}webhook_request_total`, 'Webhook calls.', [...step, 'code', 'rejected'])
  const rejections = registry.counter(`${prefix}webhook_rejection_count`, 'Requests refused because of a webhook.', [
    ...step,
    'error_type',
    'rejection_code',
  ])
  const open = registry.counter(`${prefix}webhook_fail_open_count`, 'Failed calls that were ignored (failure policy Ignore).', [
    'name',
    'type',
  ])
  const exclusions = registry.counter(
    `${prefix}match_condition_exclusions_total`,
    'Requests excluded from a webhook by its match conditions.',
    ['name', 'kind', 'type', 'operation'],
  )
  const codeText = (code: number) => String(Math.min(code, highestCode))
  return {
    called(name, type, operation, rejected, code, milliseconds) {
      durations.observe([name, type, operation, String(rejected)], milliseconds / 1000)
      requests.add([name, type, operation, codeText(code), String(rejected)])
    },
    rejected: (name, type, operation, error, code) => rejections.add([name, type, operation, error, codeText(code)]),
    failedOpen: (name, type) => open.add([name, type]),
    excluded: (name, type, operation) => exclusions.add([name, 'webhook', type, operation]),
  }
}

const conditionSeconds = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25]
const checkSeconds = [0.0000005, 0.001, 0.01, 0.1, 1]
const stepSeconds = [0.005, 0.025, 0.1, 0.5, 1, 2.5]

function policyMetrics(registry: MetricsRegistry): PolicyObserver {
  const owner = ['name', 'kind', 'type', 'operation']
  const conditionErrors = registry.counter(
    'apiserver_admission_match_condition_evaluation_errors_total',
    'Match conditions that could not be evaluated.',
    owner,
  )
  const conditionTimes = registry.histogram(
    'apiserver_admission_match_condition_evaluation_seconds',
    'Duration of match condition evaluations, in seconds.',
    owner,
    conditionSeconds,
  )
  const checks = (kind: 'validating' | 'mutating', labels: readonly string[]) => {
    const name = `apiserver_${kind}_admission_policy_check`
    const total = registry.counter(`${name}_total`, `Checks of ${kind} admission policies.`, labels)
    const times = registry.histogram(`${name}_duration_seconds`, `Time of checks of ${kind} policies, in seconds.`, labels, checkSeconds)
    return (values: readonly string[], milliseconds: number) => {
      total.add(values)
      times.observe(values, milliseconds / 1000)
    }
  }
  const validations = checks('validating', ['policy', 'policy_binding', 'error_type', 'enforcement_action'])
  const mutations = checks('mutating', ['policy', 'policy_binding', 'error_type'])
  return {
    conditions({ name, kind, type, operation }, errors, milliseconds) {
      const values = [name, kind, type, operation]
      if (errors > 0) conditionErrors.add(values, errors)
      conditionTimes.observe(values, milliseconds / 1000)
    },
    validated: (policy, binding, error, action, milliseconds) => validations([policy, binding, error, action], milliseconds),
    mutated: (policy, binding, error, milliseconds) => mutations([policy, binding, error], milliseconds),
  }
}

function chainMetrics(registry: MetricsRegistry): ChainObserver {
  const step = ['type', 'operation', 'rejected']
  const phases = registry.histogram(
    'apiserver_admission_step_admission_duration_seconds',
    'Duration of admission phases, in seconds.',
    step,
    stepSeconds,
  )
  const summary = registry.summary(
    'apiserver_admission_step_admission_duration_seconds_summary',
    'Summary of the duration of admission phases, in seconds.',
    step,
  )
  const plugins = registry.histogram(
    'apiserver_admission_controller_admission_duration_seconds',
    'Duration of admission plugins, in seconds.',
    ['name', ...step],
    stepSeconds,
  )
  return {
    plugin(name, type, operation) {
      const admitted = plugins.in([name, type, operation, 'false'])
      const refused = plugins.in([name, type, operation, 'true'])
      return (rejected, milliseconds) => (rejected ? refused : admitted)(milliseconds / 1000)
    },
    phase(type, operation, rejected, milliseconds) {
      const values = [type, operation, rejected ? 'true' : 'false']
      phases.observe(values, milliseconds / 1000)
      summary.observe(values, milliseconds / 1000)
    },
  }
}

export const createAdmissionMetrics = (registry: MetricsRegistry): AdmissionObserver & ChainObserver => ({
  ...webhookMetrics(registry),
  ...policyMetrics(registry),
  ...chainMetrics(registry),
})
