/** Finds stored data that was encrypted with a configuration which this server does not have. */

import { qualified } from '../answers/status.ts'
import { isEncrypted, readsEncrypted } from '../encryption/encrypted-value.ts'
import type { HealthCheck } from '../meta/health.ts'
import type { ResourceTable } from '../objects/registry/served.ts'
import type { Stores } from '../objects/storage/stores.ts'
import { type KeyValue, type Logger, StoreError } from '../ports.ts'

/** Whether a value can only be read with a configuration that is missing. Other reasons, such as a plugin that is down, have their own checks. */
function lacksProvider(kv: KeyValue): boolean {
  try {
    return isEncrypted(kv.value)
  } catch (error) {
    return error instanceof StoreError && error.message === readsEncrypted
  }
}

const message = 'stored data is encrypted, and --encryption-provider-config has no provider for it'

export interface EncryptedData {
  /** Reads one object of each resource, once; the log says which ones are encrypted, and no provider can decrypt them. */
  search(): Promise<void>
  /** Fails when `search` found one. Begins to search when nothing has. */
  readonly check: HealthCheck
}

export interface EncryptedDataOptions {
  readonly table: ResourceTable
  readonly stores: Stores
  /** Of all keys. */
  readonly prefix: string
  readonly logger: Logger
}

export function encryptedData({ table, stores, prefix, logger }: EncryptedDataOptions): EncryptedData {
  async function areEmpty(): Promise<boolean> {
    const lists = await Promise.all(stores.all.map((store) => store.list({ prefix: `${prefix}/`, limit: 1 })))
    return lists.every(({ items }) => items.length === 0)
  }
  async function read(): Promise<readonly string[]> {
    // A new cluster: one read in place of one for each resource.
    if (await areEmpty()) return []
    const found = await Promise.all(
      table.all().map(async (resource) => {
        const { items } = await resource.sample(1)
        return items.some(lacksProvider) ? [qualified(resource.groupResource)] : []
      }),
    )
    const resources = [...new Set(found.flat())].sort()
    if (resources.length > 0) logger.error({ resources }, message)
    return resources
  }
  let searching: ReturnType<typeof read> | undefined
  const searched = () => {
    searching ??= read().catch((error: unknown) => {
      // Tried again.
      searching = undefined
      throw error
    })
    return searching
  }
  return {
    search: async () => void (await searched()),
    check: {
      name: 'encrypted-data',
      async check() {
        const resources = await searched()
        if (resources.length > 0) throw new Error(`${message}: ${resources.join(', ')}`)
      },
    },
  }
}
