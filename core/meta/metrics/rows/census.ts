import { counter } from '../../../metrics.ts'

/** Metrics about metrics. */
export const censusRows = {
  registered: counter('registered_metrics_total', {
    stability: 'BETA',
    help: 'Metrics that are recorded.',
    labels: ['stability_level', 'deprecated_version'],
  }),
  disabled: counter('disabled_metrics_total', { stability: 'BETA', help: 'Metrics that are disabled by name.' }),
  hidden: counter('hidden_metrics_total', { stability: 'BETA', help: 'Metrics that are disabled, or deprecated and not shown.' }),
  unexpected: counter('cardinality_enforcement_unexpected_categorizations_total', {
    help: 'Label values that are not allowed, and were recorded as unexpected.',
  }),
}
