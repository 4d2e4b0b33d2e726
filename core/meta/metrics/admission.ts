/** Admission metrics, with the reference server's names. */
import type { AdmissionObserver, ChainObserver, PodSecurityObserver, PolicyObserver, WebhookObserver } from '../../admission/observer.ts'
import type { MetricsRegistry } from './registry.ts'
import { chainRows, podSecurityRows, policyRows, webhookRows } from './rows/admission.ts'

/** Larger status codes count as this one, because webhooks choose them. */
const highestCode = 600

function webhookMetrics(registry: MetricsRegistry): WebhookObserver {
  const durations = registry.histogram(webhookRows.durations)
  const requests = registry.counter(webhookRows.requests)
  const rejections = registry.counter(webhookRows.rejections)
  const open = registry.counter(webhookRows.failedOpen)
  const exclusions = registry.counter(webhookRows.exclusions)
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

function policyMetrics(registry: MetricsRegistry): PolicyObserver {
  const conditionErrors = registry.counter(policyRows.conditionErrors)
  const conditionDurations = registry.histogram(policyRows.conditionDurations)
  const validations = registry.counter(policyRows.validations)
  const validationDurations = registry.histogram(policyRows.validationDurations)
  const mutations = registry.counter(policyRows.mutations)
  const mutationDurations = registry.histogram(policyRows.mutationDurations)
  return {
    conditions({ name, kind, type, operation }, errors, milliseconds) {
      const values = [name, kind, type, operation] as const
      if (errors > 0) conditionErrors.add(values, errors)
      conditionDurations.observe(values, milliseconds / 1000)
    },
    validated(policy, binding, error, action, milliseconds) {
      const values = [policy, binding, error, action] as const
      validations.add(values)
      validationDurations.observe(values, milliseconds / 1000)
    },
    mutated(policy, binding, error, milliseconds) {
      const values = [policy, binding, error] as const
      mutations.add(values)
      mutationDurations.observe(values, milliseconds / 1000)
    },
  }
}

function chainMetrics(registry: MetricsRegistry): ChainObserver {
  const phases = registry.histogram(chainRows.phases)
  const summary = registry.summary(chainRows.summary)
  const plugins = registry.histogram(chainRows.plugins)
  return {
    plugin(name, type, operation) {
      const admitted = plugins.in([name, type, operation, 'false'])
      const refused = plugins.in([name, type, operation, 'true'])
      return (rejected, milliseconds) => (rejected ? refused : admitted)(milliseconds / 1000)
    },
    phase(type, operation) {
      const of = (rejected: string) => [phases.in([type, operation, rejected]), summary.in([type, operation, rejected])] as const
      const [admitted, refused] = [of('false'), of('true')]
      return (rejected, milliseconds) => {
        for (const observe of rejected ? refused : admitted) observe(milliseconds / 1000)
      }
    },
  }
}

function podSecurityMetrics(registry: MetricsRegistry): PodSecurityObserver {
  const judgements = registry.counter(podSecurityRows.judgements)
  const exemptions = registry.counter(podSecurityRows.exemptions)
  const errors = registry.counter(podSecurityRows.errors)
  return {
    judged: (decision, mode, level, version, { operation, resource, subresource }) =>
      judgements.add([decision, level, version, mode, operation, resource, subresource]),
    exempted: ({ operation, resource, subresource }) => exemptions.add([operation, resource, subresource]),
    failed: (fatal, { operation, resource, subresource }) => errors.add([String(fatal), operation, resource, subresource]),
  }
}

export const createAdmissionMetrics = (registry: MetricsRegistry): AdmissionObserver & ChainObserver => ({
  ...webhookMetrics(registry),
  ...policyMetrics(registry),
  ...podSecurityMetrics(registry),
  ...chainMetrics(registry),
})
