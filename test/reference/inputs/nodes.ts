/** Every place in an object, by its schema. */
import type { Field, Json, JsonObject, Message, Schema } from '../../../core/schema/model.ts'
import { plausible } from './plausible.ts'

export interface Node {
  /** Such as `spec.containers[].ports[].name`. */
  readonly path: string
  readonly schema: Schema
  /** Absent for items of lists, values of maps and the object itself. */
  readonly field?: Field
  /** An earlier kind has the same field of the same message. */
  readonly seen: boolean
  /** A copy of the base object with this value at the place; undefined leaves it out. Missing parents become plausible ones. */
  put(value: Json | undefined): JsonObject
}

/**
 * Fields of messages that are tried. A field that several messages share counts for each of them: requests do not become fewer when the
 * code of two definitions is shared.
 */
export class TriedFields {
  private readonly messages = new Map<Field, Set<string>>()

  /** Whether the message's field was added before; adds it. */
  hasOrAdd(message: string, field: Field): boolean {
    const names = this.messages.get(field) ?? new Set<string>()
    const had = names.has(message)
    this.messages.set(field, names.add(message))
    return had
  }
}

/** How often a message may contain itself. */
const depth = 2

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

const isWritten = (name: string) => name !== 'status'

/** All places below an object, parents first. `seen`: fields of earlier kinds; grows. `inTop`: fields of the object that are entered. */
export function* nodesOf(
  message: Message,
  base: JsonObject,
  seen: TriedFields,
  inTop: (name: string) => boolean = isWritten,
): Generator<Node> {
  yield { path: '', schema: message, seen: false, put: (value) => ({ ...base, ...(value as JsonObject) }) }
  yield* below(message, '', base, (value) => value as JsonObject, seen, [], inTop)
}

/** `current`: the value at this place in the base object; `put` replaces it. */
function* below(
  schema: Schema,
  path: string,
  current: Json | undefined,
  put: (value: Json) => JsonObject,
  seen: TriedFields,
  above: readonly string[],
  inTop: (name: string) => boolean = () => true,
): Generator<Node> {
  if (schema.type === 'message') {
    if (above.filter((name) => name === schema.name).length >= depth) return
    for (const [name, field] of schema.json) {
      if (!inTop(name)) continue
      const known = seen.hasOrAdd(schema.name, field)
      const parent = isObject(current) ? current : (plausible(schema) as JsonObject)
      const replace = (value: Json | undefined) => {
        const { [name]: _, ...others } = parent
        return put(value === undefined ? others : { ...others, [name]: value })
      }
      const at = path === '' ? name : `${path}.${name}`
      yield { path: at, schema: field.schema, field, seen: known, put: replace }
      yield* below(field.schema, at, parent[name], replace, seen, [...above, schema.name])
    }
  } else if (schema.type === 'list') {
    const items = Array.isArray(current) ? current : []
    const replace = (value: Json | undefined) => put(value === undefined ? [] : [value, ...items.slice(1)])
    yield { path: `${path}[]`, schema: schema.items, seen: true, put: replace }
    yield* below(schema.items, `${path}[]`, items[0], replace, seen, above)
  } else if (schema.type === 'map') {
    const replace = (value: Json | undefined) => put(value === undefined ? {} : { ...(isObject(current) ? current : {}), key: value })
    yield { path: `${path}{}`, schema: schema.values, seen: true, put: replace }
    yield* below(schema.values, `${path}{}`, isObject(current) ? current['key'] : undefined, replace, seen, above)
  }
}
