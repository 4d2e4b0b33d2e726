import { rowsOfReloads } from '../../config/reload-metrics.ts'

/** Folders with admission manifests, by plugin. */
export const manifestRows = rowsOfReloads(
  'apiserver_manifest_admission_config_controller',
  {
    reloads: 'Changes of admission manifests that were read, by plugin.',
    last: 'When admission manifests were last read, in seconds since the epoch.',
    info: 'Hash of the admission manifests in use, by plugin.',
  },
  'ALPHA',
  ['plugin'],
)
