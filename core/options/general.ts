/** What a server is called, and how it is observed. */

import type { VersionInfo } from '../config/version.ts'
import { versionInfo } from '../config/version.ts'
import { createMetrics, type MetricsRegistry } from '../meta/metrics/registry.ts'
import { type Platform, type PlatformName, platformNames } from '../platform.ts'
import { option } from './option.ts'
import { bool, callable, having, methods, type OptionType, object, oneOf, text } from './types.ts'

const names = having({ name: callable, domain: text, namespaces: object })
const platformType: OptionType<Platform | PlatformName> = (value, platform) =>
  (typeof value === 'string' ? oneOf(platformNames) : names)(value, platform)

export const generalOptions = {
  platform: option<Platform | PlatformName>(platformType, {
    make: (platform) => platform,
    description:
      'Product names in namespaces, in the service of the API server and in media types, by name: platform (namespace platform-system) or the name of a product. Or an object, which also has the domain of API groups. Default platform.',
  }),
  version: option<VersionInfo>(having({ major: text, minor: text, gitVersion: text }), {
    make: () => versionInfo(),
    description: 'Versions that /version reports. Default: this release.',
  }),
  flags: option<Readonly<Record<string, string>>>(object, { description: 'Values of flags that /flagz shows. Absent: it is not served.' }),
  profiling: option(bool, { default: true, description: 'Serve profiles at /debug/pprof/.' }),
  contentionProfiling: option(bool, {
    default: false,
    description: 'Also take the profile block, of what holds the event loop, when profiles are served.',
  }),
  identity: option(text, { default: 'apiserver', description: 'Name of this replica in metrics.' }),
  hostname: option(text, {
    default: '',
    description: "Host name in the label of this replica's identity lease. Empty: it has no identity lease.",
  }),
  metrics: option<MetricsRegistry>(methods('record', 'collect', 'distribute', 'read', 'text', 'useNativeHistograms'), {
    make: () => createMetrics(),
    description: 'Registry of metrics. Default: a new one.',
  }),
}
