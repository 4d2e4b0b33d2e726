import type { Slices } from '../../common/slices.ts'
import type { KeyValueStore } from '../../ports.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import type { StoredObject } from '../storage/stored-object.ts'

const pageSize = 5_000

/**
 * Reads all objects of one resource at one revision, in key order, without blocking other requests. Throws when one is unreadable
 * (isUnreadable).
 */
export async function loadAll(
  objects: ObjectStore,
  store: KeyValueStore,
  slices: Slices,
): Promise<{ entries: readonly StoredObject[]; revision: number }> {
  const prefix = objects.keys.prefix('')
  const reading = objects.reader.list()
  const entries: StoredObject[] = []
  let from: string | undefined
  let revision: number | undefined
  for (;;) {
    const page = await store.list({
      prefix,
      limit: pageSize,
      ...(from !== undefined && { from }),
      ...(revision !== undefined && { revision }),
    })
    revision = page.revision
    for (const kv of page.items) {
      if (slices.over) await slices.next()
      const entry = reading.read(kv)
      if (entry) entries.push(entry)
    }
    const last = page.items.at(-1)
    if (!page.more || last === undefined) break
    from = `${last.key}\0`
  }
  reading.finish()
  return { entries, revision }
}
