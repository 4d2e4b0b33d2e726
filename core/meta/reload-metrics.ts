import type { Clock } from '../ports.ts'
import { hashOf } from '../schema/digest.ts'
import type { MetricsRegistry } from './metrics.ts'

/** Metrics of a watched configuration file. */
export interface ReloadMetrics {
  /** The file was reloaded; `text` is set if the new content is in use. */
  reloaded(text: string | undefined): void
  /** The content now in use. */
  using(text: string): void
}

/**
 * Reload metrics with the reference server's names. `subject` is a word such as `authentication`; `server` is this server's identity, empty:
 * none.
 */
export function createReloadMetrics(registry: MetricsRegistry, clock: Clock, subject: string, server = ''): ReloadMetrics {
  const prefix = `apiserver_${subject}_config_controller`
  const labels = ['status', 'apiserver_id_hash']
  const total = registry.counter(`${prefix}_automatic_reloads_total`, `Changes of the ${subject} configuration that were read.`, labels)
  const last = registry.gauge(
    `${prefix}_automatic_reload_last_timestamp_seconds`,
    `When the ${subject} configuration was last read again, in seconds since the epoch.`,
    labels,
  )
  const info = registry.info(`${prefix}_last_config_info`, `Hash of the ${subject} configuration in use.`, ['apiserver_id_hash', 'hash'])
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
