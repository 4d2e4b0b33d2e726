/** Which APIs and features a server has. */
import { type ApiSettings, gatesOf, servedOf } from '../config/apis.ts'
import type { Handler } from '../filters/filter.ts'
import type { PathHandler } from '../filters/path-handlers.ts'
import type { Platform } from '../platform.ts'
import type { Release } from '../release.ts'
import { DecodeError } from '../schema/decode-error.ts'
import { type Complete, type Conflict, option } from './option.ts'
import { bool, callable, having, list, record, simple, text } from './types.ts'

export const apiOptions = {
  featureGates: option<ApiSettings['featureGates']>(record(bool), {
    default: {},
    description: 'Feature gates that differ from their defaults: `{ WatchList: false }`.',
  }),
  runtimeConfig: option<ApiSettings['featureGates']>(record(bool), {
    default: {},
    description: "APIs to enable or disable: `{ 'batch/v1': false, 'api/beta': true }`.",
  }),
  emulationForwardCompatible: option(bool, {
    default: false,
    description: 'Also serve later, more stable versions of enabled APIs, when an earlier release is emulated.',
  }),
  runtimeConfigEmulationForwardCompatible: option(bool, {
    default: false,
    description: 'Allow runtimeConfig to enable versions introduced after the emulated release.',
  }),
  delegates: option<ReadonlyMap<string, Handler>>(
    simple('a Map', (value) => value instanceof Map),
    {
      make: () => new Map<string, Handler>(),
      description:
        'Handlers of group versions that other servers serve (aggregation), by GROUP/VERSION. They run after all filters; entries may be added and removed at any time.',
    },
  ),
  pathHandlers: option<readonly PathHandler[]>(list(having({ prefix: text, answer: callable })), {
    default: [],
    description:
      'Handlers of non-resource paths, such as /branches and all below it. They get requests after authentication, without the credentials, and authorize them themselves.',
  }),
  watchList: option(bool, { description: 'Accept sendInitialEvents in watches. Default: as the feature gate WatchList.' }),
}

/** Gates and APIs that the release does not have. */
export const apiConflicts = (options: Complete<typeof apiOptions>, platform: Platform, emulated: Release): readonly Conflict[] =>
  (
    [
      ['featureGates', gatesOf],
      ['runtimeConfig', servedOf],
    ] as const
  ).flatMap(([at, read]) => {
    try {
      read(options, platform, emulated)
      return []
    } catch (error) {
      if (error instanceof DecodeError) return [{ at, message: error.message }]
      throw error
    }
  })
