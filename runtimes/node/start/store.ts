/** The stores that flags select: embedded and durable, embedded in memory, or clusters of servers. */
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import { serversOverrides } from '../../../core/flags/store-overrides.ts'
import type { Clock, KeyValueStore, Logger, OpenStores, StoreOverride } from '../../../core/ports.ts'
import { openDurableStore } from '../../stores/durable.ts'
import { memoryStore } from '../../stores/memory.ts'
import type { Dial } from '../../wire/client/socket.ts'
import { readFlagFile } from './flag-file.ts'
import { inMemory } from './in-memory.ts'

/** What the flags say about stores, as plain data. Throws a FlagError when a file can't be read. */
export const storeOptions = (flags: ParsedFlags) => ({
  /** Addresses of the main store's servers; empty: it is embedded. */
  servers: flags.get('kvstore-servers'),
  overrides: serversOverrides(flags.get('kvstore-servers-overrides')),
  tls: {
    ca: readFlagFile(flags, 'kvstore-cafile'),
    cert: readFlagFile(flags, 'kvstore-certfile'),
    key: readFlagFile(flags, 'kvstore-keyfile'),
  },
  /** Of the embedded store, or `inMemory`. */
  directory: flags.get('data-dir'),
  recover: flags.get('data-dir-recover') ?? '',
  /** Milliseconds to wait for a store that can't be reached, or that another process owns. */
  startTimeout: flags.get('storage-initialization-timeout'),
  /** Workers refer to the values. */
  sharedMemory: flags.get('workers') !== 1,
})

type StoreOptions = ReturnType<typeof storeOptions>

/** Opens the main store, and one for each set of servers in `overrides`. `dial`: connects to servers; default: directly. */
export async function openStores(options: StoreOptions, clock: Clock, logger: Logger, dial?: Dial): Promise<OpenStores> {
  const { servers, overrides, tls, directory, recover, startTimeout, sharedMemory } = options
  const opened: KeyValueStore[] = []
  const keep = (store: KeyValueStore) => {
    opened.push(store)
    return store
  }
  const openServers = async (each: readonly string[]): Promise<KeyValueStore> => {
    // Loaded on first use: etcd's protocol definitions take several tenths of a second.
    const { openEtcdStore } = await import('../../stores/etcd.ts')
    return keep(await openEtcdStore({ servers: each, ...tls, clock, logger, dial, timeouts: { start: startTimeout } }))
  }
  const openEmbedded = async () =>
    keep(
      directory === inMemory
        ? memoryStore({ clock })
        : await openDurableStore({ directory, ownerTimeout: startTimeout, clock, logger, recover, sharedMemory }),
    )
  try {
    const store = await (servers.length > 0 ? openServers(servers) : openEmbedded())
    const others: StoreOverride[] = []
    for (const each of overrides) others.push({ store: await openServers(each.servers), resources: each.resources })
    return { store, overrides: others }
  } catch (error) {
    for (const store of opened) await store.close()
    throw error
  }
}
