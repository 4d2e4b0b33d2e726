import { once } from '../common/once.ts'
import type { Field, Fields, List, MapOf, Message, MessageOptions, Schema } from '../schema/model.ts'
import { message, sourceOf } from '../schema/model.ts'

type Descriptors = { readonly [name: string]: PropertyDescriptor }

/** The options of a message, which are its properties without those that are made at the first read. */
function optionsOf(schema: Message): MessageOptions<Fields> {
  const { type: _, name: __, doc: ___, fields: ____, ...own } = Object.getOwnPropertyDescriptors(schema)
  return Object.fromEntries(Object.entries(own).flatMap(([name, { get, value }]) => (get || name === 'with' ? [] : [[name, value]])))
}

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
 * Returns a function that gives the messages that `declared` returns to a Go package, wherever a schema refers to them; others stay as they are. The
 * reference declares all types of a version anew, and OpenAPI models and decoding errors have the names of that version, while versions with
 * equal messages share them here. Nothing is copied before it is used.
 */
export function ownMessages(declared: () => readonly Message[], goPackage: string): (schema: Message) => Message {
  const known = once(() => new Set<unknown>(declared().flatMap((schema) => (schema.open ? [] : [sourceOf(schema)]))))
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
      copy = message(schema.name, schema.doc, () => fieldsOf(schema.fields)).with({ ...optionsOf(schema), goPackage })
      copies.set(schema, copy)
    }
    return copy
  }

  const copyOf = <S extends Schema>(schema: S): S => {
    switch (schema.type) {
      case 'message':
        return (schema.open || !known().has(sourceOf(schema)) ? schema : messageOf(schema)) as S
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
