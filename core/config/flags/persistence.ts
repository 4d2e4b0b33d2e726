import { DecodeError } from '../../schema/decode-error.ts'
import { bool, choice, custom, duration, int, string, strings } from '../flag-types.ts'
import { overrideProblem, serverProblem } from '../store-overrides.ts'
import { watchCacheSizeProblem } from '../watch-cache-sizes.ts'

export const persistenceFlags = {
  'data-dir': string({
    default: '/var/lib/apiserver',
    built: true,
    help: 'Directory of the embedded store, used when --kvstore-servers is not set. :memory: keeps nothing.',
  }),
  'data-dir-recover': string({
    built: true,
    help: 'Start although the embedded store is damaged at this FILE:OFFSET, as the refusal names it: what verifies is kept, what is lost is logged.',
  }),
  'storage-backend': choice({ built: true, oneOf: ['kvstore3'], default: 'kvstore3', help: 'Kind of store.' }),
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
      built: true,
      help: 'Media type of stored objects: application/json, application/yaml or the protobuf type. Custom resources are always JSON.',
    },
  ),
  'storage-initialization-timeout': duration({
    default: 60_000,
    built: true,
    help: 'How long to wait for the store before the server is declared ready.',
  }),
  'kvstore-servers': strings({ checkItem: serverProblem, built: true, help: 'Servers of the store, each scheme://host:port.' }),
  'kvstore-servers-overrides': strings({
    checkItem: overrideProblem,
    built: true,
    help: 'Other servers for some built-in resources, each group/resource#url;url.',
  }),
  'kvstore-cafile': string({ built: true, help: 'CA file that verifies the servers of the store.' }),
  'kvstore-certfile': string({ built: true, help: 'Client certificate for the store.' }),
  'kvstore-keyfile': string({ built: true, help: 'Key of --kvstore-certfile.' }),
  'kvstore-prefix': string({ default: '/registry', built: true, help: 'First part of every key in the store.' }),
  'kvstore-compaction-interval': duration({ default: 300_000, built: true, help: 'Time between compactions of the history; 0: never.' }),
  'kvstore-count-metric-poll-period': duration({
    default: 60_000,
    built: true,
    help: 'Time between counts of stored objects for the metric; 0: never.',
  }),
  'kvstore-db-metric-poll-interval': duration({
    default: 30_000,
    built: true,
    help: 'Time between reads of the database size for the metric; 0: never.',
  }),
  'kvstore-healthcheck-timeout': duration({ default: 2_000, built: true, help: "Time-out of the store's health check." }),
  'kvstore-readycheck-timeout': duration({ default: 2_000, built: true, help: "Time-out of the store's readiness check." }),
  'encryption-provider-config': string({
    built: true,
    help: 'File of kind EncryptionConfiguration: what is encrypted in the store, and how.',
  }),
  'encryption-provider-config-automatic-reload': bool({
    built: true,
    help: 'Read that file again when it changes. Key-management plugins then share one health check.',
  }),
  'lease-reuse-duration-seconds': int({
    default: 60,
    min: 1,
    built: true,
    help: 'Seconds for which a lease of the store is shared by new objects. Small values can slow the store down.',
  }),
  'watch-cache': bool({ default: true, built: true, help: 'Serve reads and watches from memory.' }),
  'watch-cache-sizes': strings({
    checkItem: watchCacheSizeProblem,
    built: true,
    help: 'Built-in resources as resource[.group]#size; size 0 turns their watch cache off, other sizes change nothing.',
  }),
  'enable-garbage-collector': bool({
    default: true,
    built: true,
    help: 'Collect garbage by owner references. Must be the same in the controller manager.',
  }),
  'delete-collection-workers': int({ default: 1, built: true, help: 'Deletions that one delete of a collection runs at once.' }),
}
