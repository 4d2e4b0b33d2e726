import type { Json, JsonObject } from '../schema/model.ts'
import { type Atom, deduce, type ListAtom, type MapAtom } from './atom.ts'
import { fieldElement } from './element.ts'
import { type FieldSet, find } from './field-set.ts'
import { itemElement } from './list-item.ts'

/** Returns a value without the members of the set; null when nothing is left. Shares parts with the value. */
export function removeItems(given: Atom, value: Json, fields: FieldSet): Json {
  const { map, scalar, list } = deduce(given, value)
  if (map) return typeof value === 'object' && value !== null && !Array.isArray(value) ? withoutMembers(map, value, fields) : null
  if (scalar) return value
  return list && Array.isArray(value) ? withoutItems(list, value, fields) : null
}

function withoutMembers(map: MapAtom, object: JsonObject, fields: FieldSet): Json {
  if (map.atomic) return null
  const rest: [string, Json][] = []
  for (const [key, value] of Object.entries(object)) {
    const node = find(fields, fieldElement(key))
    if (node?.member) continue
    const atom = map.field(key) ?? map.others?.()
    rest.push([key, node && atom ? removeItems(atom, value, node.children) : value])
  }
  return rest.length > 0 ? Object.fromEntries(rest) : null
}

function withoutItems(list: ListAtom, items: readonly Json[], fields: FieldSet): Json {
  if (list.relation === 'atomic') return null
  const rest: Json[] = []
  for (const item of items) {
    const node = find(fields, itemElement(list, item))
    if (!node?.member) rest.push(node ? removeItems(list.items(), item, node.children) : item)
  }
  return rest.length > 0 ? rest : null
}
