/**
 * Decodes custom resources: prunes without converting. Removes fields unknown to the schema, and nulls that
 * are neither allowed nor replaced by a default; validation rejects values of the wrong type later. Keys are sorted. A walk that shares returns
 * what is canonical already as it is: a map of 70,000 members takes longer to copy than to parse.
 */

import { once } from '../../common/once.ts'
import { DecodeError, PartError } from '../decode-error.ts'
import { MapKey, type Walk } from '../decode-walk.ts'
import { isObject } from '../json/is-object.ts'
import { set } from '../json/members.ts'
import { pushPositions, sortFrom, sortTexts } from '../json/positions.ts'
import type { Field, Json, JsonObject, Message, Schema } from '../model.ts'

/** Reads a value. */
export type Reader = (value: Json, walk: Walk) => Json

/** Creates the reader of a message with fixed structure (metadata). */
type TypedReader = (schema: Message) => Reader

/** A copy of the first members. */
function firstOf(value: JsonObject, count: number): JsonObject {
  const copy: JsonObject = {}
  let left = count
  for (const key in value) {
    if (left-- === 0) break
    set(copy, key, value[key] as Json)
  }
  return copy
}

function items(value: readonly Json[], walk: Walk, read: Reader): Json[] {
  walk.enter()
  const at = walk.path.push(0) - 1
  let result: Json[] | undefined = walk.shares ? undefined : []
  for (let i = 0; i < value.length; i++) {
    walk.path[at] = i
    const item = value[i] as Json
    const own = item === null ? null : read(item, walk)
    if (result === undefined && own !== item) result = value.slice(0, i)
    result?.push(own)
  }
  walk.path.pop()
  walk.depth--
  return result ?? (value as Json[])
}

/** A scalar. As in Go's untyped decoder, integers beyond 64 bits become doubles. */
function scalar(value: Json): Json {
  return typeof value === 'bigint' && BigInt.asIntN(64, value) !== value ? Number(value) : value
}

/** Keeps everything, with sorted keys. */
function keep(value: Json, walk: Walk): Json {
  if (typeof value !== 'object' || value === null) return scalar(value)
  if (Array.isArray(value)) return items(value, walk, keep)
  walk.enter()
  const keys = Object.keys(value)
  walk.budget.countObject(keys.length)
  let result: JsonObject | undefined = sortTexts(keys) && walk.shares ? undefined : {}
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string
    const member = value[key] as Json
    const own = keep(member, walk)
    if (result === undefined && own !== member) result = firstOf(value, i)
    if (result !== undefined) set(result, key, own)
  }
  walk.depth--
  return result ?? value
}

/** Keeps scalars and lists; prunes all fields of objects. */
function empty(value: Json, walk: Walk): Json {
  if (typeof value !== 'object' || value === null) return scalar(value)
  if (Array.isArray(value)) return items(value, walk, empty)
  const keys = Object.keys(value)
  for (const key of keys) walk.addUnknown(key)
  return walk.shares && keys.length === 0 ? value : {}
}

interface Member {
  readonly name: string
  readonly read: Reader
  readonly keepsNull: boolean
  /** Written as an empty object when absent: metadata of a whole object. */
  readonly always: boolean
}

/** Reads metadata; in lenient mode, malformed metadata is read member by member. */
function metadataIn(read: Reader, value: Json, walk: Walk): Json {
  const { length } = walk.path
  const { depth } = walk
  const attempt = (part: Json): Json | undefined => {
    try {
      return read(part, walk)
    } catch (error) {
      if (!walk.lenient || !(error instanceof DecodeError)) throw error
      walk.path.length = length
      walk.depth = depth
      return undefined
    }
  }
  const whole = attempt(value)
  if (whole !== undefined) return whole
  const result: JsonObject = {}
  if (isObject(value)) for (const name of Object.keys(value)) Object.assign(result, attempt({ [name]: value[name] as Json }))
  return result
}

/** Kind or apiVersion of an embedded object. */
const embeddedText: Reader = (value, walk) => {
  if (typeof value === 'string') return value
  if (walk.lenient) return null
  throw new PartError(walk.fieldPath(), value, 'must be a string')
}

/** Metadata of an embedded object. */
function embeddedMetadata(read: Reader): Reader {
  return (value, walk) => {
    const { origin } = walk
    walk.origin = walk.path.length
    try {
      return metadataIn(read, value, walk)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      walk.path.length = walk.origin
      throw new PartError(walk.fieldPath(), value, error.message)
    } finally {
      walk.origin = origin
    }
  }
}

function rootMetadata(read: Reader): Reader {
  return (value, walk) => {
    walk.origin = walk.path.length
    const result = walk.lenient ? metadataIn(read, value, walk) : read(value, walk)
    walk.origin = 0
    return result
  }
}

function memberOf(name: string, { schema, default: value }: Field, owner: Message, typed: TypedReader): Member {
  const embedded = owner.facets?.embeddedResource === true
  const keepsNull = schema.facets?.nullable === true || value !== undefined
  if (schema.type === 'message' && !schema.open) {
    const read = typed(schema)
    return { name, read: embedded ? embeddedMetadata(read) : rootMetadata(read), keepsNull, always: !embedded }
  }
  const isTypeMeta = embedded && (name === 'kind' || name === 'apiVersion')
  return { name, read: isTypeMeta ? embeddedText : lazyReader(schema, typed), keepsNull, always: false }
}

/** Made on first use: most objects have few of the fields that a schema has. */
function lazyReader(schema: Schema, typed: TypedReader): Reader {
  if (schema.type !== 'message' && schema.type !== 'list') return openReader(schema, typed)
  const reader = once(() => openReader(schema, typed))
  return (value, walk) => reader()(value, walk)
}

function objectReader(schema: Message, typed: TypedReader, keeps: boolean): Reader {
  const members = [...schema.json].map(([name, field]) => memberOf(name, field, schema, typed))
  const positions = new Map(members.map(({ name }, position) => [name, position]))
  const { additional } = schema
  const others = additional ? openReader(additional, typed) : keeps ? keep : undefined
  const keepsNulls = additional === undefined || additional.facets?.nullable === true || additional.facets?.nullDefault !== undefined
  const mismatched = keeps ? keep : empty
  const always = members.find((member) => member.always)?.name
  return (given, walk) => {
    if (!isObject(given)) return mismatched(given, walk)
    walk.enter()
    const value = always !== undefined && !given[always] ? { ...given, [always]: {} } : given
    return readObject(value, walk)
  }

  function readObject(value: JsonObject, walk: Walk): JsonObject {
    const given = walk.positions
    const start = given.height
    const rest = pushPositions(positions, value, given) as string[]
    walk.budget.countObject(others === undefined ? 0 : rest.length)
    const inOrder = sortFrom(given, start)
    const isSorted = sortTexts(rest) && inOrder
    const end = given.height
    /** Undefined while the members so far stay as they are, in their order. */
    let result: JsonObject | undefined = walk.shares && isSorted && (start === end || rest.length === 0) ? undefined : {}
    for (let at = start; at < end; at++) {
      const { name, read, keepsNull } = members[given.items[at] as number] as Member
      const member = value[name] as Json
      let own: Json | undefined = null
      if (member !== null) {
        walk.path.push(name)
        own = read(member, walk)
        walk.path.pop()
      } else if (!keepsNull) own = undefined
      if (result === undefined && own !== member) result = firstOf(value, at - start)
      if (result !== undefined && own !== undefined) set(result, name, own)
    }
    given.height = start
    for (let i = 0; i < rest.length; i++) {
      const key = rest[i] as string
      const member = value[key] as Json
      let own: Json | undefined
      if (others === undefined) walk.addUnknown(key)
      else if (member !== null) {
        walk.path.push(new MapKey(key))
        own = others(member, walk)
        walk.path.pop()
      } else if (keepsNulls) own = null
      if (result === undefined && own !== member) result = firstOf(value, i)
      if (result !== undefined && own !== undefined) set(result, key, own)
    }
    walk.depth--
    return result ?? value
  }
}

/** The reader of a custom resource's schema. `keeps`: keep unknown fields of the value itself. */
export function openReader(schema: Schema, typed: TypedReader, keeps = false): Reader {
  const kept = keeps || schema.facets?.preserveUnknown === true
  const other = kept ? keep : empty
  switch (schema.type) {
    case 'message':
      return objectReader(schema, typed, kept)
    case 'list': {
      const read = openReader(schema.items, typed, kept)
      return (value, walk) => (Array.isArray(value) ? items(value, walk, read) : other(value, walk))
    }
    default:
      return other
  }
}
