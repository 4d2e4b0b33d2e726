/** Reads kind and apiVersion of an object in CBOR before anything else is decoded, as the reference reads them (its TypeMeta). */
import { DecodeError } from '../decode-error.ts'
import { quote } from '../go/quote.ts'
import { decodeCbor } from './decode.ts'
import { HeadReader, indefinite, major, nameOf } from './head.ts'
import { checkWellFormed, passItem } from './well-formed.ts'

export interface CborTypeMeta {
  kind: string
  apiVersion: string
}

const goName = 'v1.TypeMeta'
const isNull = 0xf6
const isField = (key: string): key is keyof CborTypeMeta => key === 'kind' || key === 'apiVersion'

const unfit = (type: string, into: string, why = '') => new DecodeError(`cbor: cannot unmarshal ${type} into Go ${into}${why}`)

/** The next item, which is passed. */
function taken(reader: HeadReader): Uint8Array {
  const start = reader.at
  passItem(reader)
  return reader.bytes.subarray(start, reader.at)
}

/** The name of the type of a well-formed item, behind its tags, in errors. */
export function cborTypeOf(item: Uint8Array): string {
  const reader = new HeadReader(item)
  do reader.read()
  while (reader.type === major.tag)
  return nameOf(reader.type)
}

function keyOf(item: Uint8Array): string {
  const type = (item[0] as number) >> 5
  const key = type === major.array || type === major.map || type > major.map ? undefined : decodeCbor(item)
  if (typeof key === 'string') return quote(key)
  if (typeof key === 'number' || typeof key === 'bigint') return String(key)
  const why = ` (map key is of type ${nameOf(type)} and cannot be used to match struct field name)`
  throw unfit(nameOf(type), 'value of type string', why)
}

function textOf(item: Uint8Array, key: string): string {
  if (item[0] === isNull) return ''
  const value = ['byte string', 'UTF-8 text string'].includes(cborTypeOf(item)) ? decodeCbor(item) : undefined
  if (typeof value === 'string') return value
  throw unfit(cborTypeOf(item), `struct field ${goName}.${key} of type string`)
}

/** Kind and apiVersion, empty when absent. Throws DecodeError unless the bytes are a well-formed map with strings in these places, and no key twice. */
export function readCborTypeMeta(bytes: Uint8Array): CborTypeMeta {
  checkWellFormed(bytes)
  const reader = new HeadReader(bytes)
  do reader.read()
  while (reader.type === major.tag)
  const found: CborTypeMeta = { kind: '', apiVersion: '' }
  const { type, info, argument } = reader
  if (type === major.simple && info === (isNull & 31)) return found
  if (type !== major.map)
    throw unfit(
      nameOf(type),
      `value of type ${goName}`,
      type === major.array ? ' (cannot decode CBOR array to struct without toarray option)' : '',
    )
  const keys = new Set<string>()
  let error: DecodeError | undefined
  for (let index = 0; info === indefinite ? !reader.atBreak : index < argument; index++) {
    const [key, value] = [taken(reader), taken(reader)]
    try {
      const name = keyOf(key)
      if (keys.has(name)) throw new DecodeError(`cbor: found duplicate map key ${name} at map element index ${index}`)
      keys.add(name)
      const own = name.slice(1, -1)
      if (isField(own)) found[own] = textOf(value, own)
    } catch (fault) {
      if (!(fault instanceof DecodeError)) throw fault
      if (fault.message.includes('duplicate')) throw fault
      error ??= fault
    }
  }
  if (error !== undefined) throw error
  return found
}
