import { equal } from '../schema/json/equal.ts'
import type { Json, JsonObject } from '../schema/model.ts'

const entriesOf = (object: JsonObject) => ((object['metadata'] as JsonObject | undefined)?.['managedFields'] ?? []) as JsonObject[]

function withoutTime({ time: _, ...rest }: JsonObject): Json {
  return rest
}

/**
 * Restores the previous managedFields times, in place, when nothing else changed, so that a no-op write keeps the resourceVersion.
 * Both objects are canonical.
 */
export function keepTimes(updated: JsonObject, old: JsonObject): void {
  const before = entriesOf(old)
  const after = entriesOf(updated)
  if (before.length !== after.length || before.every((entry, index) => entry['time'] === after[index]?.['time'])) return
  const metadata = updated['metadata'] as JsonObject
  // Compared first, because most writes change more than the managers.
  if (!equal({ ...updated, metadata: { ...metadata, managedFields: before } }, old)) return
  if (before.every((entry, index) => equal(withoutTime(entry), withoutTime(after[index] as JsonObject)))) metadata['managedFields'] = before
}
