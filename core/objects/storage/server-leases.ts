/** Servers that are alive, as keys that expire unless they are renewed (pkg/controlplane/reconcilers/lease.go). */
import { type KeyValueStore, StoreError } from '../../ports.ts'
import type { ApiObject, ResourceDefinition } from '../../resources/definition.ts'
import { apiVersionOf } from '../../resources/definition.ts'
import type { ObjectName } from './keys.ts'
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

  /** Writes with the current revision of the key (0: it does not exist) until a write succeeds; false: `write` returned undefined. */
  async function swap(name: string, write: (of: ObjectName, revision: number) => Promise<{ readonly ok: boolean }> | undefined) {
    const of = { namespace: '', name }
    for (let tries = 0; tries < maxTries; tries++) {
      const written = write(of, (await objects.inspect(of))?.revision ?? 0)
      if (written === undefined) return false
      if ((await written).ok) return true
    }
    throw new StoreError('unavailable', `${objects.keyInErrors(of, false)} is changed by others all the time`)
  }

  return {
    async list() {
      const { entries } = await objects.list({ namespace: '', unreadable: () => {} })
      return entries.map((entry) => entry.copy())
    },
    get: async (name) => (await objects.get({ namespace: '', name }))?.copy(),
    async renew(name, content) {
      const lease = await store.grantLease(seconds)
      const object: ApiObject = { kind: definition.kind, apiVersion: apiVersionOf(definition), metadata: {}, ...content }
      const printed = objects.print(objects.canonical(object))
      await swap(name, (of, revision) => objects.put(of, printed, revision, lease))
    },
    remove: (name) => swap(name, (of, revision) => (revision === 0 ? undefined : objects.delete(of, revision))),
  }
}
