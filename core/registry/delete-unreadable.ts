import { conflict, modified, notFound } from '../respond/status.ts'
import type { ServedResource } from './served.ts'

const tries = 20

/**
 * Removes what is stored under a name, if it can't be read. Throws 404 when there is nothing, and 409 when it can be read. Nothing that
 * the object held elsewhere is given back.
 */
export async function removeUnreadable(
  { store, groupResource }: ServedResource,
  namespace: string,
  name: string,
  dryRun: boolean,
): Promise<void> {
  const key = store.keys.of(namespace, name)
  for (let count = 0; count < tries; count++) {
    const found = await store.inspect(key)
    if (found === undefined) throw notFound(groupResource, name)
    if (found.readable) {
      const why = 'unsafe deletion is not allowed because the object is decodable from storage'
      throw conflict(
        groupResource,
        name,
        `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
      )
    }
    if (dryRun || (await store.delete(key, found.revision)).ok) return
  }
  throw modified(groupResource, name)
}
