/** What lists in every form are made of, for those that are too long to be put together at once. */
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import type { Format } from '../respond/encode.ts'
import { parseToShow, printJson } from '../schema/json-text.ts'
import type { JsonObject } from '../schema/model.ts'
import { yamlText } from '../schema/yaml-text.ts'
import type { Entry } from '../storage/entry.ts'

export interface ListParts {
  /** What stands before the first item; `size`: bytes of all items, where `sized`. */
  start(size: number): Uint8Array
  /** Whether `start` has to say how many bytes follow. */
  readonly sized: boolean
  item(entry: Entry): Uint8Array
  readonly between: Uint8Array
  readonly end: Uint8Array
}

const encoder = new TextEncoder()
const nothing = new Uint8Array(0)

/** JSON of objects that are there as bytes; of each, so many at its start are left out, of which the last is the brace. */
export function servedParts(start: string, skip: number, object: (entry: Entry) => Uint8Array): ListParts {
  return {
    sized: false,
    start: () => encoder.encode(`${start}{`),
    item: (entry) => object(entry).subarray(skip),
    between: encoder.encode(',{'),
    end: encoder.encode(']}'),
  }
}

/** Lines further to the right, but for the first. Text in quotes has no line feeds. */
const indented = (text: string, by: string) => text.replaceAll('\n', `\n${by}`)

/** Values in JSON or YAML; `head` is what stands before the list, `member` the name of the list. */
export function textParts(
  format: Exclude<Format, 'protobuf'>,
  pretty: boolean,
  head: JsonObject,
  member: 'items' | 'rows',
  value: (entry: Entry) => unknown,
): ListParts {
  const parts = (start: string, item: (value: unknown) => string, between: string, end: string): ListParts => ({
    sized: false,
    start: () => encoder.encode(start),
    item: (entry) => encoder.encode(item(value(entry))),
    between: encoder.encode(between),
    end: encoder.encode(end),
  })
  if (format === 'yaml') {
    const yaml = (each: unknown) => yamlText(parseToShow(printJson(each)))
    // Lists stand as far to the left as their names.
    return parts(`${yaml(head)}${member}:\n`, (each) => yaml([each]), '', '')
  }
  if (!pretty) return parts(`${printJson(head).slice(0, -1)},"${member}":[`, printJson, ',', ']}')
  const start = `${printJson(head, 2).slice(0, -2)},\n  "${member}": [\n    `
  return parts(start, (each) => indented(printJson(each, 2), '    '), ',\n    ', '\n  ]\n}\n')
}

/** Protobuf messages as records with this tag, each before what `before` gives for their size. */
export function protobufParts(
  tag: number,
  before: (size: number) => Uint8Array,
  end: Uint8Array,
  item: (entry: Entry) => Uint8Array,
): ListParts {
  return {
    sized: true,
    start: before,
    item(entry) {
      const message = item(entry)
      const lead = new BinaryWriter().uint32(tag).uint32(message.length).finish()
      const record = new Uint8Array(lead.length + message.length)
      record.set(lead)
      record.set(message, lead.length)
      return record
    },
    between: nothing,
    end,
  }
}
