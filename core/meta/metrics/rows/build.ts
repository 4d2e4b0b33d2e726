import { versionFields } from '../../version.ts'
import { gauge } from '../metric-row.ts'

/** `GitVersion` as `git_version`. */
const labelOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Fields of `/version` that are labels. */
export const buildFields = versionFields.filter((field) => !field.startsWith('emulation') && !field.startsWith('minCompatibility'))

/** What was built and how it is configured. `product`: the platform's word. */
export const buildRows = (product: string) => ({
  build: gauge(`${product}_build_info`, {
    stability: 'BETA',
    help: 'Build information in labels; always 1.',
    labels: buildFields.map(labelOf),
  }),
  features: gauge(`${product}_feature_enabled`, {
    stability: 'BETA',
    help: 'Feature gates: 1, or 0 when it is off.',
    labels: ['name', 'stage'],
  }),
  versions: gauge('version_info', {
    help: 'Release of the program, release that it emulates, and oldest compatible release; always 1.',
    labels: ['binary', 'component', 'emulation', 'min_compat'],
  }),
})
