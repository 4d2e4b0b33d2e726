/** Startup steps as health checks, under the names that clients of the reference server know. */
import type { HealthCheck } from '../meta/health.ts'

export interface StartedParts {
  readonly rbac: boolean
  readonly clusterAuthentication: boolean
  readonly serviceAccounts: boolean
}

const hooks: readonly { readonly name: string; readonly needs?: keyof StartedParts }[] = [
  { name: 'start-apiserver-admission-initializer' },
  { name: 'generic-apiserver-start-informers' },
  { name: 'storage-object-count-tracker-hook' },
  { name: 'start-apiextensions-informers' },
  { name: 'start-apiextensions-controllers' },
  { name: 'crd-informer-synced' },
  { name: 'start-system-namespaces-controller' },
  { name: 'start-cluster-authentication-info-controller', needs: 'clusterAuthentication' },
  { name: 'start-legacy-token-tracking-controller', needs: 'serviceAccounts' },
  { name: 'start-service-ip-repair-controllers' },
  { name: 'rbac/bootstrap-roles', needs: 'rbac' },
  { name: 'scheduling/bootstrap-system-priority-classes' },
  { name: 'bootstrap-controller' },
]

/** Health checks of startup; all fail until `finish` is called. */
export interface StartSteps {
  /** Part of `/readyz` only. */
  readonly informers: HealthCheck
  readonly hooks: readonly HealthCheck[]
  finish(): void
}

export function startSteps(parts: StartedParts): StartSteps {
  let finished = false
  const check = () => {
    if (!finished) throw new Error('not finished')
  }
  const own = hooks.filter(({ needs }) => needs === undefined || parts[needs])
  return {
    informers: { name: 'informer-sync', check },
    hooks: own.map(({ name }) => ({ name: `poststarthook/${name}`, check })),
    finish() {
      finished = true
    },
  }
}
