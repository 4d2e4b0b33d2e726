import { DecodeError } from '../../schema/decode-error.ts'
import { bool, choice, custom, duration, int, string, strings } from '../flag-types.ts'
import { overrideProblem, serverProblem } from '../store-overrides.ts'
import { watchCacheSizeProblem } from '../watch-cache-sizes.ts'

export const persistenceFlags = {
  'data-dir': string({
    default: '/var/lib/apiserver',
    implemented: true,
    help: 'Directory of the embedded store, used when --kvstore-servers is not set. :memory: keeps data in memory only.',
  }),
  'data-dir-recover': string({
    implemented: true,
    help: 'FILE:OFFSET of the damage in the store, as printed when the server refused to start. The server then starts with all records that verify, and logs what is lost.',
  }),
  'storage-backend': choice({
    implemented: true,
    oneOf: ['kvstore3'],
    default: 'kvstore3',
    help: 'Storage backend; only kvstore3 is supported.',
  }),
  'storage-media-type': custom(
    {
      label: 'string',
      read: (text, { protobufType, protobufTypes }) => {
        const allowed = ['application/json', 'application/yaml', protobufType]
        if (protobufTypes.includes(text)) return protobufType
        if (!allowed.includes(text)) throw new DecodeError(`must be one of ${allowed.join(', ')}`)
        return text
      },
      show: (value: string) => value,
    },
    {
      default: ({ platform }) => platform.protobufType,
      implemented: true,
      help: 'Media type of stored objects: application/json, application/yaml or the protobuf type. Custom resources are always JSON.',
    },
  ),
  'storage-initialization-timeout': duration({
    default: 60_000,
    implemented: true,
    help: 'Maximum time to wait for the store at startup.',
  }),
  'kvstore-servers': strings({ checkItem: serverProblem, implemented: true, help: 'Servers of the store, each scheme://host:port.' }),
  'kvstore-servers-overrides': strings({
    checkItem: overrideProblem,
    implemented: true,
    help: 'Separate servers for selected built-in resources, each group/resource#url;url.',
  }),
  'kvstore-cafile': string({ path: 'file', implemented: true, help: "CA bundle for the store's serving certificates." }),
  'kvstore-certfile': string({ path: 'file', implemented: true, help: 'Client certificate for connections to the store.' }),
  'kvstore-keyfile': string({ path: 'file', implemented: true, help: 'Key of --kvstore-certfile.' }),
  'kvstore-prefix': string({ default: '/registry', implemented: true, help: 'Prefix of all keys in the store.' }),
  'kvstore-compaction-interval': duration({
    default: 300_000,
    implemented: true,
    help: 'Interval of compaction requests. 0: no compaction.',
  }),
  'kvstore-count-metric-poll-period': duration({
    default: 60_000,
    implemented: true,
    help: 'Interval of the metric that counts stored objects. 0: off.',
  }),
  'kvstore-db-metric-poll-interval': duration({
    default: 30_000,
    implemented: true,
    help: 'Interval of the metric for the database size. 0: off.',
  }),
  'kvstore-healthcheck-timeout': duration({ default: 2_000, implemented: true, help: "Timeout of the store's health check." }),
  'kvstore-readycheck-timeout': duration({ default: 2_000, implemented: true, help: "Timeout of the store's readiness check." }),
  'encryption-provider-config': string({
    path: 'file',
    implemented: true,
    help: 'Path of the EncryptionConfiguration file: which resources are encrypted at rest, and with which providers.',
  }),
  'encryption-provider-config-automatic-reload': bool({
    implemented: true,
    help: 'Reload --encryption-provider-config when the file changes. All key-management plugins then share one health check.',
  }),
  'lease-reuse-duration-seconds': int({
    default: 60,
    min: 1,
    implemented: true,
    help: 'Seconds during which new objects share one lease of the store. Small values can slow the store down.',
  }),
  'watch-cache': bool({ default: true, implemented: true, help: 'Serve reads and watches from a cache in memory.' }),
  'watch-cache-sizes': strings({
    checkItem: watchCacheSizeProblem,
    implemented: true,
    help: 'Watch cache sizes, as resource[.group]#size. Size 0 disables the cache of that resource; other sizes are ignored, because caches size themselves.',
  }),
  'enable-garbage-collector': bool({
    default: true,
    implemented: true,
    help: "Enable garbage collection by owner references. Must equal the controller manager's setting.",
  }),
  'delete-collection-workers': int({
    default: 1,
    implemented: true,
    help: 'Maximum number of concurrent deletions within one deletecollection request.',
  }),
}
