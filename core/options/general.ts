/** What a server is called, and how it is observed. */

import type { VersionInfo } from '../config/version.ts'
import { versionInfo } from '../config/version.ts'
import { createMetrics, type MetricsRegistry } from '../meta/metrics/registry.ts'
import type { Platform } from '../platform.ts'
import { option } from './option.ts'
import { bool, callable, having, methods, object, text } from './types.ts'

export const generalOptions = {
  platform: option<Platform>(having({ name: callable, domain: text, namespaces: object }), {
    make: (platform) => platform,
    description: 'Product names and domain of API groups.',
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
  metrics: option<MetricsRegistry>(methods('record', 'collect', 'distribute', 'read', 'text'), {
    make: () => createMetrics(),
    description: 'Registry of metrics. Default: a new one.',
  }),
}
