/** Which APIs and features a server has, from plain data. */
import type { Platform } from '../platform.ts'
import type { Release } from '../release.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import { builtInResources } from '../resources/group-versions.ts'
import { type FeatureGates, parseFeatureGates } from './feature-gates.ts'
import { parseRuntimeConfig } from './runtime-config.ts'

type Switches = { readonly [name: string]: boolean }

export interface ApiSettings {
  readonly featureGates: Switches
  readonly runtimeConfig: Switches
  /** If a version is served, also serve its later and more stable versions. */
  readonly emulationForwardCompatible: boolean
  /** The runtime configuration may enable APIs introduced after the emulated release. */
  readonly runtimeConfigEmulationForwardCompatible: boolean
  /** Default: as the feature gate WatchList. */
  readonly watchList?: boolean
}

/** What the settings mean. */
export interface Apis {
  readonly gates: Pick<FeatureGates, 'enabled'>
  /** Whether a built-in resource is served. */
  serves(definition: ResourceDefinition): boolean
  /** Whether watches may request initial events. */
  readonly watchList: boolean
}

const texts = (switches: Switches) => Object.entries(switches).map(([name, on]) => [name, String(on)] as const)

/** @throws DecodeError: see parseFeatureGates. */
export const gatesOf = ({ featureGates }: ApiSettings, platform: Platform, emulated: Release): FeatureGates =>
  parseFeatureGates(
    texts(featureGates).map((pair) => pair.join('=')),
    platform,
    emulated,
  )

/** @throws DecodeError: see parseRuntimeConfig. */
export const servedOf = (settings: ApiSettings, platform: Platform, emulated: Release) =>
  parseRuntimeConfig(new Map(texts(settings.runtimeConfig)), builtInResources, {
    platform,
    emulated,
    laterVersions: settings.emulationForwardCompatible,
    laterEntries: settings.runtimeConfigEmulationForwardCompatible,
  })

/** @throws DecodeError for gates and APIs that the release does not have. */
export function apisOf(settings: ApiSettings, platform: Platform, emulated: Release): Apis {
  const gates = gatesOf(settings, platform, emulated)
  const { servesVersion: serves } = servedOf(settings, platform, emulated)
  return { gates, serves, watchList: settings.watchList ?? gates.enabled('WatchList') }
}
