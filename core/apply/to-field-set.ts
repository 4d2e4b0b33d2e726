import { isObject } from '../schema/json/is-object.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { type Atom, deduce, type ListAtom, type MapAtom } from './atom.ts'
import { type FieldNode, type FieldSet, inOrder } from './field-set.ts'
import { itemElement } from './list-item.ts'
import { TypeMismatch } from './type-mismatch.ts'

interface Found {
  /** The value itself is owned. */
  readonly member: boolean
  readonly children: FieldSet
}

const whole: Found = { member: true, children: [] }
const nothing: Found = { member: false, children: [] }

/** All leaves and items of a value. Throws a TypeMismatch for undeclared keys. */
export function toFieldSet(atom: Atom, value: Json): FieldSet {
  return visit(atom, value).children
}

function visit(given: Atom, value: Json): Found {
  const { map, scalar, list } = deduce(given, value)
  if (map) return map.atomic ? whole : isObject(value) ? visitMap(map, value) : nothing
  if (scalar) return whole
  if (list) return list.relation === 'atomic' ? whole : Array.isArray(value) ? visitList(list, value) : nothing
  return nothing
}

const isEmpty = (value: Json) => value === null || (isObject(value) && Object.keys(value).length === 0)

function visitMap(map: MapAtom, object: JsonObject): Found {
  const children: FieldNode[] = []
  for (const key of Object.keys(object)) {
    const value = object[key] as Json
    const declared = map.field(key)
    const atom = declared ?? map.others?.()
    if (atom === undefined) throw new TypeMismatch([{ path: `.${key}`, message: 'field not declared in schema' }])
    const found = visit(atom, value)
    const member = found.member || declared === undefined || (found.children.length === 0 && isEmpty(value))
    if (member || found.children.length > 0) children.push({ element: map.element(key), member, children: found.children })
  }
  return { member: false, children: inOrder(children) }
}

/** Duplicate items are owned together, as a leaf. */
function visitList(list: ListAtom, items: readonly Json[]): Found {
  const children = new Map<string, FieldNode>()
  for (const item of items) {
    const element = itemElement(list, item)
    const below = children.has(element) ? [] : visit(list.items(), item).children
    children.set(element, { element, member: true, children: below })
  }
  return { member: false, children: inOrder([...children.values()]) }
}
