/** Metrics of validation rules of custom resources. */
import type { Clock } from '../../ports.ts'
import type { RuleObserver } from '../../schema/model.ts'
import type { MetricsRegistry } from './registry.ts'
import { expressionRows } from './rows/expressions.ts'

export function createRuleMetrics(registry: MetricsRegistry, clock: Pick<Clock, 'monotonic'>): RuleObserver {
  const compilations = registry.histogram(expressionRows.compilations)
  const evaluations = registry.histogram(expressionRows.evaluations)
  return {
    monotonic: () => clock.monotonic(),
    compiled: (took) => compilations.observe([], took / 1000),
    evaluated: (took) => evaluations.observe([], took / 1000),
  }
}
