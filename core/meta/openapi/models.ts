import type { ResourceDefinition } from '../../resources/definition.ts'
import { listSchemaOf } from '../../resources/list.ts'
import { ListMeta } from '../../resources/meta/listmeta.ts'
import { ObjectMeta } from '../../resources/meta/objectmeta.ts'
import type { JsonObject, Message } from '../../schema/model.ts'
import type { Dialect } from './dialect.ts'
import type { Kinds } from './kinds.ts'
import { isAsWritten, type ModelNames } from './model-names.ts'
import { type CommonFields, publishedSchema } from './published.ts'
import { inOrder } from './schema-order.ts'
import { createSchemaWriter, typeMeta } from './schema-writer.ts'

/** Metadata field of custom resources. */
const metadataField = {
  schema: ObjectMeta as Message,
  doc: "Standard object's metadata: name, labels and what else every object carries.",
}

/** The models of one document. A reference adds the model and everything it refers to, each once. */
export interface Models {
  /** Reference to a built-in message. */
  message(message: Message): JsonObject
  /** Reference to a resource's objects. */
  object(definition: ResourceDefinition): JsonObject
  /** Reference to a resource's lists. */
  list(definition: ResourceDefinition): JsonObject
  /** Reference to a machinery model that is in no group version. */
  machinery(path: string, schema: JsonObject | Message): JsonObject
  /** Whether it is a reference to a machinery model. */
  isMachinery(reference: JsonObject): boolean
  /** Sorted by name. */
  all(): { readonly [name: string]: JsonObject }
}

/** Selectable fields of a custom resource. */
function selectableFields({ selectable = {} }: ResourceDefinition): JsonObject {
  const fields = Object.keys(selectable).map((fieldPath) => ({ fieldPath }))
  return fields.length > 0 ? { 'x-kubernetes-selectable-fields': fields } : {}
}

const isMessage = (schema: JsonObject | Message): schema is Message => schema.type === 'message'

export function createModels(dialect: Dialect, names: ModelNames, kinds: Kinds): Models {
  const models = new Map<string, JsonObject>()
  /** Names of custom resources; nested messages have none. */
  const customs = new Map<Message, string>()
  const referTo = (name: string): JsonObject => ({ $ref: `${dialect.models}${name}` })

  const nameOf = (message: Message): string => {
    const name = customs.get(message) ?? names.of(message)
    if (name === undefined) throw new Error(`message ${message.name} belongs to no package`)
    return name
  }

  const write = createSchemaWriter(dialect, {
    message: (message) => add(nameOf(message), () => write(message)),
    machinery: (path, schema) => add(names.machinery(path), () => schema),
    any: ({ path, object }) => add(names.below(path), () => ({ description: 'Any JSON value.', ...(object && { type: 'object' }) })),
  })

  const add = (name: string, make: () => JsonObject): JsonObject => {
    if (models.has(name)) return referTo(name)
    const schema: JsonObject = {}
    models.set(name, schema)
    const registered = kinds.get(name)?.map(({ group, version, kind }) => ({ group, kind, version }))
    Object.assign(schema, inOrder({ ...make(), ...(registered && { 'x-kubernetes-group-version-kind': registered }) }))
    return referTo(name)
  }

  const commonFields = (): CommonFields => {
    const { schema, doc } = metadataField
    return { ...typeMeta, metadata: { ...dialect.besides(add(nameOf(schema), () => write(schema))), description: doc } }
  }

  const object = (definition: ResourceDefinition) => {
    const { schema } = definition
    const name = names.object(definition)
    if (!isAsWritten(definition)) return add(name, () => write(schema))
    customs.set(schema, name)
    return add(name, () => ({
      ...publishedSchema(definition.origin.published?.(), dialect, commonFields()),
      ...selectableFields(definition),
    }))
  }

  /** As for built-in lists, but without default of the metadata, in the reference as here. */
  const customList = (definition: ResourceDefinition): JsonObject => {
    const { kind, names: words } = definition
    const items = { description: `List of ${words.plural}.`, type: 'array', items: object(definition) }
    const metadata = { description: 'Version and paging of the list.', ...dialect.besides(add(nameOf(ListMeta), () => write(ListMeta))) }
    return {
      description: `A list of ${kind} objects.`,
      type: 'object',
      required: ['items'],
      properties: { apiVersion: typeMeta.apiVersion, items, kind: typeMeta.kind, metadata },
      ...selectableFields(definition),
    }
  }

  return {
    object,
    message: (message) => add(nameOf(message), () => write(message)),
    list(definition) {
      object(definition)
      return add(names.list(definition), () => (isAsWritten(definition) ? customList(definition) : write(listSchemaOf(definition))))
    },
    machinery: (path, schema) => add(names.machinery(path), () => (isMessage(schema) ? write(schema) : schema)),
    isMachinery: ({ $ref }) => String($ref).startsWith(`${dialect.models}${names.below('apimachinery.')}`),
    all: () => Object.fromEntries([...models].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}
