import type { FileObserver } from '../../follow-file.ts'
import type { Clock } from '../../ports.ts'
import { hashOf } from '../../schema/digest.ts'
import type { MetricsRegistry } from './registry.ts'
import type { ReloadRows } from './rows/configuration.ts'

/** Metrics of a followed configuration file. `server` is this server's identity; empty: none. */
export function createReloadMetrics(registry: MetricsRegistry, clock: Clock, rows: ReloadRows, server = ''): FileObserver {
  const total = registry.counter(rows.reloads)
  const last = registry.gauge(rows.last)
  const info = registry.info(rows.info)
  const identity = hashOf(server)
  const using = (text: string) => void Promise.all([identity, hashOf(text)]).then(info)
  return {
    reloaded(text) {
      const status = text === undefined ? 'failure' : 'success'
      const at = clock.now() / 1000
      void identity.then((hash) => {
        total.add([status, hash])
        last.set([status, hash], at)
      })
      if (text !== undefined) using(text)
    },
    using,
  }
}
