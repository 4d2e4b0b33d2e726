/**
 * Locates `metadata` in the JSON of a served object, so that code that needs only metadata cuts it out instead of parsing and
 * printing the whole object. The JSON must be as `codec.ts` prints it: no white space, kind and apiVersion first, then metadata.
 */
import { apiVersionOf, type ResourceDefinition } from '../resources/definition.ts'
import { concatenate, startsWith } from '../schema/bytes.ts'

const encoder = new TextEncoder()
const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const managedFields = encoder.encode('"managedFields"')

/** Byte offsets from the opening brace up to after the closing one. */
export interface MetadataPlace {
  readonly start: number
  readonly end: number
  /** The managedFields member with its leading comma; both 0: none. */
  readonly managedStart: number
  readonly managedEnd: number
}

/** Returns a function that finds metadata in served objects of a resource; undefined for bytes of another form. */
export function metadataFinder(definition: ResourceDefinition): (served: Uint8Array) => MetadataPlace | undefined {
  const { kind } = definition
  const head = encoder.encode(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersionOf(definition))},"metadata":{`)
  return (served) => (startsWith(served, head) ? placeAt(served, head.length - 1) : undefined)
}

/** Position of a string's closing quote. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1
  for (; at < json.length && json[at] !== quote; at++) if (json[at] === backslash) at++
  return at
}

function isManagedFields(json: Uint8Array, start: number, end: number): boolean {
  if (end - start + 1 !== managedFields.length || json[end + 1] !== colon || json[start - 1] !== comma) return false
  return managedFields.every((byte, index) => json[start + index] === byte)
}

function placeAt(json: Uint8Array, start: number): MetadataPlace | undefined {
  let depth = 0
  let managedStart = 0
  let managedEnd = 0
  for (let at = start; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) {
      const end = endOfString(json, at)
      if (depth === 1 && isManagedFields(json, at, end)) managedStart = at - 1
      at = end
    } else if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) {
      depth--
      if (depth === 0) return { start, end: at + 1, managedStart, managedEnd }
      if (depth === 1 && managedStart > 0 && managedEnd === 0) managedEnd = at + 1
    }
  }
  return undefined
}

/** The object without managed fields, which are often half of its size. */
export function withoutManagedFields(served: Uint8Array, { managedStart, managedEnd }: MetadataPlace): Uint8Array {
  return managedStart === 0 ? served : concatenate([served.subarray(0, managedStart), served.subarray(managedEnd)])
}

/** Metadata alone, without managed fields. */
export function metadataWithoutManagedFields(served: Uint8Array, { start, end, managedStart, managedEnd }: MetadataPlace): Uint8Array {
  if (managedStart === 0) return served.subarray(start, end)
  return concatenate([served.subarray(start, managedStart), served.subarray(managedEnd, end)])
}
