import type { Field, Fields, List, MapOf, Message, MessageOptions, Schema } from '../schema/model.ts'
import { message } from '../schema/model.ts'

type Descriptors = { readonly [name: string]: PropertyDescriptor }

/** A copy with one property replaced by what a function returns at the first read; other getters stay getters. */
function withLazy<T extends object>(original: T, name: string, read: () => unknown): T {
  let made: unknown
  const get = () => {
    made ??= read()
    return made
  }
  return Object.defineProperties({}, {
    ...Object.getOwnPropertyDescriptors(original),
    [name]: { enumerable: true, get },
  } as Descriptors as PropertyDescriptorMap) as T
}

/**
 * Returns a function that gives the messages among `own` to a Go package, wherever a schema refers to them; others stay as they are. The
 * reference declares all types of a version anew, and OpenAPI models and decoding errors have the names of that version, while versions with
 * equal messages share them here. Nothing is copied before it is used.
 */
export function ownMessages(own: readonly Message[], goPackage: string): (schema: Message) => Message {
  // A message narrowed for one field is a copy that shares `fields` with the original.
  const known = new Set<Fields>(own.filter(({ open }) => !open).map(({ fields }) => fields))
  const copiedFields = new Map<Fields, Fields>()
  const copies = new Map<Message, Message>()

  const fieldsOf = (fields: Fields): Fields => {
    let copy = copiedFields.get(fields)
    if (copy === undefined) {
      copy = Object.fromEntries(
        Object.entries(fields).map(([name, field]) => [name, withLazy<Field>(field, 'schema', () => copyOf(field.schema))]),
      )
      copiedFields.set(fields, copy)
    }
    return copy
  }

  const messageOf = (schema: Message): Message => {
    let copy = copies.get(schema)
    if (copy === undefined) {
      const { type: _, name, doc, fields, json: __, ...options } = schema
      copy = message(name, doc, fieldsOf(fields)).with({ ...options, goPackage } as MessageOptions<Fields>)
      copies.set(schema, copy)
    }
    return copy
  }

  const copyOf = <S extends Schema>(schema: S): S => {
    switch (schema.type) {
      case 'message':
        return (schema.open || !known.has(schema.fields) ? schema : messageOf(schema)) as S
      case 'list':
        return withLazy<List>(schema, 'items', () => copyOf(schema.items)) as S
      case 'map':
        return withLazy<MapOf>(schema, 'values', () => copyOf(schema.values)) as S
      default:
        return schema
    }
  }
  return copyOf
}
