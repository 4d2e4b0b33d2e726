import { createHealth, type Health, type HealthCheck } from '../meta/health.ts'
import type { HealthMetrics } from '../meta/metrics/health.ts'
import { storeChecks } from '../meta/store-health.ts'
import type { CompleteOptions } from '../options/index.ts'
import type { Platform } from '../platform.ts'
import type { HostPorts } from '../ports.ts'
import type { HealthParts } from './context.ts'

export interface ServerHealthOptions {
  readonly options: CompleteOptions
  readonly ports: HostPorts
  /** Checks of the start. */
  readonly hooks: readonly HealthCheck[]
  /** Milliseconds of the monotonic clock at which the grace period of `/livez` begins. */
  readonly began: number
  readonly metrics: HealthMetrics
  shuttingDown(): boolean
}

/**
 * Checks of the start in the order in which the reference lists them, also those of parts that a server may lack; scripts compare the lists.
 * Others follow.
 */
const startOrder: readonly string[] = [
  ...['start-apiserver-admission-initializer', 'generic-apiserver-start-informers'],
  ...['priority-and-fairness-config-consumer', 'priority-and-fairness-filter', 'storage-object-count-tracker-hook'],
  ...['start-apiextensions-informers', 'start-apiextensions-controllers', 'crd-informer-synced', 'start-system-namespaces-controller'],
  'start-<component>-apiserver-coordinated-leader-election-controller',
  ...['peer-endpoint-reconciler-controller', 'mixed-version-proxy-handler', 'local-discovery-cache-sync', 'peer-discovery-workers'],
  'start-cluster-authentication-info-controller',
  ...[
    'start-<component>-apiserver-identity-lease-controller',
    'start-<component>-apiserver-identity-lease-garbage-collector',
    'storage-readiness',
  ],
  ...['start-legacy-token-tracking-controller', 'start-service-ip-repair-controllers', 'rbac/bootstrap-roles'],
  ...['scheduling/bootstrap-system-priority-classes', 'priority-and-fairness-config-producer', 'bootstrap-controller'],
  ...[
    'start-<product>-service-cidr-controller',
    'aggregator-reload-proxy-client-cert',
    'start-<component>-aggregator-informers',
    'apiservice-status-local-available-controller',
  ],
  ...['apiservice-status-remote-available-controller', 'apiservice-registration-controller', 'apiservice-wait-for-first-sync'],
  ...[
    'apiservice-discovery-controller',
    'built-in-resources-storage-version-updater',
    '<component>-apiserver-autoregistration',
    'autoregister-completion',
    'apiservice-openapi-controller',
  ],
  'apiservice-openapiv3-controller',
]

function inOrder(checks: readonly HealthCheck[], { component, product }: Platform): readonly HealthCheck[] {
  const named = (name: string) => name.replace('<component>', component).replace('<product>', product)
  const known = startOrder.map(named)
  const place = ({ name }: HealthCheck) => {
    const at = known.indexOf(name.replace('poststarthook/', ''))
    return at < 0 ? known.length : at
  }
  return checks.map((check) => ({ ...check, name: named(check.name) })).toSorted((one, other) => place(one) - place(other))
}

/** Requests of this server to itself need no connection, so that there is no certificate which expires; scripts name the check all the same. */
const ownCertificate: HealthCheck = { name: 'loopback-serving-certificate', check: () => {} }

const notFinished = () => {
  throw new Error('not finished')
}

/** The health endpoints of a server, whose stores may not be open yet. */
export function serverHealth(
  { options: { general, serving, storage }, ports, hooks, began, metrics, shuttingDown }: ServerHealthOptions,
  found?: HealthParts,
): Health {
  const { clock, telemetry } = ports
  const { storeName } = general.platform
  const checksOf = (suffix: string, timeout: number) =>
    found ? storeChecks(found.stores, storeName, suffix, clock, timeout) : [{ name: `${storeName}${suffix}`, check: notFinished }]
  // What follows the stored objects has read them when the start is complete.
  const informers: HealthCheck = {
    name: 'informer-sync',
    check() {
      for (const { check } of hooks) void check()
    },
  }
  return createHealth({
    clock,
    liveChecks: [ownCertificate],
    bootChecks: inOrder(hooks, general.platform),
    checks: checksOf('', storage.storeHealthTimeout),
    serviceChecks: found?.encryption?.checks ?? [],
    readyChecks: [...checksOf('-readiness', storage.storeReadyTimeout), informers, ...(found?.readyChecks ?? [])],
    graceEnds: began + serving.livezGracePeriod,
    shuttingDown,
    observe: metrics.observe,
    failed: (endpoint, reasons) => telemetry.logger.warn({ endpoint, reasons }, 'health check failed'),
  })
}
