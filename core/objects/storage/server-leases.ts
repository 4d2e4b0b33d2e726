/** Servers that are alive, as keys that expire unless they are renewed (pkg/controlplane/reconcilers/lease.go). */
import { type KeyValueStore, StoreError } from '../../ports.ts'
import type { ApiObject, ResourceDefinition } from '../../resources/definition.ts'
import { apiVersionOf } from '../../resources/definition.ts'
import { createObjectStore } from './object-store.ts'

export interface ServerLeases {
  /** The objects of all servers, in the order of their keys. Unreadable values are left out. */
  list(): Promise<readonly ApiObject[]>
  /** The object of one server, now; undefined: it is not alive. */
  get(name: string): Promise<ApiObject | undefined>
  /** Writes an object with this content under the server's name; its time-to-live starts again. Rejects with a StoreError. */
  renew(name: string, content: object): Promise<void>
  /** Resolves to false when the key does not exist. */
  remove(name: string): Promise<boolean>
}

export interface ServerLeasesOptions {
  readonly store: KeyValueStore
  /** Kind of the objects. */
  readonly definition: ResourceDefinition
  /** Prefix of all keys in the store. */
  readonly prefix: string
  /** Folder of the keys below the prefix, such as `masterleases`. */
  readonly folder: string
  /** Media type of stored values. */
  readonly mediaType: string
  /** Time-to-live in seconds. */
  readonly seconds: number
}

/** Maximum number of writes when others change the same key: two servers with one name. */
const maxTries = 5

export function createServerLeases({ store, definition, prefix, folder, mediaType, seconds }: ServerLeasesOptions): ServerLeases {
  const objects = createObjectStore(store, { ...definition, storageKey: folder, namespaced: false }, prefix, { mediaType })
  const { keys } = objects

  /** Writes with the current revision of the key (0: it does not exist) until a write succeeds; false: `write` returned undefined. */
  async function swap(name: string, write: (key: string, revision: number) => Promise<{ readonly ok: boolean }> | undefined) {
    const key = keys.of('', name)
    for (let tries = 0; tries < maxTries; tries++) {
      const { kv } = await store.get(key)
      const written = write(key, kv?.modRevision ?? 0)
      if (written === undefined) return false
      if ((await written).ok) return true
    }
    throw new StoreError('unavailable', `${key} is changed by others all the time`)
  }

  return {
    async list() {
      const { entries } = await objects.list({ namespace: '', unreadable: () => {} })
      return entries.map((entry) => entry.copy())
    },
    get: async (name) => (await objects.get(keys.of('', name)))?.copy(),
    async renew(name, content) {
      const lease = await store.grantLease(seconds)
      const object: ApiObject = { kind: definition.kind, apiVersion: apiVersionOf(definition), metadata: {}, ...content }
      const printed = objects.print(objects.canonical(object))
      await swap(name, (key, revision) => objects.put(key, printed, revision, lease))
    },
    remove: (name) => swap(name, (key, revision) => (revision === 0 ? undefined : objects.delete(key, revision))),
  }
}
