import { isObject } from '../schema/json/is-object.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { type Atom, deduce, type ListAtom, type MapAtom } from './atom.ts'
import { fieldElement } from './element.ts'
import { type FieldSet, find } from './field-set.ts'
import { itemElement } from './list-item.ts'

/**
 * Returns a value without the members of the set. Maps and lists that lose parts stay as empty ones, if they are no members themselves
 * (structured-merge-diff's typed/remove.go); null: nothing was there. Shares parts with the value.
 */
export function removeItems(given: Atom, value: Json, fields: FieldSet): Json {
  const { map, scalar, list } = deduce(given, value)
  if (map) return isObject(value) ? withoutMembers(map, value, fields) : null
  if (scalar) return value
  return list && Array.isArray(value) ? withoutItems(list, value, fields) : null
}

/** A part of the value without the members of its own set. */
function trimmed(atom: Atom, value: Json, fields: FieldSet): Json {
  const rest = removeItems(atom, value, fields)
  return rest ?? (Array.isArray(value) ? [] : isObject(value) ? {} : null)
}

function withoutMembers(map: MapAtom, object: JsonObject, fields: FieldSet): Json {
  if (map.atomic) return null
  const rest: [string, Json][] = []
  let loses = false
  for (const [key, value] of Object.entries(object)) {
    const node = find(fields, fieldElement(key))
    if (node?.member) continue
    const atom = map.field(key) ?? map.others?.()
    loses ||= node !== undefined
    rest.push([key, node && atom ? trimmed(atom, value, node.children) : value])
  }
  return rest.length > 0 || loses ? Object.fromEntries(rest) : null
}

function withoutItems(list: ListAtom, items: readonly Json[], fields: FieldSet): Json {
  if (list.relation === 'atomic') return null
  const rest: Json[] = []
  for (const item of items) {
    const node = find(fields, itemElement(list, item))
    if (!node?.member) rest.push(node ? trimmed(list.items(), item, node.children) : item)
  }
  return rest.length > 0 ? rest : null
}
