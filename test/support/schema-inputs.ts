/** Large values for every node of a schema: long, wide, deep and repeated. Derived from the schema, and therefore for every kind. */
import type { Field, Json, JsonObject, Message, Schema } from '../../core/schema/model.ts'

/** An input of about the given size. */
export interface Input {
  /** Place in the object and shape of the large value, such as `spec.containers[].env wide`. */
  readonly name: string
  /** The object with a large value in one place; with `shift`, lists and maps start with another item. */
  make(bytes: number, shift?: number): JsonObject
}

interface Node {
  readonly path: readonly string[]
  readonly schema: Schema
  /** A copy of the base object with this value at the node. */
  put(value: Json): JsonObject
}

/** Texts that parsers and patterns may scan repeatedly; each is repeated up to the size. */
export const units = [
  'a',
  ',',
  'a.',
  '0',
  '1.',
  '-',
  '/',
  'a,',
  ':',
  '"',
  '\\',
  ' ',
  'é',
  '=',
  '(',
  'iqn.2001-04.',
  '::',
  '%',
  '\n',
  '{',
  '*/',
]

export const long = (unit: string, bytes: number) => unit.repeat(Math.ceil(bytes / unit.length))

const scalars: { readonly [type in Exclude<Schema['type'], 'message' | 'list' | 'map' | 'any'>]: (index: number) => Json } = {
  string: (index) => `x${index}`,
  bytes: () => 'eA==',
  bool: () => true,
  int32: (index) => index % 60_000,
  int64: (index) => index,
  double: (index) => index,
  time: () => '2026-01-01T00:00:00Z',
  microTime: () => '2026-01-01T00:00:00.000000Z',
  duration: () => '1s',
  quantity: () => '1',
  intOrString: (index) => index % 60_000,
}

/** A small value of the schema with all scalars set; the same for the same index. */
function small(schema: Schema, index: number, depth: number): Json {
  switch (schema.type) {
    case 'message': {
      const object: JsonObject = {}
      for (const [name, field] of schema.json) {
        const { type } = field.schema
        if (depth > 0 || !(type === 'message' || type === 'list' || type === 'map' || type === 'any'))
          if (type !== 'any') object[name] = small(field.schema, index, depth - 1)
      }
      return object
    }
    case 'list':
      return depth > 0 ? [small(schema.items, index, depth - 1)] : []
    case 'map':
      return depth > 0 ? { [`k${index}`]: small(schema.values, index, depth - 1) } : {}
    case 'any':
      return {}
    default:
      return scalars[schema.type](index)
  }
}

/** The value with only its first string field, usually its name. */
function named(schema: Schema, index: number): Json {
  if (schema.type !== 'message') return small(schema, index, 0)
  const [name] = [...schema.json].find(([, own]) => own.schema.type === 'string') ?? []
  return name === undefined ? {} : { [name]: `x${index}` }
}

/** Items up to a total size, each with `more` added. */
function fill(bytes: number, make: (index: number) => Json, more = 1): Json[] {
  const items: Json[] = []
  for (let size = 0, each = 0, index = 0; size < bytes; index++) {
    const item = make(index)
    if (index % 16 === 0) each = JSON.stringify(item).length + more
    size += each
    items.push(item)
  }
  return items
}

function nested(bytes: number, list: boolean): Json {
  let value: Json = 'x'.repeat(bytes / 2)
  for (let depth = 0; depth < 200; depth++) value = list ? [value, 'y'] : { x: value, y: 1 }
  return value
}

/** Characters of a key in a large map, with its quotes, colon and comma. */
const keySize = 10
/** A map of about this size. */
const fillMap = (bytes: number, make: (index: number) => Json): JsonObject =>
  Object.fromEntries(fill(bytes, make, keySize).map((item, index) => [`k${index}`, item]))

/** Large values for a node, by its type. */
function shapesOf(schema: Schema): { readonly [name: string]: (bytes: number, shift: number) => Json } {
  switch (schema.type) {
    case 'message':
      return {
        empty: () => ({}),
        'wide everywhere': (bytes, shift) => {
          const wide = [...schema.json].filter(([, { schema: own }]) => own.type === 'list' || own.type === 'map')
          const value = small(schema, 0, 0) as JsonObject
          for (const [name, field] of wide) value[name] = wideValue(field.schema, bytes / wide.length, (index) => index + shift)
          return value
        },
      }
    case 'list':
    case 'map':
      return {
        null: () => null,
        wide: (bytes, shift) => wideValue(schema, bytes, (index) => index + shift),
        repeated: (bytes, shift) => wideValue(schema, bytes, () => shift),
        deep: (bytes, shift) => wideValue(schema, bytes, (index) => index + shift, 2),
        ...(schema.type === 'list' && {
          names: (bytes: number, shift: number) => fill(bytes, (index) => named(schema.items, index + shift)),
        }),
        ...(schema.type === 'map' && { 'long key': (bytes: number) => ({ [long('k', bytes)]: small(schema.values, 0, 1) }) }),
      }
    case 'any':
      return {
        wide: (bytes, shift) => fillMap(bytes, (index) => `x${index + shift}`),
        nested: (bytes) => nested(bytes, false),
        lists: (bytes) => nested(bytes, true),
      }
    case 'bool':
      return {}
    default:
      return Object.fromEntries(units.map((unit) => [`long ${JSON.stringify(unit)}`, (bytes: number) => long(unit, bytes)]))
  }
}

function wideValue(schema: Schema, bytes: number, pick: (index: number) => number, depth = 1): Json {
  if (schema.type === 'list') return fill(bytes, (index) => small(schema.items, pick(index), depth))
  return schema.type === 'map' ? fillMap(bytes, (index) => small(schema.values, pick(index), depth)) : null
}

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every node below a message, each declared field once. `seen`: fields already visited, shared by several kinds. */
function* nodesOf(message: Message, base: JsonObject, seen: Set<Field>): Generator<Node> {
  const walk = function* (schema: Schema, node: Node): Generator<Node> {
    yield node
    if (schema.type === 'message') {
      for (const [name, field] of schema.json) {
        if (seen.has(field)) continue
        seen.add(field)
        yield* walk(
          field.schema,
          child(node, name, field.schema, (parent, value) => ({ ...(isObject(parent) ? parent : {}), [name]: value })),
        )
      }
    } else if (schema.type === 'list')
      yield* walk(
        schema.items,
        child(node, '[]', schema.items, (parent, value) => [value, ...(Array.isArray(parent) ? parent.slice(1) : [])]),
      )
    else if (schema.type === 'map')
      yield* walk(
        schema.values,
        child(node, '{}', schema.values, (parent, value) => ({ ...(isObject(parent) ? parent : {}), k: value })),
      )
  }
  const child = (parent: Node, name: string, schema: Schema, join: (parent: Json | undefined, value: Json) => Json): Node => ({
    path: [...parent.path, name],
    schema,
    put: (value) => parent.put(join(at(base, parent.path), value)),
  })
  yield* walk(message, { path: [], schema: message, put: (value) => ({ ...base, ...(value as JsonObject) }) })
}

/** The value of the base object at a path; the first item of lists and maps. */
function at(base: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = base
  for (const step of path) {
    if (step === '[]') value = Array.isArray(value) ? value[0] : undefined
    else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  }
  return value
}

/** Bytes of the values that tell shapes apart. */
const sampleSize = 200

/** All inputs for a kind; `base`: its smallest valid object. */
export function* schemaInputs(message: Message, base: JsonObject, seen = new Set<Field>()): Generator<Input> {
  for (const { path, schema, put } of nodesOf(message, base, seen)) {
    if (path[0] === 'kind' || path[0] === 'apiVersion') continue
    const known = new Set<string>()
    for (const [shape, make] of Object.entries(shapesOf(schema))) {
      // Lists of texts look the same wide and deep.
      const sample = JSON.stringify(make(sampleSize, 0))
      if (known.has(sample)) continue
      known.add(sample)
      yield { name: `${path.join('.') || 'object'} ${shape}`, make: (bytes, shift = 0) => put(make(bytes, shift)) }
    }
  }
}

/** Bytes that each part of a dense input counts as: what a part costs is not less because it is short. */
export const partSize = 32

/** As many of the smallest parts as there are room for: empty objects, empty texts, short keys. */
function dense(schema: Schema, bytes: number): Json {
  const count = Math.ceil(bytes / partSize)
  const part = (of: Schema): Json => {
    if (of.type === 'message' || of.type === 'map') return {}
    return of.type === 'list' ? [] : of.type === 'any' ? 0 : scalars[of.type](0)
  }
  if (schema.type === 'map')
    return Object.fromEntries(Array.from({ length: count }, (_, index) => [index.toString(36), part(schema.values)]))
  return Array.from({ length: count }, () => (schema.type === 'list' ? part(schema.items) : 0))
}

/** Inputs of `bytes / partSize` parts for every list and map of a kind, each declared field once. */
export function* denseInputs(message: Message, base: JsonObject, seen: Set<Field>): Generator<Input> {
  for (const { path, schema, put } of nodesOf(message, base, seen)) {
    if (schema.type !== 'list' && schema.type !== 'map') continue
    yield { name: path.join('.'), make: (bytes) => put(dense(schema, bytes)) }
  }
}
