import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { Json, JsonObject } from '../../schema/model.ts'
import { messages } from './v2-messages.ts'

/** A Swagger 2.0 document as protobuf message `openapi.v2.Document`. Keywords that the table does not list are left out. */
export function encodeSwagger(document: JsonObject): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter()
  writeMessage(writer, 'Document', document)
  return writer.finish()
}

const isObject = (value: Json): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

function writeMessage(writer: BinaryWriter, type: string, value: Json): void {
  const row = messages[type]
  if (!row) throw new Error(`no message ${type}`)
  if ('wraps' in row) {
    writeField(writer, ...row.wraps, value)
    return
  }
  if (!isObject(value)) throw new Error(`${type} is no object`)
  if ('choices' in row) {
    const choice = row.choices[String(value['in'])] ?? row.choices['']
    if (!choice) throw new Error(`${type} has no choice for ${String(value['in'])}`)
    writeField(writer, ...choice, value)
    return
  }
  for (const [key, own] of Object.entries(value)) {
    const field = Object.hasOwn(row.fields, key) ? row.fields[key] : undefined
    if (field) writeField(writer, ...field, own)
    else if (row.extensions !== undefined && key.startsWith('x-')) writePair(writer, row.extensions, key, 'any', own)
    else if (row.entries) writePair(writer, row.entries[0], key, row.entries[1], own)
  }
}

function writePair(writer: BinaryWriter, tag: number, name: string, type: string, value: Json): void {
  writer.tag(tag, WireType.LengthDelimited).fork()
  writeField(writer, 1, 'string', name)
  writeField(writer, 2, type, value)
  writer.join()
}

function writeField(writer: BinaryWriter, tag: number, type: string, value: Json): void {
  if (type.startsWith('*')) {
    if (Array.isArray(value)) for (const item of value) writeField(writer, tag, type.slice(1), item)
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
      // Message Any keeps the value as YAML; JSON is YAML.
      writer.tag(tag, WireType.LengthDelimited).fork().tag(2, WireType.LengthDelimited).string(JSON.stringify(value)).join()
      return
    default:
      writer.tag(tag, WireType.LengthDelimited).fork()
      writeMessage(writer, type, value)
      writer.join()
  }
}
