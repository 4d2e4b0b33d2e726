/** Parts of a list in any format, for lists that are too long to encode at once. */
import type { Format } from '../respond/encode.ts'
import { cborListEnd, cborListStart, encodeCborItem } from '../schema/cbor/encode.ts'
import { parseToShow, printJson } from '../schema/json-text.ts'
import { recordHead, varintSize } from '../schema/json-transcoder.ts'
import type { Json, JsonObject, Message } from '../schema/model.ts'
import { compareKeys } from '../schema/yaml/key-order.ts'
import { yamlText } from '../schema/yaml-text.ts'
import type { Entry } from '../storage/entry.ts'

export interface ListParts {
  /** Bytes before the first item; `size`: bytes of all items, if there is `sizeOf`. */
  start(size: number): Uint8Array
  /** Size of an item if it is known without encoding it. Present if `start` needs the size of all items. */
  readonly sizeOf?: (entry: Entry) => number | undefined
  /** Pieces to be joined, so that long ones are copied once. */
  item(entry: Entry): readonly Uint8Array[]
  readonly between: Uint8Array
  readonly end: Uint8Array
}

const encoder = new TextEncoder()
const nothing = new Uint8Array(0)

/** JSON list of served objects, each without its first `skip` bytes, the last of which is the brace. */
export function servedParts(start: string, skip: number, object: (entry: Entry) => readonly Uint8Array[]): ListParts {
  return {
    start: () => encoder.encode(`${start}{`),
    item(entry) {
      const [first, ...rest] = object(entry)
      return [(first as Uint8Array).subarray(skip), ...rest]
    },
    between: encoder.encode(',{'),
    end: encoder.encode(']}\n'),
  }
}

/** Indents all lines except the first. Quoted strings contain no line feeds. */
const indented = (text: string, by: string) => text.replaceAll('\n', `\n${by}`)

/**
 * JSON, YAML or CBOR list; `head` has the other members, `member` is the list's name. YAML has it in the order of names, the others last. `schema`: of the
 * items, in CBOR.
 */
export function valueParts(
  format: Exclude<Format, 'protobuf'>,
  pretty: boolean,
  head: JsonObject,
  member: 'items' | 'rows',
  value: (entry: Entry) => unknown,
  schema?: Message,
): ListParts {
  if (format === 'cbor')
    return {
      start: () => cborListStart(head, member),
      item: (entry) => [encodeCborItem(value(entry) as Json, schema)],
      between: nothing,
      end: cborListEnd,
    }
  const parts = (start: string, item: (value: unknown) => string, between: string, end: string): ListParts => ({
    start: () => encoder.encode(start),
    item: (entry) => [encoder.encode(item(value(entry)))],
    between: encoder.encode(between),
    end: encoder.encode(end),
  })
  if (format === 'yaml') {
    const yaml = (each: unknown) => yamlText(parseToShow(printJson(each)))
    const members = (which: (name: string) => boolean) => {
      const chosen = Object.entries(head).filter(([name]) => which(name))
      return chosen.length === 0 ? '' : yaml(Object.fromEntries(chosen))
    }
    // YAML lists are not indented relative to their key.
    return parts(
      `${members((name) => compareKeys(name, member) < 0)}${member}:\n`,
      (each) => yaml([each]),
      '',
      members((name) => compareKeys(name, member) > 0),
    )
  }
  if (!pretty) return parts(`${printJson(head).slice(0, -1)},"${member}":[`, printJson, ',', ']}\n')
  const start = `${printJson(head, 2).slice(0, -2)},\n  "${member}": [\n    `
  return parts(start, (each) => indented(printJson(each, 2), '    '), ',\n    ', '\n  ]\n}')
}

/**
 * Protobuf messages as records with this tag; `before` gives the prefix for each item's size. `form`: name of the encoding, whose sizes entries
 * remember.
 */
export function protobufParts(
  tag: number,
  before: (size: number) => Uint8Array,
  end: Uint8Array,
  form: string,
  item: (entry: Entry) => Uint8Array,
): ListParts {
  return {
    sizeOf(entry) {
      const size = entry.sizeOf(form)
      return size === undefined ? undefined : 1 + varintSize(size) + size
    },
    start: before,
    item(entry) {
      const message = item(entry)
      return [recordHead(tag, message.length), message]
    },
    between: nothing,
    end,
  }
}
