/** Joins lists from the encoded bytes of their items, without parsing. */
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { apiVersionOf, type ResourceDefinition } from '../resources/definition.ts'
import { ListMeta as ListMetaSchema } from '../resources/meta/listmeta.ts'
import { comma, openBrace } from '../schema/json-bytes.ts'
import type { Json } from '../schema/model.ts'
import { encodeEnvelope, encodeProtobuf } from '../schema/protobuf.ts'
import type { Encoding, Entry } from '../storage/entry.ts'
import type { FeedList, KeptList } from '../watch/feed.ts'
import { type ListParts, protobufParts } from './list-parts.ts'

const encoder = new TextEncoder()
/** With the line feed after compact JSON in bodies of responses. */
const listEnd = encoder.encode(']}\n')
/** Wire tags of `metadata = 1` and `items = 2`, both messages. */
const metadataTag = 0x0a
const itemTag = 0x12

/** Bytes of a served object's start that list items omit: `{`, and kind and apiVersion where the list implies them. */
export const typeMetaLength = (definition: ResourceDefinition) =>
  definition.origin.typeMeta === 'explicit'
    ? 1
    : encoder.encode(`{"kind":${JSON.stringify(definition.kind)},"apiVersion":${JSON.stringify(apiVersionOf(definition))},`).length

/** Joins JSON objects as `{…},{…}`, each without its first `skip` bytes, the last of which is the brace. */
export function joinJson(objects: readonly Uint8Array[], skip = 1): Uint8Array {
  let size = Math.max(0, objects.length - 1)
  for (const object of objects) size += object.length - skip + 1
  const bytes = new Uint8Array(size)
  let at = 0
  for (const object of objects) {
    if (at > 0) bytes[at++] = comma
    bytes[at++] = openBrace
    bytes.set(object.subarray(skip), at)
    at += object.length - skip
  }
  return bytes
}

type List = Omit<KeptList, 'until'>

/** `{"kind":…,"apiVersion":…,"metadata":…,"items":[` */
export function jsonListStart(definition: ResourceDefinition, head: string): string {
  const { listKind } = definition
  const typeMeta = JSON.stringify({ kind: listKind, apiVersion: apiVersionOf(definition) }).slice(0, -1)
  return `${typeMeta},"metadata":${head},"items":[`
}

/** The body of a list around joined items. */
export const jsonList = (definition: ResourceDefinition, head: string, items: Uint8Array): List =>
  around(head, jsonListStart(definition, head), items)

/** The body of a Table around joined rows; `head` is a JSON object of everything before them. */
export const jsonTable = (head: string, rows: Uint8Array): List => around(head, `${head.slice(0, -1)},"rows":[`, rows)

function around(head: string, start: string, items: Uint8Array): List {
  const before = encoder.encode(start)
  const bytes = new Uint8Array(before.length + items.length + listEnd.length)
  const end = before.length + items.length
  bytes.set(before)
  bytes.set(items, before.length)
  bytes.set(listEnd, end)
  return { head, bytes, start: before.length, end }
}

/** Protobuf messages as records of the field `items`. */
export function joinProtobufItems(messages: readonly Uint8Array[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const message of messages) writer.uint32(itemTag).bytes(message)
  return writer.finish()
}

/** Bytes of an envelope after its message. */
const envelopeEnd = 4

const listMetadata = (head: string) =>
  new BinaryWriter()
    .uint32(metadataTag)
    .bytes(encodeProtobuf(ListMetaSchema, JSON.parse(head) as Json))
    .finish()

/** A protobuf list whose items are encoded one at a time. `form`: name of the encoding. */
export function protobufListParts(
  apiVersion: string,
  kind: string,
  head: string,
  form: string,
  item: (entry: Entry) => Uint8Array,
): ListParts {
  const metadata = listMetadata(head)
  const frame = encodeEnvelope(apiVersion, kind, new Uint8Array(0))
  const end = frame.subarray(-envelopeEnd)
  // The length of the message follows, which is zero here.
  const lead = frame.subarray(0, -envelopeEnd - 1)
  const before = (size: number) => {
    const length = new BinaryWriter().uint32(metadata.length + size).finish()
    const start = new Uint8Array(lead.length + length.length + metadata.length)
    start.set(lead)
    start.set(length, lead.length)
    start.set(metadata, lead.length + length.length)
    return start
  }
  return protobufParts(itemTag, before, end, form, item)
}

/** A protobuf list around joined items. */
export function protobufList(definition: ResourceDefinition, head: string, items: Uint8Array): List {
  const metadata = listMetadata(head)
  const raw = new Uint8Array(metadata.length + items.length)
  raw.set(metadata)
  raw.set(items, metadata.length)
  const bytes = encodeEnvelope(apiVersionOf(definition), definition.listKind, raw)
  const end = bytes.length - envelopeEnd
  return { head, bytes, start: end - items.length, end }
}

/** Maximum bytes of a cached list. */
export const keptBytes = 4 * 1024 * 1024

/** Whether `listBytes` can answer from the cache. */
export function isKept({ kept }: FeedList, form: string, now: number): boolean {
  const found = kept?.get(form)
  return found !== undefined && now < found.until
}

/**
 * The bytes of a list, cached while it has the same entries. If only the list metadata has changed, just that is encoded again; items are
 * joined again only when they depend on the time and `now` has passed their limit.
 */
export function listBytes(
  { entries, kept }: FeedList,
  form: string,
  head: string,
  join: () => Uint8Array | Encoding,
  wrap: (head: string, items: Uint8Array) => List,
  now = 0,
): Uint8Array {
  const found = kept?.get(form)
  const known = found !== undefined && now < found.until ? found : undefined
  if (known?.head === head) return known.bytes
  const joined = known ? { bytes: known.bytes.subarray(known.start, known.end), until: known.until } : join()
  const { bytes: items, until } = 'until' in joined ? joined : { bytes: joined, until: Number.POSITIVE_INFINITY }
  const made = wrap(head, items)
  if (made.bytes.length <= keptBytes && entries.length > 1) kept?.set(form, { ...made, until })
  return made.bytes
}
