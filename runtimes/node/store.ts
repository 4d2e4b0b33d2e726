/** The store that flags select: embedded and durable, embedded in memory, or a cluster of servers. */
import type { ParsedFlags } from '../../core/config/parse.ts'
import type { Clock, KeyValueStore, Logger } from '../../core/ports.ts'
import { openDurableStore } from '../stores/durable.ts'
import { memoryStore } from '../stores/memory.ts'
import { readFlagFile } from './flag-file.ts'

export const inMemory = ':memory:'

export async function openStore(flags: ParsedFlags, clock: Clock, logger: Logger): Promise<KeyValueStore> {
  const servers = flags.get('kvstore-servers')
  if (servers.length > 0) {
    // Loaded when it is needed: reading the protocol of such servers takes a good part of a second.
    const { openEtcdStore } = await import('../stores/etcd.ts')
    return openEtcdStore({
      servers,
      ca: readFlagFile(flags, 'kvstore-cafile'),
      cert: readFlagFile(flags, 'kvstore-certfile'),
      key: readFlagFile(flags, 'kvstore-keyfile'),
      clock,
      logger,
      timeouts: { start: flags.get('storage-initialization-timeout') },
    })
  }
  const directory = flags.get('data-dir')
  if (directory === inMemory) return memoryStore({ clock })
  return openDurableStore({ directory, clock, logger })
}
