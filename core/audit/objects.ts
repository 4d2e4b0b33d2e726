/** Objects inside events, as bytes: nothing is decoded or encoded again. */
import { concatenate } from '../schema/bytes.ts'
import { comma, quote } from '../schema/json/bytes.ts'
import { closingQuote, Name, Values } from '../schema/json/scan.ts'

const metadataName = new Name('metadata')
const managedFieldsName = new Name('managedFields')
const objectName = new Name('object')
/** Lists of objects with metadata of their own, in lists and tables. */
const listNames = [new Name('items'), new Name('rows')]

type Span = readonly [from: number, to: number]

/** The managedFields member of an object's metadata, with the comma that separates it. */
function spanIn(json: Uint8Array, metadata: number): Span | undefined {
  const members = new Values(json, metadata)
  while (members.next()) {
    if (!members.is(managedFieldsName)) continue
    if (members.before > metadata + 1) return [members.before, members.end]
    return [members.nameStart, members.end + (json[members.end] === comma ? 1 : 0)]
  }
  return undefined
}

/** Collects the managedFields spans of the object at `start`; in a list or a table, those of its items or of the objects in its rows. */
function spansOf(json: Uint8Array, start: number, spans: Span[], isItem = false): void {
  const members = new Values(json, start)
  while (members.next()) {
    if (members.isObject && members.is(metadataName)) {
      const span = spanIn(json, members.start)
      if (span !== undefined) spans.push(span)
    } else if (isItem && members.isObject && members.is(objectName)) spansOf(json, members.start, spans)
    else if (!isItem && members.isList && listNames.some((name) => members.is(name))) {
      const items = new Values(json, members.start)
      while (items.next()) if (items.isObject) spansOf(json, items.start, spans, true)
    }
  }
}

/** The JSON of an object, list or table without managed fields. */
export function withoutManagedFields(json: Uint8Array): Uint8Array {
  const spans: Span[] = []
  spansOf(json, 0, spans)
  if (spans.length === 0) return json
  const parts: Uint8Array[] = []
  let at = 0
  for (const [from, to] of spans) {
    parts.push(json.subarray(at, from))
    at = to
  }
  parts.push(json.subarray(at))
  return concatenate(parts)
}

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
/** `<`, `>` and `&`, which Go escapes in JSON. */
const escapes: { readonly [byte: number]: Uint8Array } = Object.fromEntries(
  ['<', '>', '&'].map((character) => [character.charCodeAt(0), new TextEncoder().encode(`\\u00${character.charCodeAt(0).toString(16)}`)]),
)

/** Valid JSON without white space between tokens, safe in HTML. */
function compacted(json: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  let from = 0
  const replace = (at: number, by: Uint8Array | undefined) => {
    if (at > from) parts.push(json.subarray(from, at))
    if (by !== undefined) parts.push(by)
    from = at + 1
  }
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number
    if (isSpace(byte)) replace(at, undefined)
    if (byte !== quote) continue
    const end = closingQuote(json, at)
    for (at++; at < end; at++) {
      const replacement = escapes[json[at] as number]
      if (replacement !== undefined) replace(at, replacement)
    }
  }
  if (from === 0) return json
  replace(json.length, undefined)
  return concatenate(parts)
}

const decoder = new TextDecoder()

/**
 * A patch as the client sent it. One that is not JSON, such as YAML of server-side apply, becomes a string with its text: the reference can't
 * write the events of such requests at all.
 */
export function patchObject(bytes: Uint8Array): Uint8Array {
  const text = decoder.decode(bytes)
  try {
    JSON.parse(text)
    return compacted(bytes)
  } catch {
    return compacted(new TextEncoder().encode(JSON.stringify(text)))
  }
}
