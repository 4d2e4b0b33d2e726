import { canonicalise } from '../schema/decode.ts'
import type { JsonObject, Message } from '../schema/model.ts'

/** Empty objects in canonical form; keyed by the immutable schema. */
const blanks = new WeakMap<Message, JsonObject>()

/** An empty object of a schema, the "before" of a create. Shared: callers don't change it. */
export function blankOf(schema: Message): JsonObject {
  let blank = blanks.get(schema)
  if (blank === undefined) {
    blank = canonicalise(schema, {}, { root: true })
    blanks.set(schema, blank)
  }
  return blank
}
