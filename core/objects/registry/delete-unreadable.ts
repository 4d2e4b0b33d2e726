import { conflict, modified, notFound } from '../../answers/status.ts'
import type { ServedResource } from './served.ts'

const tries = 20

/**
 * Removes an unreadable stored value. Throws 404 when there is none, and 409 when it is readable. Reservations of the object are
 * not released.
 */
export async function removeUnreadable(
  { store, groupResource }: ServedResource,
  namespace: string,
  name: string,
  dryRun: boolean,
): Promise<void> {
  const of = { namespace, name }
  for (let count = 0; count < tries; count++) {
    const found = await store.inspect(of)
    if (found === undefined) throw notFound(groupResource, name)
    if (found.readable) {
      const why = 'unsafe deletion is not allowed because the object is decodable from storage'
      throw conflict(
        groupResource,
        name,
        `StorageError: invalid object, Code: 4, Key: ${store.keyInErrors(of, false)}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
      )
    }
    if (dryRun || (await store.delete(of, found.revision)).ok) return
  }
  throw modified(groupResource, name)
}
