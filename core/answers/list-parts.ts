/** Parts of a list in any format: what stands before, between and behind its items. */
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { ListMeta } from '../resources/meta/listmeta.ts'
import { concatenate } from '../schema/bytes.ts'
import { encodeUtf8 } from '../schema/formats/utf8.ts'
import { recordHead, varintSize } from '../schema/json/transcoder.ts'
import type { Json, JsonObject, Message } from '../schema/model.ts'
import { encodeEnvelope, encodeProtobuf } from '../schema/protobuf/protobuf.ts'
import type { Encodable } from './encodings/encoding.ts'

/** A list of what is made from values of type T. */
export interface ListParts<T> {
  /** A list with the same entries, name and head has the same bytes, so that it may be remembered; absent: it is made every time. */
  readonly remembered?: { readonly name: string; readonly head: string }
  /** Bytes before the first item; `size`: bytes of all items, if there is `sizeOf`. */
  start(size: number, count: number): Uint8Array
  /** Size of an item if it is known without encoding it. Present if `start` needs the size of all items. */
  readonly sizeOf?: (of: T) => number | undefined
  /** Pieces to be joined, so that long ones are copied once. `isPassing`: the list is not remembered, nor are items that depend on the time. */
  item(of: T, isPassing: boolean): readonly Uint8Array[]
  /** Items are bytes that are there already: to join some megabytes of them takes less than a time slice. */
  readonly isMade?: boolean
  readonly between: Uint8Array
  readonly end: Uint8Array
  /** The list at once, if that is faster, or if one without items is not an empty one; undefined: it is made from its parts. */
  whole?(items: readonly T[]): Uint8Array | undefined
  /** Time at which an item that has been made changes, in milliseconds since the epoch; absent: none does. */
  until?(): number
}

const encoder = new TextEncoder()
const nothing = new Uint8Array(0)
const [nextObject, jsonEnd] = [encoder.encode(',{'), encoder.encode(']}\n')]

/** JSON list of objects after `head`, each a new array of pieces, without its first `skip` bytes, the last of which is the brace. With the line feed after compact JSON in bodies. */
export const jsonParts = <T>(
  head: string,
  skip: number,
  object: (of: T, isPassing: boolean) => Uint8Array[],
  name?: string,
): ListParts<T> => ({
  ...(name !== undefined && { remembered: { name, head } }),
  start: (_size, count) => encoder.encode(count > 0 ? `${head}{` : head),
  item(of, isPassing) {
    const pieces = object(of, isPassing)
    pieces[0] = (pieces[0] as Uint8Array).subarray(skip)
    return pieces
  },
  between: nextObject,
  end: jsonEnd,
})

/** The list as a value. */
export interface ListValue<T> {
  /** The other members. */
  readonly head: Encodable['value'] & JsonObject
  readonly member: 'items' | 'rows'
  item(of: T): unknown
  /** Of the items, in CBOR. */
  readonly schema?: Message
  /** Stands for no items; default: an empty list. */
  readonly none?: Json
}

/** The texts of a list. */
interface ListTexts {
  readonly start: string
  item(value: unknown): string
  readonly between: string
  readonly end: string
  /** The list at once. */
  whole(list: Encodable['value']): Uint8Array
}

/** A list in an encoding that is a text. */
export const textParts = <T>(
  { head, member, item, none = [] }: ListValue<T>,
  { start, item: text, between, end, whole }: ListTexts,
): ListParts<T> => ({
  start: () => encoder.encode(start),
  item: (of) => [encodeUtf8(text(item(of)))],
  between: encoder.encode(between),
  end: encoder.encode(end),
  whole: (items) => whole({ ...head, [member]: items.length === 0 ? none : (items.map(item) as Json) }),
})

/** Wire tags of `metadata = 1` and `items = 2`, both messages. */
const [metadataTag, itemTag] = [0x0a, 0x12]
/** Bytes of an envelope after its message. */
const envelopeEnd = 4

/** Protobuf list of messages. `head`: JSON of the list's metadata. `sizeOf`: size of a message if it is known. */
export function protobufParts<T>(
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
  head: string,
  message: (entry: T) => Uint8Array,
  sizeOf: (entry: T) => number | undefined = () => undefined,
  name?: string,
): ListParts<T> {
  const metadata = new BinaryWriter()
    .uint32(metadataTag)
    .bytes(encodeProtobuf(ListMeta, JSON.parse(head) as Json))
    .finish()
  const frame = encodeEnvelope(apiVersion, kind, nothing)
  return {
    ...(name !== undefined && { remembered: { name, head } }),
    // The length of the message, which is zero in the frame, takes its last byte.
    start: (size) =>
      concatenate([frame.subarray(0, -envelopeEnd - 1), new BinaryWriter().uint32(metadata.length + size).finish(), metadata]),
    sizeOf(entry) {
      const size = sizeOf(entry)
      return size === undefined ? undefined : 1 + varintSize(size) + size
    },
    item(entry) {
      const bytes = message(entry)
      return [recordHead(itemTag, bytes.length), bytes]
    },
    between: nothing,
    end: frame.subarray(-envelopeEnd),
  }
}
