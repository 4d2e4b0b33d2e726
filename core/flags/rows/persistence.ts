import { serverProblem } from '../../config/bounds.ts'
import { storageOptions } from '../../options/storage.ts'
import { trafficOptions } from '../../options/traffic.ts'
import { DecodeError } from '../../schema/decode-error.ts'
import { bool, choice, custom, duration, int, string, strings } from '../flag-types.ts'
import { becomes, describedBy, sets } from '../option-flag.ts'
import { overrideProblem } from '../store-overrides.ts'
import { uncachedResources, watchCacheSizeProblem } from '../watch-cache-sizes.ts'

/** Cleans a prefix as the reference does: exactly one slash before each segment. */
const keyPrefix = (text: string) =>
  text
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .map((part) => `/${part}`)
    .join('')

export const persistenceFlags = {
  'data-dir': string({
    path: 'directory',
    default: '/var/lib/apiserver',
    help: 'Directory of the embedded store, used when --kvstore-servers is not set. :memory: keeps data in memory only.',
  }),
  'data-dir-recover': string({
    help: 'FILE:OFFSET of the damage in the store, as printed when the server refused to start. The server then starts with all records that verify, and logs what is lost.',
  }),
  'storage-backend': choice({
    oneOf: ['kvstore3'],
    default: 'kvstore3',
    help: 'Storage backend; only kvstore3 is supported.',
  }),
  'storage-media-type': custom(
    {
      label: 'string',
      read: (text, { protobufType, protobufTypes }) => {
        const allowed = ['application/json', 'application/yaml', protobufType]
        if (text === '') return 'application/json'
        if (protobufTypes.includes(text)) return protobufType
        if (!allowed.includes(text)) throw new DecodeError(`must be one of ${allowed.join(', ')}`)
        return text
      },
      show: (value: string) => value,
    },
    {
      ...describedBy(storageOptions.storageMediaType),
      default: ({ platform }) => platform.protobufType,
    },
  ),
  'storage-initialization-timeout': duration({ ...sets('storage', 'storageInitializationTimeout'), default: 60_000 }),
  'kvstore-servers': strings({ checkItem: serverProblem, help: 'Servers of the store, each scheme://host:port.' }),
  'kvstore-servers-overrides': strings({
    checkItem: overrideProblem,
    help: 'Separate servers for selected built-in resources, each group/resource#url;url.',
  }),
  'kvstore-cafile': string({ path: 'file', help: "CA bundle for the store's serving certificates." }),
  'kvstore-certfile': string({ path: 'file', help: 'Client certificate for connections to the store.' }),
  'kvstore-keyfile': string({ path: 'file', help: 'Key of --kvstore-certfile.' }),
  'kvstore-prefix': string({ ...describedBy(storageOptions.prefix), ...becomes('storage', 'prefix', keyPrefix) }),
  'kvstore-compaction-interval': duration(sets('storage', 'compactionInterval')),
  'kvstore-count-metric-poll-period': duration({ ...sets('storage', 'countInterval'), default: 60_000 }),
  'kvstore-db-metric-poll-interval': duration({ ...sets('storage', 'sizeInterval'), default: 30_000 }),
  'kvstore-healthcheck-timeout': duration(sets('storage', 'storeHealthTimeout')),
  'kvstore-readycheck-timeout': duration(sets('storage', 'storeReadyTimeout')),
  'encryption-provider-config': string({
    path: 'file',
    help: 'Path of the EncryptionConfiguration file: which resources are encrypted at rest, and with which providers.',
  }),
  'encryption-provider-config-automatic-reload': bool({
    help: 'Reload --encryption-provider-config when the file changes. All key-management plugins then share one health check.',
  }),
  'lease-reuse-duration-seconds': int(sets('storage', 'leaseReuse')),
  'watch-cache': bool(sets('storage', 'watchCache')),
  'watch-cache-sizes': strings({
    ...becomes('storage', 'uncached', uncachedResources),
    checkItem: watchCacheSizeProblem,
    help: 'Watch cache sizes, as resource[.group]#size. Size 0 disables the cache of that resource; other sizes are ignored, because caches size themselves.',
  }),
  'enable-garbage-collector': bool(sets('controllers', 'garbageCollection')),
  'delete-collection-workers': int({
    ...describedBy(trafficOptions.deleteCollectionWorkers),
    // Less than 1 counts as 1, as in the reference.
    ...becomes('traffic', 'deleteCollectionWorkers', (count: number) => Math.max(1, count)),
  }),
}
