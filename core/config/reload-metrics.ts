/** Metrics of configuration files that are loaded again when they change. */
import { once } from '../common/once.ts'
import { counter, gauge, type Recorded, type Stability } from '../metrics.ts'
import type { Clock } from '../ports.ts'
import { hashOf } from '../schema/formats/digest.ts'

/** `subject`: what the file configures, such as `authorization`. */
export function reloadRows(subject: string, stability: Stability) {
  const prefix = `apiserver_${subject}_config_controller`
  const labels = ['status', 'apiserver_id_hash'] as const
  return {
    reloads: counter(`${prefix}_automatic_reloads_total`, {
      stability,
      help: `Changes of the ${subject} configuration that were read.`,
      labels,
    }),
    last: gauge(`${prefix}_automatic_reload_last_timestamp_seconds`, {
      stability,
      help: `When the ${subject} configuration was last read again, in seconds since the epoch.`,
      labels,
    }),
    info: gauge(`${prefix}_last_config_info`, {
      help: `Hash of the ${subject} configuration in use.`,
      labels: ['apiserver_id_hash', 'hash'],
    }),
  }
}

export interface ReloadReports {
  /** The file was reloaded; `text` is set if the new content is in use. */
  reloaded(text: string | undefined): void
  /** The content now in use. */
  using(text: string): void
}

/** `server` is this server's identity; empty: none. */
export function reloadReports(metrics: Recorded<ReturnType<typeof reloadRows>>, clock: Clock, server: string): ReloadReports {
  const identity = once(() => hashOf(server))
  let known: readonly [server: string, hash: string] | undefined
  const using = (text: string) =>
    void Promise.all([identity(), hashOf(text)]).then((hashes) => {
      if (known) metrics.info.remove(known)
      metrics.info.set(hashes, 1)
      known = hashes
    })
  return {
    reloaded(text) {
      const status = text === undefined ? 'failure' : 'success'
      const at = clock.now() / 1000
      void identity().then((hash) => {
        metrics.reloads.add([status, hash])
        metrics.last.set([status, hash], at)
      })
      if (text !== undefined) using(text)
    },
    using,
  }
}
