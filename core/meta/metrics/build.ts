/** Metrics that say what was built and how it is configured. */
import { type FeatureGates, gatesOf } from '../../config/feature-gates.ts'
import type { VersionInfo } from '../../config/version.ts'
import type { Platform } from '../../platform.ts'
import { emulatedRelease } from '../version.ts'
import type { MetricsRegistry } from './registry.ts'
import { buildFields, buildRows } from './rows/build.ts'

const stages = { alpha: 'ALPHA', beta: 'BETA', ga: '', deprecated: 'DEPRECATED' } as const

export interface BuildMetricsOptions {
  readonly platform: Platform
  readonly version: VersionInfo
  readonly gates: Pick<FeatureGates, 'enabled'>
}

export function collectBuild(registry: MetricsRegistry, { platform, version, gates }: BuildMetricsOptions): void {
  const rows = buildRows(platform.product)
  const emulated = emulatedRelease(version)
  const { minCompatibilityMajor = version.major, minCompatibilityMinor = version.minor } = version
  registry.info(rows.build)(buildFields.map((field) => version[field] ?? ''))
  registry.info(rows.versions)([
    version.gitVersion.replace(/^v/, ''),
    platform.component,
    emulated,
    `${minCompatibilityMajor}.${minCompatibilityMinor}`,
  ])
  registry.collect(rows.features, () =>
    gatesOf(emulated).map(({ name, stage }) => [[name, stages[stage]] as const, gates.enabled(name) ? 1 : 0] as const),
  )
}
