/** Bodies in CBOR (KEP-4222): their values, and the errors that the reference's serializer has. */

import { badRequest } from '../answers/status.ts'
import { unrecognizedObject } from '../request/json.ts'
import { decodeCbor } from '../schema/cbor/decode.ts'
import { diagnose } from '../schema/cbor/diagnostic.ts'
import { type CborTypeMeta, cborTypeOf, readCborTypeMeta } from '../schema/cbor/type-meta.ts'
import { Base64Error, DecodeError, TypeMismatch } from '../schema/decode-error.ts'
import { structName } from '../schema/go/struct.ts'
import { isObject } from '../schema/json/is-object.ts'
import type { Json, JsonObject, Message, Schema } from '../schema/model.ts'
import type { BodyKind } from './type-meta.ts'

/** Maximum characters of a body in an error. */
const maxShown = 1024
const isTyped = (key: string) => key === 'kind' || key === 'apiVersion'

/** What `read` returns; errors of CBOR are thrown as `refuse` makes them. */
export function readingCbor<T>(read: () => T, refuse: (why: string) => Error): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof DecodeError ? refuse(error.message) : error
  }
}

const headerOf = (bytes: Uint8Array, kind: BodyKind): CborTypeMeta =>
  readingCbor(
    () => readCborTypeMeta(bytes),
    (why) => unrecognizedObject(kind.kind, `unable to determine group/version/kind: ${why}`, bytes),
  )

/** The value of a body for this kind. Throws 400. */
export function cborValue(bytes: Uint8Array, kind: BodyKind): JsonObject | null {
  return kind.origin?.typeMeta === 'explicit' ? statedObject(bytes, kind) : impliedObject(bytes, kind)
}

const cannotHandle = (given: CborTypeMeta, kind: BodyKind, version: string, why: string) =>
  badRequest(`${given.kind || kind.kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind.kind}: ${why}`)

/** Go's ParseGroupVersion, which takes what is malformed for absent here. */
const isMalformed = (apiVersion: string) => apiVersion.split('/').length > 2
const versionOf = ({ apiVersion }: CborTypeMeta, kind: BodyKind) =>
  apiVersion === '' ? kind.version : (apiVersion.split('/').at(-1) as string)

/** An object that may leave out its type, which is read first. */
function impliedObject(bytes: Uint8Array, kind: BodyKind): JsonObject | null {
  const header = headerOf(bytes, kind)
  const isAbsent = isMalformed(header.apiVersion)
  if (isAbsent) header.apiVersion = ''
  const value = readingCbor(
    () => decodeCbor(bytes),
    (why) => cannotHandle(header, kind, versionOf(header, kind), why),
  ) as JsonObject | null
  if (isAbsent && value !== null) value['apiVersion'] = ''
  return value
}

/** An object that must state its type, which is read by itself only if the object can't be. */
function statedObject(bytes: Uint8Array, kind: BodyKind): JsonObject {
  let value: Json
  try {
    value = decodeCbor(bytes)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const header = headerOf(bytes, kind)
    throw cannotHandle(header, kind, versionOf(header, kind), error.message)
  }
  if (value !== null && !isObject(value)) headerOf(bytes, kind)
  const [given = '', apiVersion = ''] = ['kind', 'apiVersion'].map((name) => {
    const text = (value as JsonObject | null)?.[name]
    return typeof text === 'string' ? text : ''
  })
  if (given === '') throw unrecognizedObject(kind.kind, `Object 'Kind' is missing in '${diagnose(bytes, maxShown)}'`, bytes)
  if (apiVersion === '')
    throw cannotHandle({ kind: given, apiVersion }, kind, '', `Object 'apiVersion' is missing in '${diagnose(bytes, maxShown)}'`)
  return value as JsonObject
}

/** The value of an applied configuration. Throws 400. */
export function cborConfiguration(bytes: Uint8Array): JsonObject | null {
  const refuse = (why: string) => badRequest(`error decoding YAML: ${why}`)
  const value = readingCbor(() => decodeCbor(bytes), refuse)
  if (value === null || isObject(value)) return value
  throw refuse(`cbor: cannot unmarshal ${cborTypeOf(bytes)} into Go value of type map[string]interface {}`)
}

/** The name of a value's type in errors: encoders write texts as byte strings. */
function typeNameOf(value: Json): string {
  if (typeof value === 'string') return 'byte string'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'object' && value !== null) return 'map'
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return (value as number) < 0 ? 'negative integer' : 'positive integer'
  return 'primitives'
}

const mismatched = /Go struct field \w+\.(\w+)/

/** Why a value is no object of the schema: of a path, Go's decoder names the first field. */
export function cborFault(error: DecodeError, schema: Message): string {
  if (error instanceof Base64Error) return `cbor: failed to decode base64 from byte string: ${error.message}`
  const field = mismatched.exec(error.message)?.[1]
  if (!(error instanceof TypeMismatch) || field === undefined) return error.message
  return `cbor: cannot unmarshal ${typeNameOf(error.value)} into Go struct field ${structName(schema)}.${field} of type ${error.typeName}`
}

/** Strict decoding errors: of all unknown fields, Go's decoder names one by its place among its neighbours. */
export function cborFaults(schema: Message, value: JsonObject | null): readonly string[] {
  const place = value === null || schema.open ? undefined : unknownPlace(schema, value, isTyped)
  return place === undefined ? [] : [`cbor: found unknown field at map element index ${place}`]
}

const never = () => false

function unknownPlace(schema: Schema | undefined, value: Json, isKnown: (key: string) => boolean = never): number | undefined {
  if (typeof value !== 'object' || value === null || schema === undefined) return undefined
  if (Array.isArray(value)) return schema.type === 'list' ? firstPlace(value, () => schema.items) : undefined
  if (schema.type === 'map') return firstPlace(Object.values(value), () => schema.values)
  if (schema.type !== 'message') return undefined
  const keys = Object.keys(value)
  const unknown = keys.findIndex((key) => !isKnown(key) && !schema.json.has(key))
  return unknown >= 0 ? unknown : firstPlace(Object.values(value), (index) => schema.json.get(keys[index] as string)?.schema)
}

function firstPlace(values: readonly Json[], schemaOf: (index: number) => Schema | undefined): number | undefined {
  for (const [index, value] of values.entries()) {
    const found = unknownPlace(schemaOf(index), value)
    if (found !== undefined) return found
  }
  return undefined
}
