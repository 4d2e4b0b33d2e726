/**
 * Locates `metadata` in the JSON of a served object, so that code that needs only metadata cuts it out instead of parsing and
 * printing the whole object. The JSON must be as `codec.ts` prints it: no white space, kind and apiVersion first, then metadata.
 */
import { apiVersionOf, type ResourceDefinition } from '../../resources/definition.ts'
import { startsWith } from '../../schema/bytes.ts'
import { Name, Values } from '../../schema/json/scan.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const metadata = new Name('metadata')
const labels = new Name('labels')
const managedFields = new Name('managedFields')

/** Byte offsets from the opening brace up to after the closing one. */
export interface MetadataPlace {
  readonly start: number
  readonly end: number
  /** The managedFields member with its leading comma; both 0: none. */
  readonly managedStart: number
  readonly managedEnd: number
}

const headOf = (definition: ResourceDefinition) =>
  encoder.encode(`{"kind":${JSON.stringify(definition.kind)},"apiVersion":${JSON.stringify(apiVersionOf(definition))},"metadata":{`)

/** Returns a function that finds metadata in served objects of a resource; undefined for bytes of another form. */
export function metadataFinder(definition: ResourceDefinition): (served: Uint8Array) => MetadataPlace | undefined {
  const head = headOf(definition)
  return (served) => (startsWith(served, head) ? placeAt(served, head.length - 1) : undefined)
}

/** Undefined for truncated bytes, and when managed fields are repeated or the first member. */
function placeAt(json: Uint8Array, start: number): MetadataPlace | undefined {
  const members = new Values(json, start)
  let managedStart = 0
  let managedEnd = 0
  while (members.next()) {
    if (!members.is(managedFields)) continue
    if (managedStart > 0 || members.before === start + 1) return undefined
    managedStart = members.before
    managedEnd = members.end
  }
  return members.closed === 0 ? undefined : { start, end: members.closed, managedStart, managedEnd }
}

/** Returns a function that finds the JSON of the labels in served objects of a resource: undefined for bytes of another form, null if absent. */
export function labelsFinder(definition: ResourceDefinition): (served: Uint8Array) => Uint8Array | null | undefined {
  const head = headOf(definition)
  return (served) => {
    if (!startsWith(served, head)) return undefined
    let found: Uint8Array | null = null
    const members = new Values(served, head.length - 1)
    while (members.next()) if (members.is(labels)) found = served.subarray(members.start, members.end)
    return found
  }
}

/** Whether the metadata of an object has one of these members, in JSON of any form. */
export function hasMetadata(json: Uint8Array, names: readonly Name[]): boolean {
  // The engine's search is ten times faster, and most objects have these texts nowhere. A name may be escaped.
  const text = decoder.decode(json)
  if (!text.includes('\\u') && !names.some((name) => text.includes(name.text))) return false
  const members = new Values(json, 0)
  while (members.next()) {
    if (!members.is(metadata) || !members.isObject) continue
    const own = new Values(json, members.start)
    while (own.next()) if (names.some((name) => own.is(name))) return true
  }
  return false
}

/** The text of the object without managed fields, which are often half of its size. */
export function withoutManagedFields(served: Uint8Array, { managedStart, managedEnd }: MetadataPlace): string {
  if (managedStart === 0) return decoder.decode(served)
  return decoder.decode(served.subarray(0, managedStart)) + decoder.decode(served.subarray(managedEnd))
}
