/** Metrics that say what was built and how it is configured. */
import { type FeatureGates, gatesOf } from '../../config/feature-gates.ts'
import type { VersionInfo } from '../../config/version.ts'
import { gauge, type Metrics } from '../../metrics.ts'
import type { Platform } from '../../platform.ts'
import { emulatedRelease, versionFields } from '../version.ts'

/** `GitVersion` as `git_version`. */
const labelOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Fields of `/version` that are labels. */
const buildFields = versionFields.filter((field) => !field.startsWith('emulation') && !field.startsWith('minCompatibility'))

const buildLabels = buildFields.map(labelOf)

/** What was built and how it is configured. `product`: the platform's word. */
export const buildRows = (product: string) => ({
  build: gauge(`${product}_build_info`, 'Build information in labels; always 1.', { stability: 'BETA', labels: buildLabels }),
  features: gauge(`${product}_feature_enabled`, 'Feature gates: 1, or 0 when it is off.', { stability: 'BETA', labels: ['name', 'stage'] }),
  versions: gauge('version_info', 'Release of the program, release that it emulates, and oldest compatible release; always 1.', {
    labels: ['binary', 'component', 'emulation', 'min_compat'],
  }),
})

const stages = { alpha: 'ALPHA', beta: 'BETA', ga: '', deprecated: 'DEPRECATED' } as const

export interface BuildMetricsOptions {
  readonly platform: Platform
  readonly version: VersionInfo
  readonly gates: Pick<FeatureGates, 'enabled'>
}

export function collectBuild(metrics: Metrics, { platform, version, gates }: BuildMetricsOptions): void {
  const { features, build, versions } = buildRows(platform.product)
  const emulated = emulatedRelease(version)
  metrics.collect(build, () => [[buildFields.map((field) => version[field] ?? ''), 1]])
  metrics.collect(versions, () => {
    const { minCompatibilityMajor = version.major, minCompatibilityMinor = version.minor } = version
    const oldest = `${minCompatibilityMajor}.${minCompatibilityMinor}`
    return [[[version.gitVersion.replace(/^v/, ''), platform.component, emulated, oldest], 1]]
  })
  metrics.collect(features, () =>
    gatesOf(emulated).map(({ name, stage }) => [[name, stages[stage]] as const, gates.enabled(name) ? 1 : 0] as const),
  )
}
