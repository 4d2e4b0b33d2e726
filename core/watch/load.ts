import type { Clock, KeyValueStore } from '../ports.ts'
import type { Entry } from '../storage/entry.ts'
import type { ObjectStore } from '../storage/object-store.ts'

const pageSize = 5_000

/** All objects of one resource at one revision, in key order. Throws when one can't be read (isUnreadable). */
export async function loadAll(
  objects: ObjectStore,
  store: KeyValueStore,
  clock: Clock,
): Promise<{ entries: readonly Entry[]; revision: number }> {
  const prefix = objects.keys.prefix('')
  const reading = objects.reader.list()
  const entries: Entry[] = []
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
      const entry = reading.read(kv)
      if (entry) entries.push(entry)
    }
    const last = page.items.at(-1)
    if (!page.more || last === undefined) break
    from = `${last.key}\0`
    // Requests for other objects need not wait for it.
    await clock.pause?.()
  }
  reading.finish()
  return { entries, revision }
}
