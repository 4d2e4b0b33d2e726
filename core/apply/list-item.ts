import type { Json } from '../schema/model.ts'
import type { ListAtom } from './atom.ts'
import { type Element, keyElement, valueElement } from './element.ts'
import { TypeMismatch } from './type-mismatch.ts'

const mismatch = (message: string) => new TypeMismatch([{ path: '', message }])

/** What identifies an item of a set or a map list. Throws a TypeMismatch that says why nothing does. */
export function itemElement(list: ListAtom, item: Json): Element {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item)
}

function keyedElement({ keys, defaults }: ListAtom, item: Json): Element {
  if (item === null) throw mismatch('associative list with keys may not have a null element')
  if (typeof item !== 'object' || Array.isArray(item)) throw mismatch('associative list with keys may not have non-map elements')
  const fields: [string, Json][] = []
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : defaults(key)
    if (value !== undefined) fields.push([key, value])
  }
  if (fields.length === 0) {
    const names = `[${keys.map((key) => JSON.stringify(key)).join(' ')}]`
    throw mismatch(
      `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`,
    )
  }
  return keyElement(fields)
}

function setElement(item: Json): Element {
  if (item === null) throw mismatch("associative list without keys has an element that's an explicit null")
  if (typeof item !== 'object') return valueElement(item)
  throw mismatch(
    Array.isArray(item)
      ? 'not supported: associative list with lists as elements'
      : "associative list without keys has an element that's a map type",
  )
}
