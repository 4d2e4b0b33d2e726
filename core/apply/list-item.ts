import type { Json, JsonObject } from '../schema/model.ts'
import type { ListAtom } from './atom.ts'
import { type Element, jsonText, valueElement } from './element.ts'
import { TypeMismatch } from './type-mismatch.ts'

const mismatch = (message: string) => new TypeMismatch([{ path: '', message }])

/** The path element that identifies an item of a set or a map list. Throws a TypeMismatch when the item has no identity. */
export function itemElement(list: ListAtom, item: Json): Element {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item)
}

/** What tells items of a list apart: their element, or in a set the value itself, which needs no text. */
export type ItemIdentity = Element | number | bigint | boolean

/** As `itemElement`, where only the difference between items counts. */
export function itemIdentity(list: ListAtom, item: Json): ItemIdentity {
  return list.keys.length === 0 && typeof item !== 'object' ? item : itemElement(list, item)
}

/** The element of the items with an identity. */
export const elementOf = (list: ListAtom, identity: ItemIdentity): Element =>
  list.keys.length === 0 ? valueElement(identity) : (identity as Element)

/** Up to this length, duplicates are searched by pairwise comparison. */
const fewItems = 16

/**
 * Fast path: whether both lists have the same item identities in the same order, without duplicates. False when plain keys don't suffice to
 * tell.
 */
export function sameIdentities({ keys, defaults, relation }: ListAtom, left: readonly Json[], right: readonly Json[]): boolean {
  if (relation !== 'map' || keys.length === 0 || left.length !== right.length || left.length > fewItems) return false
  const identity = (item: Json | undefined, key: string): Json | undefined =>
    Object.hasOwn(item as JsonObject, key) ? (item as JsonObject)[key] : defaults(key)
  const isSame = (a: Json | undefined, b: Json | undefined) => keys.every((key) => identity(a, key) === identity(b, key))
  for (let at = 0; at < right.length; at++) {
    if (!isKeyed(left[at]) || !isKeyed(right[at]) || !isSame(left[at], right[at])) return false
    if (keys.every((key) => identity(right[at], key) === undefined)) return false
    for (let other = 0; other < at; other++) if (isSame(right[other], right[at])) return false
  }
  return true
}

const isKeyed = (item: Json | undefined) => typeof item === 'object' && item !== null && !Array.isArray(item)

/** As `keyElement`, with the key texts prepared for this list. */
function keyedElement({ keys, keyTexts, defaults }: ListAtom, item: Json): Element {
  if (item === null) throw mismatch('associative list with keys may not have a null element')
  if (typeof item !== 'object' || Array.isArray(item)) throw mismatch('associative list with keys may not have non-map elements')
  let fields = ''
  for (const [key, text] of keyTexts) {
    const value = Object.hasOwn(item, key) ? item[key] : defaults(key)
    if (value !== undefined) fields += `${fields === '' ? '' : ','}${text}${jsonText(value)}`
  }
  if (fields !== '') return `k:{${fields}}`
  const names = `[${keys.map((key) => JSON.stringify(key)).join(' ')}]`
  throw mismatch(
    `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`,
  )
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
