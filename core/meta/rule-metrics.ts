/** Metrics of validation rules of custom resources, with the reference server's names. */
import type { Clock } from '../ports.ts'
import type { RuleObserver } from '../schema/model.ts'
import type { MetricsRegistry } from './metrics.ts'

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createRuleMetrics(registry: MetricsRegistry, clock: Pick<Clock, 'now'>): RuleObserver {
  const compilations = registry.histogram('apiserver_cel_compilation_duration_seconds', 'CEL compilation time in seconds.', [], seconds)
  const evaluations = registry.histogram('apiserver_cel_evaluation_duration_seconds', 'CEL evaluation time in seconds.', [], seconds)
  return {
    now: () => clock.now(),
    compiled: (took) => compilations.observe([], took / 1000),
    evaluated: (took) => evaluations.observe([], took / 1000),
  }
}
