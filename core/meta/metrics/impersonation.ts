import type { ImpersonationObserver } from '../../authn/impersonation-observer.ts'
import type { MetricsRegistry } from './registry.ts'
import { impersonationRows as rows } from './rows/authentication.ts'

export function createImpersonationMetrics(registry: MetricsRegistry): ImpersonationObserver {
  const attempts = registry.counter(rows.attempts)
  const attemptDurations = registry.histogram(rows.attemptDurations)
  const checks = registry.counter(rows.checks)
  const checkDurations = registry.histogram(rows.checkDurations)
  const labelsOf = (mode: string, allowed: boolean) => [mode, allowed ? 'allowed' : 'denied'] as const
  return {
    attempted(mode, allowed, milliseconds) {
      attempts.add(labelsOf(mode, allowed))
      attemptDurations.observe(labelsOf(mode, allowed), milliseconds / 1000)
    },
    checked(mode, allowed, milliseconds) {
      checks.add(labelsOf(mode, allowed))
      checkDurations.observe(labelsOf(mode, allowed), milliseconds / 1000)
    },
  }
}
