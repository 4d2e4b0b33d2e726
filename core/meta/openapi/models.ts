import type { ResourceDefinition } from '../../resources/definition.ts'
import { listSchemaOf } from '../../resources/list.ts'
import type { JsonObject, Message } from '../../schema/model.ts'
import type { Dialect } from './dialect.ts'
import type { Kinds } from './kinds.ts'
import type { ModelNames } from './model-names.ts'
import { createSchemaWriter } from './schema-writer.ts'

/** The models of one document. Using one adds it, and all that it refers to; each is written once. */
export interface Models {
  /** Reference to the model of a built-in message. */
  message(message: Message): JsonObject
  /** Reference to the model of a resource's objects. */
  object(definition: ResourceDefinition): JsonObject
  /** Reference to the model of its lists. */
  list(definition: ResourceDefinition): JsonObject
  /** Reference to a model of shared machinery that is no message. */
  machinery(path: string, schema: JsonObject): JsonObject
  /** By name, in the order of names. */
  all(): { readonly [name: string]: JsonObject }
}

export function createModels(dialect: Dialect, names: ModelNames, kinds: Kinds): Models {
  const models = new Map<string, JsonObject>()
  // Custom resources have names as a whole; what is inside them has none.
  const customs = new Map<Message['fields'], string>()
  const nameOf = (message: Message) => names.of(message) ?? customs.get(message.fields)
  const referTo = (name: string): JsonObject => ({ $ref: `${dialect.models}${name}` })

  const write = createSchemaWriter(dialect, {
    message(message) {
      const name = nameOf(message)
      return name === undefined ? undefined : add(name, message, false)
    },
    machinery: (path, schema) => addSchema(names.machinery(path), schema),
  })

  const add = (name: string, message: Message, custom: boolean): JsonObject => {
    if (models.has(name)) return referTo(name)
    const schema: JsonObject = {}
    models.set(name, schema)
    Object.assign(schema, write(message, custom))
    const registered = kinds.get(name)
    if (registered) schema['x-kubernetes-group-version-kind'] = registered.map((kind) => ({ ...kind }))
    return referTo(name)
  }

  const addSchema = (name: string, schema: JsonObject): JsonObject => {
    models.set(name, schema)
    return referTo(name)
  }

  const object = (definition: ResourceDefinition) => {
    const { schema } = definition
    const name = names.object(definition)
    const custom = names.of(schema) === undefined
    if (custom) customs.set(schema.fields, name)
    return add(name, schema, custom)
  }

  return {
    object,
    message(message) {
      const name = names.of(message)
      if (name === undefined) throw new Error(`message ${message.name} belongs to no package`)
      return add(name, message, false)
    },
    list(definition) {
      object(definition)
      const name = names.list(definition)
      return models.has(name) ? referTo(name) : add(name, listSchemaOf(definition), false)
    },
    machinery: (path, schema) => addSchema(names.machinery(path), schema),
    all: () => Object.fromEntries([...models].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}
