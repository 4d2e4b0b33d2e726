import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { Slices } from '../../common/slices.ts'
import { isObject } from '../../schema/json/is-object.ts'
import type { Json, JsonObject } from '../../schema/model.ts'
import { writeYaml } from '../../schema/yaml/writer.ts'
import type { MessageRow, MessageTable } from './message-row.ts'

/**
 * Encodes an OpenAPI document as protobuf message `Document` of the table, yielding between paths, definitions and the like. Unknown keywords are
 * dropped. Rejects with an Error when a value has another type than its message.
 */
export async function encodeInSlices(messages: MessageTable, document: JsonObject, slices: Slices): Promise<Uint8Array<ArrayBuffer>> {
  async function encode(type: string, value: JsonObject, levels: number): Promise<Uint8Array<ArrayBuffer>> {
    const writer = new BinaryWriter()
    const { member } = createFieldWriter(writer, messages)
    const row = fieldsOf(messages, type)
    if (row === undefined) throw new Error(`${type} has no fields`)
    for (const [key, own] of Object.entries(value)) {
      if (slices.over) await slices.next()
      const [tag, inner = ''] = fieldOf(row, key) ?? []
      if (tag !== undefined && levels > 0 && isObject(own) && fieldsOf(messages, inner))
        writer.tag(tag, WireType.LengthDelimited).bytes(await encode(inner, own, levels - 1))
      else member(row, key, own)
    }
    return writer.finish() as Uint8Array<ArrayBuffer>
  }
  return encode('Document', document, levelsOfEntries)
}

/** Levels of messages down to those with many entries: `Document`, `Components`, `Schemas`. */
const levelsOfEntries = 2

type FieldsRow = Extract<MessageRow, { fields: object }>

function fieldsOf(messages: MessageTable, type: string): FieldsRow | undefined {
  const row = messages[type]
  return row !== undefined && 'fields' in row ? row : undefined
}

const fieldOf = ({ fields }: FieldsRow, key: string): FieldRow | undefined => (Object.hasOwn(fields, key) ? fields[key] : undefined)

type FieldRow = readonly [tag: number, type: string]

/** The field of a oneof for a value; undefined: none fits. */
function choiceOf(row: Extract<MessageRow, { choices: object }>, value: Json): FieldRow | undefined {
  if (row.by === 'type') return row.choices[typeof value]
  if (!isObject(value)) return undefined
  return row.choices[row.by === 'reference' ? String('$ref' in value) : String(value['in'])] ?? row.choices['']
}

function createFieldWriter(writer: BinaryWriter, messages: MessageTable) {
  function message(type: string, value: Json): void {
    const row = messages[type]
    if (!row) throw new Error(`no message ${type}`)
    if ('wraps' in row) {
      field(row.wraps, value)
      return
    }
    if ('choices' in row) {
      const choice = choiceOf(row, value)
      if (choice) field(choice, value)
      return
    }
    if (!isObject(value)) throw new Error(`${type} is no object`)
    for (const [key, own] of Object.entries(value)) member(row, key, own)
  }

  function member(row: FieldsRow, key: string, value: Json): void {
    const known = fieldOf(row, key)
    if (known) field(known, value)
    else if (row.extensions !== undefined && key.startsWith('x-')) pair(row.extensions, key, 'any', value)
    else if (row.entries) pair(row.entries[0], key, row.entries[1], value)
  }

  function pair(tag: number, name: string, type: string, value: Json): void {
    writer.tag(tag, WireType.LengthDelimited).fork()
    field([1, 'string'], name)
    field([2, type], value)
    writer.join()
  }

  function field([tag, type]: FieldRow, value: Json): void {
    if (type.startsWith('*')) {
      if (Array.isArray(value)) for (const item of value) field([tag, type.slice(1)], item)
      return
    }
    switch (type) {
      case 'string':
        writer.tag(tag, WireType.LengthDelimited).string(String(value))
        return
      case 'bool':
        writer.tag(tag, WireType.Varint).bool(value === true)
        return
      case 'int64':
        writer.tag(tag, WireType.Varint).int64(Number(value))
        return
      case 'double':
        writer.tag(tag, WireType.Bit64).double(Number(value))
        return
      case 'any':
        // Message Any holds the value as YAML, in block style as gnostic writes it.
        writer.tag(tag, WireType.LengthDelimited).fork().tag(2, WireType.LengthDelimited).string(writeYaml(value)).join()
        return
      default:
        writer.tag(tag, WireType.LengthDelimited).fork()
        message(type, value)
        writer.join()
    }
  }

  return { member }
}
