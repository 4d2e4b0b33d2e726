/**
 * Objects as the protobuf writer reads them, for long lists: the field sets of managers, which are often half of an object, keep their text
 * instead of being parsed and printed again.
 */
import type { ResourceDefinition } from '../resources/definition.ts'
import { Name, Values } from '../schema/json-scan.ts'
import { parseJsonText } from '../schema/json-text.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { setRawText } from '../schema/raw-json.ts'
import type { Entry } from '../storage/entry.ts'
import { metadataFinder, withoutManagedFields } from '../storage/served-metadata.ts'

const decoder = new TextDecoder()
const fields = new Name('fieldsV1')

/** One manager: the parsed members, with the text of its field set. Undefined: the text would be printed otherwise. */
function managerAt(json: Uint8Array, start: number, end: number): JsonObject | undefined {
  const members = new Values(json, start)
  while (members.next()) {
    if (!members.is(fields)) continue
    const text = decoder.decode(json.subarray(members.start, members.end))
    if (!text.startsWith('{') || text.includes('\\u')) return undefined
    const rest = `${decoder.decode(json.subarray(start, members.start))}{}${decoder.decode(json.subarray(members.end, end))}`
    const manager = JSON.parse(rest) as JsonObject
    setRawText(manager['fieldsV1'] as Json, text)
    return manager
  }
  return JSON.parse(decoder.decode(json.subarray(start, end))) as JsonObject
}

/** Returns a function that reads an object to be encoded as protobuf; it must not be changed. */
export function protobufView(definition: ResourceDefinition): (entry: Entry) => Json {
  const find = metadataFinder(definition)
  return (entry) => {
    const whole = () => entry.view() as unknown as Json
    const served = entry.bytesOnce
    const place = find(served)
    if (place === undefined || place.managedStart === 0) return whole()
    const managers: JsonObject[] = []
    const each = new Values(served, place.managersStart)
    while (each.next()) {
      const manager = managerAt(served, each.start, each.end)
      if (manager === undefined) return whole()
      managers.push(manager)
    }
    const object = parseJsonText(decoder.decode(withoutManagedFields(served, place)), definition.schema) as JsonObject
    Object.assign(object['metadata'] as JsonObject, { managedFields: managers })
    return object
  }
}
