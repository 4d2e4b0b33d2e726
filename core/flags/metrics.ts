import { type AllowedValues, allowedValues, type MetricSelection } from '../meta/metrics/selection.ts'
import type { ParsedFlags } from './parse.ts'

/** Which metrics the flags select. `manifest`: content of the file that lists allowed label values. */
export function metricSelectionOf(flags: ParsedFlags, manifest: AllowedValues | undefined): MetricSelection {
  const allowed = manifest ?? allowedValues(flags.get('allow-metric-labels'))
  return {
    disabled: new Set(flags.get('disabled-metrics')),
    showHidden: flags.isSet('show-hidden-metrics-for-version'),
    ...(allowed.size > 0 && { allowed }),
  }
}
