import { createHealth, type Health, type HealthCheck } from '../meta/health.ts'
import { storeChecks } from '../meta/store-health.ts'
import type { CompleteOptions } from '../options/index.ts'
import type { HostPorts } from '../ports.ts'
import type { HealthParts } from './context.ts'

export interface ServerHealthOptions {
  readonly options: CompleteOptions
  readonly ports: HostPorts
  /** Checks of the start. */
  readonly hooks: readonly HealthCheck[]
  /** Milliseconds of the monotonic clock at which the grace period of `/livez` begins. */
  readonly began: number
  shuttingDown(): boolean
}

const notFinished = () => {
  throw new Error('not finished')
}

/** The health endpoints of a server, whose stores may not be open yet. */
export function serverHealth({ options, ports, hooks, began, shuttingDown }: ServerHealthOptions, found?: HealthParts): Health {
  const { clock, telemetry } = ports
  const { storeName } = options.platform
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
    bootChecks: hooks,
    checks: checksOf('', options.storeHealthTimeout),
    serviceChecks: found?.encryption?.checks ?? [],
    readyChecks: [...checksOf('-readiness', options.storeReadyTimeout), informers, ...(found?.readyChecks ?? [])],
    graceEnds: began + options.livezGracePeriod,
    shuttingDown,
    failed: (endpoint, reasons) => telemetry.logger.warn({ endpoint, reasons }, 'health check failed'),
  })
}
