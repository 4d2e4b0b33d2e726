import { counter, gauge, type Stability } from '../metric-row.ts'

/** Metrics of a configuration file that is reloaded. */
function reloadRows(subject: string, stability: Stability) {
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

export type ReloadRows = ReturnType<typeof reloadRows>

export const authenticationFileRows = reloadRows('authentication', 'BETA')
export const authorizationFileRows = reloadRows('authorization', 'BETA')
export const encryptionFileRows = reloadRows('encryption', 'ALPHA')
