/** Which APIs and features a server has. */
import { type FeatureGates, parseFeatureGates } from '../config/feature-gates.ts'
import type { Handler } from '../filters/filter.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import { option } from './option.ts'
import { bool, callable, methods, simple } from './types.ts'

export const apiOptions = {
  serves: option<(definition: ResourceDefinition) => boolean>(callable, {
    default: ({ servedByDefault }) => servedByDefault,
    description: 'Selects the built-in resources to serve. Default: those that are served without --runtime-config.',
  }),
  delegates: option<ReadonlyMap<string, Handler>>(
    simple('a Map', (value) => value instanceof Map),
    {
      make: () => new Map<string, Handler>(),
      description:
        'Handlers of group versions that other servers serve (aggregation), by GROUP/VERSION. They run after all filters; entries may be added and removed at any time.',
    },
  ),
  gates: option<Pick<FeatureGates, 'enabled'>>(methods('enabled'), {
    make: (platform) => parseFeatureGates([], platform),
    description: 'Feature gates. Default: their defaults in this release.',
  }),
  watchList: option(bool, { default: true, description: 'Accept sendInitialEvents in watches (feature gate WatchList).' }),
}
