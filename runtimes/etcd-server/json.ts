/** Messages as JSON (protobuf's JSON mapping, with the names of fields as in rpc.proto): base64, 64-bit numbers as texts. */
import { type BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { DecodeError } from '../../core/schema/decode-error.ts'
import { reading, readRecord } from '../../core/schema/protobuf/records.ts'
import { type AnyMessage, type JsonType, maxDepth, type Row } from './message.ts'

type Json = { [name: string]: unknown }

/** The bytes of a message. @throws DecodeError when the value does not have its form. */
export function bytesOfJson({ name, rows }: AnyMessage, value: unknown, depth = 0): Uint8Array {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new DecodeError(`json: a message is an object`)
  if (depth > maxDepth) throw new DecodeError('json: messages are nested too deeply')
  const writer = new BinaryWriter()
  for (const [key, given] of Object.entries(value)) {
    const row = rows.find(({ names }) => names.includes(key))
    if (row === undefined) throw new DecodeError(`unknown field "${key}" in etcdserverpb.${name}`)
    if (given === null) continue
    if (row.isRepeated && !Array.isArray(given)) throw new DecodeError(`json: ${key} is a list`)
    for (const each of row.isRepeated ? (given as readonly unknown[]) : [given]) write(writer, row, each, depth)
  }
  return writer.finish()
}

const typeName = (type: JsonType) => (typeof type === 'string' ? type : typeof type === 'function' ? type().name : type.join(' or '))

function write(writer: BinaryWriter, { number, names: [name], type }: Row, value: unknown, depth: number): void {
  const wrong = () =>
    new DecodeError(`json: cannot unmarshal ${JSON.stringify(value)?.slice(0, 100)} into ${name} of type ${typeName(type)}`)
  if (typeof type === 'function') writer.tag(number, WireType.LengthDelimited).bytes(bytesOfJson(type(), value, depth + 1))
  else if (type === 'bytes' || type === 'string') {
    if (typeof value !== 'string') throw wrong()
    const bytes = type === 'bytes' ? Buffer.from(value, 'base64') : Buffer.from(value)
    if (type === 'bytes' && !/^[\w+/-]*={0,2}$/.test(value)) throw wrong()
    writer.tag(number, WireType.LengthDelimited).bytes(bytes)
  } else if (type === 'bool') {
    if (typeof value !== 'boolean') throw wrong()
    writer.tag(number, WireType.Varint).bool(value)
  } else {
    const named = typeof type === 'string' ? -1 : type.indexOf(String(value))
    const digits = named === -1 ? String(value) : String(named)
    if (!/^-?\d{1,20}$/.test(digits)) throw wrong()
    const integer = BigInt(digits)
    const [least, most] = type === 'uint64' ? [0n, 2n ** 64n - 1n] : [-(2n ** 63n), 2n ** 63n - 1n]
    if (integer < least || integer > most) throw wrong()
    writer.tag(number, WireType.Varint)
    if (type === 'uint64') writer.uint64(integer)
    else writer.int64(integer)
  }
}

/** The value of a message's bytes. Fields with their defaults are left out. */
export const jsonOfBytes = (message: AnyMessage, bytes: Uint8Array): Json =>
  reading(bytes, (reader) => readMessage(message, reader, bytes.length))

function readMessage({ rows }: AnyMessage, reader: BinaryReader, length: number): Json {
  const value: Json = {}
  readRecord(reader, length, (number) => {
    const row = rows.find((each) => each.number === number)
    if (row === undefined) return false
    const [name] = row.names
    const found = readValue(row.type, reader)
    const before = value[name]
    if (!row.isRepeated) value[name] = found
    else if (Array.isArray(before)) before.push(found)
    else value[name] = [found]
    return true
  })
  // In the order of the fields, as Go prints a struct.
  return Object.fromEntries(rows.flatMap(({ names: [name] }) => (name in value ? [[name, value[name]]] : [])))
}

function readValue(type: JsonType, reader: BinaryReader): unknown {
  if (typeof type === 'function') return readMessage(type(), reader, reader.uint32())
  if (type === 'bytes') return Buffer.from(reader.bytes()).toString('base64')
  if (type === 'string') return reader.string()
  if (type === 'bool') return reader.bool()
  if (type === 'uint32') return reader.uint32()
  if (type === 'int64' || type === 'uint64') return String(type === 'int64' ? reader.int64() : reader.uint64())
  const number = reader.int32()
  return type[number] ?? number
}
