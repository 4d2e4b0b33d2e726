/** Metrics of configuration files that are loaded again when they change. */
import { once } from '../common/once.ts'
import { counter, gauge, type Recorded, type Stability } from '../metrics.ts'
import type { Clock } from '../ports.ts'
import { hashOf } from '../schema/formats/digest.ts'

/** Rows of these names and descriptions. `own`: labels that tell several configurations apart. */
export function rowsOfReloads(
  prefix: string,
  help: { readonly reloads: string; readonly last: string; readonly info: string },
  stability: Stability = 'ALPHA',
  own: readonly string[] = [],
) {
  const labels = ['status', ...own, 'apiserver_id_hash']
  return {
    reloads: counter(`${prefix}_automatic_reloads_total`, help.reloads, { stability, labels }),
    last: gauge(`${prefix}_automatic_reload_last_timestamp_seconds`, help.last, { stability, labels }),
    info: gauge(`${prefix}_last_config_info`, help.info, { labels: [...own, 'apiserver_id_hash', 'hash'] }),
  }
}

/** `subject`: what the file configures, such as `authorization`. */
export const reloadRows = (subject: string, stability: Stability) =>
  rowsOfReloads(
    `apiserver_${subject}_config_controller`,
    {
      reloads: `Changes of the ${subject} configuration that were read.`,
      last: `When the ${subject} configuration was last read again, in seconds since the epoch.`,
      info: `Hash of the ${subject} configuration in use.`,
    },
    stability,
  )

type ReloadMetrics = Recorded<ReturnType<typeof rowsOfReloads>>

export interface Reports<Content> {
  /** What was changed is loaded; undefined: it can't be used. */
  reloaded(content: Content | undefined): void
  /** The content now in use. */
  using(content: Content): void
}

/** Reports of the text of a file. */
export type ReloadReports = Reports<string>

/** Reports of content by its hash. `server`: this server's identity; empty: none. `own`: values of the rows' own labels. */
export function hashReports(
  metrics: ReloadMetrics,
  clock: Clock,
  server: string,
  ...own: readonly string[]
): Reports<string | Promise<string>> {
  const identity = once(() => hashOf(server))
  let known: readonly [...string[], string, string] | undefined
  const using = (hash: string | Promise<string>) =>
    void Promise.all([identity(), hash]).then((hashes) => {
      if (known) metrics.info.remove(known)
      known = [...own, ...hashes]
      metrics.info.set(known, 1)
    })
  return {
    reloaded(hash) {
      const status = hash === undefined ? 'failure' : 'success'
      const at = clock.now() / 1000
      void identity().then((id) => {
        metrics.reloads.add([status, ...own, id])
        metrics.last.set([status, ...own, id], at)
      })
      if (hash !== undefined) using(hash)
    },
    using,
  }
}

/** `server`: this server's identity; empty: none. */
export function reloadReports(metrics: ReloadMetrics, clock: Clock, server: string): ReloadReports {
  const { reloaded, using } = hashReports(metrics, clock, server)
  return { reloaded: (text) => reloaded(text === undefined ? undefined : hashOf(text)), using: (text) => using(hashOf(text)) }
}
