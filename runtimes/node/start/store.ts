/** The stores that flags select: embedded and durable, embedded in memory, or clusters of servers. */
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import { serversOverrides } from '../../../core/flags/store-overrides.ts'
import type { Clock, KeyValueStore, Logger, OpenStores, StoreOverride } from '../../../core/ports.ts'
import { openDurableStore } from '../../stores/durable.ts'
import { memoryStore } from '../../stores/memory.ts'
import type { Dial } from '../../wire/client/socket.ts'
import { readFlagFile } from './flag-file.ts'

export const inMemory = ':memory:'

/** Opens the main store, and one for each set of servers in `--kvstore-servers-overrides`. `dial`: connects to servers; default: directly. */
export async function openStores(flags: ParsedFlags, clock: Clock, logger: Logger, dial?: Dial): Promise<OpenStores> {
  const opened: KeyValueStore[] = []
  const keep = (store: KeyValueStore) => {
    opened.push(store)
    return store
  }
  try {
    const servers = flags.get('kvstore-servers')
    const store = keep(await (servers.length > 0 ? openServers(servers, flags, clock, logger, dial) : openEmbedded(flags, clock, logger)))
    const overrides: StoreOverride[] = []
    for (const { servers, resources } of serversOverrides(flags.get('kvstore-servers-overrides')))
      overrides.push({ store: keep(await openServers(servers, flags, clock, logger, dial)), resources })
    return { store, overrides }
  } catch (error) {
    for (const store of opened) await store.close()
    throw error
  }
}

async function openServers(
  servers: readonly string[],
  flags: ParsedFlags,
  clock: Clock,
  logger: Logger,
  dial: Dial | undefined,
): Promise<KeyValueStore> {
  // Loaded on first use: etcd's protocol definitions take several tenths of a second.
  const { openEtcdStore } = await import('../../stores/etcd.ts')
  return openEtcdStore({
    servers,
    ca: readFlagFile(flags, 'kvstore-cafile'),
    cert: readFlagFile(flags, 'kvstore-certfile'),
    key: readFlagFile(flags, 'kvstore-keyfile'),
    clock,
    logger,
    dial,
    timeouts: { start: flags.get('storage-initialization-timeout') },
  })
}

async function openEmbedded(flags: ParsedFlags, clock: Clock, logger: Logger): Promise<KeyValueStore> {
  const directory = flags.get('data-dir')
  if (directory === inMemory) return memoryStore({ clock })
  const ownerTimeout = flags.get('storage-initialization-timeout')
  return openDurableStore({ directory, ownerTimeout, clock, logger, recover: flags.get('data-dir-recover') ?? '' })
}
