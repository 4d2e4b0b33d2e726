import { once } from '../../common/once.ts'
import { counter, gauge, type Recorded } from '../../metrics.ts'
import type { Clock } from '../../ports.ts'
import { hashOf } from '../../schema/formats/digest.ts'

const prefix = 'apiserver_manifest_admission_config_controller'
const labels = ['status', 'plugin', 'apiserver_id_hash'] as const

/** Folders with admission manifests, by plugin. */
export const manifestRows = {
  reloads: counter(`${prefix}_automatic_reloads_total`, { help: 'Changes of admission manifests that were read, by plugin.', labels }),
  last: gauge(`${prefix}_automatic_reload_last_timestamp_seconds`, {
    help: 'When admission manifests were last read, in seconds since the epoch.',
    labels,
  }),
  info: gauge(`${prefix}_last_config_info`, {
    help: 'Hash of the admission manifests in use, by plugin.',
    labels: ['plugin', 'apiserver_id_hash', 'hash'],
  }),
}

export interface ManifestReports {
  /** `hash`: that of the files now in use. */
  loaded(plugin: string, hash: string): void
  failed(plugin: string): void
}

/** `server`: this server's identity; empty: none. */
export function manifestReports(metrics: Recorded<typeof manifestRows>, clock: Clock, server: string): ManifestReports {
  const inUse = new Map<string, readonly [plugin: string, server: string, hash: string]>()
  const identity = once(() => hashOf(server))
  const ended = (plugin: string, status: 'success' | 'failure', hash?: string) => {
    const at = clock.now() / 1000
    void identity().then((own) => {
      metrics.reloads.add([status, plugin, own])
      metrics.last.set([status, plugin, own], at)
      if (hash === undefined) return
      const before = inUse.get(plugin)
      if (before) metrics.info.remove(before)
      const now = [plugin, own, hash] as const
      inUse.set(plugin, now)
      metrics.info.set(now, 1)
    })
  }
  return { loaded: (plugin, hash) => ended(plugin, 'success', hash), failed: (plugin) => ended(plugin, 'failure') }
}
