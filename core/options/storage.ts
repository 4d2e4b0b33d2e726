/** What is stored how. */

import type { EncryptionOptions } from '../encryption/configured.ts'
import { createPlatform } from '../platform.ts'
import { option } from './option.ts'
import { bool, groupResources, limited, milliseconds, oneOf, seconds, shape, text, within } from './types.ts'

const prefixProblem = (prefix: string) =>
  /^(\/[^/]+)*$/.test(prefix) ? undefined : 'must be segments that start with a slash, such as /registry'

/** Any platform's protobuf types are accepted. */
const mediaTypes = ['application/json', 'application/yaml', ...createPlatform().protobufTypes]

export const storageOptions = {
  prefix: option(limited(text, prefixProblem), { default: '/registry', description: 'Prefix of all keys in the store.' }),
  storageMediaType: option<string>(oneOf(mediaTypes), {
    default: 'application/json',
    description: 'Media type of stored objects: application/json, application/yaml or the protobuf type. Custom resources are always JSON.',
  }),
  encryption: option<EncryptionOptions>(shape({ file: text, automaticReload: bool }, ['file', 'automaticReload']), {
    description: 'Encryption at rest. Absent: none.',
  }),
  watchCache: option(bool, { default: true, description: 'Serve reads and watches from a cache in memory.' }),
  uncached: option(groupResources, { default: [], description: 'Built-in resources served without a watch cache.' }),
  eventTtl: option(seconds(), { default: 3600, description: 'Time to keep events.' }),
  leaseReuse: option(within({ min: 1 }), {
    default: 60,
    description: 'Seconds during which new objects share one lease of the store. Small values can slow the store down.',
  }),
  storageInitializationTimeout: option(milliseconds(), {
    default: 0,
    description: 'Maximum time to wait for the store at startup.',
  }),
  storeHealthTimeout: option(milliseconds(), { default: 2_000, description: "Timeout of the store's health check." }),
  storeReadyTimeout: option(milliseconds(), { default: 2_000, description: "Timeout of the store's readiness check." }),
  compactionInterval: option(milliseconds(), { default: 300_000, description: 'Interval of compaction requests. 0: no compaction.' }),
  countInterval: option(milliseconds(), { default: 0, description: 'Interval of the metric that counts stored objects. 0: off.' }),
  sizeInterval: option(milliseconds(), { default: 0, description: 'Interval of the metric for the database size. 0: off.' }),
}
