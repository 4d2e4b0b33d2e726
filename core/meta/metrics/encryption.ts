/** Metrics of encryption at rest, with the reference server's names. */
import { type ReloadReports, reloadReports, reloadRows } from '../../config/reload-metrics.ts'
import type { LabelValues } from '../../metrics.ts'
import type { Clock } from '../../ports.ts'
import { hashOf } from '../../schema/digest.ts'
import { Recent } from '../../storage/encryption/kms/recent.ts'
import type { Direction, EncryptionObserver } from '../../storage/encryption/observer.ts'
import type { MetricsRegistry } from './registry.ts'
import { keyCacheRows, kmsRows, transformationRows } from './rows/storage.ts'

export const encryptionFileRows = reloadRows('encryption', 'ALPHA')

/** Maximum tracked plugin keys; series of the least recently used ones are removed. */
const maxKeys = 100

type Transformations = Pick<EncryptionObserver, 'transformed' | 'madeKey' | 'missedKey'>

function transformations(registry: MetricsRegistry): Transformations {
  const durations = registry.histogram(transformationRows.durations)
  const operations = registry.counter(transformationRows.operations)
  const misses = registry.counter(transformationRows.misses)
  const made = registry.histogram(transformationRows.made)
  registry.counter(transformationRows.failures)
  return {
    transformed(resource, direction, prefix, code, milliseconds) {
      operations.add([resource, direction, prefix, code])
      if (code === 'OK') durations.observe([direction, prefix], milliseconds / 1000)
    },
    madeKey: (milliseconds) => made.observe([], milliseconds / 1000),
    missedKey: () => misses.add([]),
  }
}

function versionOne(registry: MetricsRegistry, clock: Clock): Pick<EncryptionObserver, 'arrived' | 'filledCache'> {
  const filled = registry.gauge(keyCacheRows.filled)
  const between = registry.histogram(keyCacheRows.between)
  const last = new Map<Direction, number>()
  return {
    arrived(direction) {
      const now = clock.monotonic()
      between.observe([direction], (now - (last.get(direction) ?? now)) / 1000)
      last.set(direction, now)
    },
    filledCache: (share) => filled.set([], share),
  }
}

type Plugins = Pick<EncryptionObserver, 'called' | 'refusedKey' | 'keptSeeds'>

function plugins(registry: MetricsRegistry): Plugins {
  const calls = registry.histogram(kmsRows.calls)
  const refused = registry.counter(kmsRows.refused)
  const kept = registry.gauge(kmsRows.kept)
  return {
    called: (provider, method, code, milliseconds) => calls.observe([provider, method, code], milliseconds / 1000),
    refusedKey: (provider, why) => refused.add([provider, why]),
    keptSeeds: (provider, count) => kept.set([provider], count),
  }
}

type Use = LabelValues<typeof kmsRows.uses.labels>
type Report = LabelValues<typeof kmsRows.lastReport.labels>

/** Key ids and the server's identity are hashed in labels. */
function keys(registry: MetricsRegistry, clock: Clock, server: string): Pick<EncryptionObserver, 'usedKey' | 'reportedKey'> {
  const total = registry.counter(kmsRows.uses)
  const lastUse = registry.gauge(kmsRows.lastUse)
  const lastReport = registry.gauge(kmsRows.lastReport)
  const identity = hashOf(server)
  const used = new Recent<Use>(
    maxKeys,
    (gone) =>
      void gone.then((values) => {
        total.remove(values)
        lastUse.remove(values)
      }),
  )
  const reported = new Recent<Report>(maxKeys, (gone) => void gone.then((values) => lastReport.remove(values)))
  const seconds = () => clock.now() / 1000
  return {
    usedKey(direction, provider, keyId) {
      const now = seconds()
      const known = used.get(
        JSON.stringify([direction, provider, keyId]),
        async (): Promise<Use> => [direction, provider, await hashOf(keyId), await identity],
      )
      void known.then((values) => {
        total.add(values)
        lastUse.set(values, now)
      })
    },
    reportedKey(provider, keyId) {
      const now = seconds()
      const known = reported.get(
        JSON.stringify([provider, keyId]),
        async (): Promise<Report> => [provider, await hashOf(keyId), await identity],
      )
      void known.then((values) => lastReport.set(values, now))
    },
  }
}

/** `server` is this server's identity; empty: none. */
export function createEncryptionMetrics(registry: MetricsRegistry, clock: Clock, server = ''): EncryptionObserver & ReloadReports {
  return {
    ...transformations(registry),
    ...versionOne(registry, clock),
    ...plugins(registry),
    ...keys(registry, clock, server),
    ...reloadReports(registry.record(encryptionFileRows), clock, server),
  }
}
