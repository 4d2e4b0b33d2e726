/**
 * Where `resourceVersion` is in the JSON of an object: behind the members of metadata that identify it, as in Go's ObjectMeta.
 * All of these are strings, and no other member of metadata has a name of their lengths.
 */

import { closeBrace, comma, quote } from '../../schema/json/bytes.ts'
import { set } from '../../schema/json/members.ts'
import { closingQuote } from '../../schema/json/scan.ts'
import type { Json, JsonObject } from '../../schema/model.ts'

/** The members of metadata before `resourceVersion`. */
const membersBefore: ReadonlySet<string> = new Set(['name', 'generateName', 'namespace', 'selfLink', 'uid'])
const lengths = new Set([...membersBefore].map(({ length }) => length))

/** The place of the member in metadata without white space, behind whose opening brace `start` is: the end of the members before it. */
export function versionPlace(json: Uint8Array, start: number): number {
  let place = start
  let key = start
  while (json[key] === quote) {
    const end = closingQuote(json, key)
    if (!lengths.has(end - key - 1) || json[end + 2] !== quote) break
    place = closingQuote(json, end + 2) + 1
    if (json[place] !== comma) break
    key = place + 1
  }
  return place
}

/** The member at `place`, with the comma that separates it from the member before or behind it. */
export function versionMember(json: Uint8Array, start: number, place: number, revision: number | string): string {
  const member = `"resourceVersion":${typeof revision === 'number' ? `"${revision}"` : JSON.stringify(revision)}`
  if (place > start) return `,${member}`
  return json[place] === closeBrace ? member : `${member},`
}

/** Bytes of the member with its comma, in the metadata of a stored object, which has other members. */
export const versionSize = (revision: number): number => ',"resourceVersion":""'.length + String(revision).length

/** A copy of an object with a resourceVersion, with members in the order of its JSON. `copied`: copies the values. */
export function withRevision(object: JsonObject, resourceVersion: string, copied: (value: Json) => Json): JsonObject {
  // A spread knows the members of most objects beforehand.
  const copy: JsonObject = { ...object }
  for (const key in object) {
    const value = object[key] as Json
    if (key === 'metadata') copy[key] = versioned(value as JsonObject, resourceVersion, copied)
    else if (typeof value !== 'string') set(copy, key, copied(value))
  }
  return copy
}

function versioned(metadata: JsonObject, resourceVersion: string, copied: (value: Json) => Json): JsonObject {
  const copy: JsonObject = {}
  let isSet = false
  for (const key in metadata) {
    if (!isSet && !membersBefore.has(key)) {
      copy['resourceVersion'] = resourceVersion
      isSet = true
    }
    set(copy, key, copied(metadata[key] as Json))
  }
  if (!isSet) copy['resourceVersion'] = resourceVersion
  return copy
}
