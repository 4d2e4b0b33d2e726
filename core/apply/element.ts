/**
 * Path elements in FieldsV1 notation (KEP-555): `f:name`, `k:{"name":"web"}`, `v:"value"`, `i:0`.
 * Elements are equal if and only if their texts are.
 */
import { quote } from '../schema/go/quote.ts'
import { parseJsonText, printJson } from '../schema/json/text.ts'
import type { Json, JsonObject } from '../schema/model.ts'

export type Element = string

const html = /[<>&\u2028\u2029]/g
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Strings that need no escaping in JSON. */
const plain = /^[\w ./:-]*$/

/** JSON as Go writes it, with `<`, `>` and `&` escaped. */
export function jsonText(value: Json): string {
  if (typeof value === 'string' && plain.test(value)) return `"${value}"`
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : printJson(value).replace(html, escaped)
}

export const fieldElement = (name: string): Element => `f:${name}`
export const valueElement = (value: Json): Element => `v:${jsonText(value)}`

/** The element of a list item that is identified by key fields. */
export function keyElement(fields: readonly (readonly [name: string, value: Json])[]): Element {
  const sorted = fields.length < 2 ? fields : [...fields].sort(([a], [b]) => (a < b ? -1 : 1))
  let text = 'k:{'
  for (const [name, value] of sorted) text += `${text === 'k:{' ? '' : ','}${JSON.stringify(name)}:${jsonText(value)}`
  return `${text}}`
}

/** Texts with only one spelling: a single key with a plain string or small number, and plain string values. Nearly all elements match. */
const settled = /^(?:k:\{"[\w-]+":(?:"[\w ./:-]*"|0|[1-9]\d{0,14})\}|v:"[\w ./:-]*")$/

/** Normalizes the text of a stored element; undefined for an unknown element type. Throws an Error with the reason when it is malformed. */
export function readElement(text: string): Element | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long:')
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`)
  if (text[0] === 'f' || settled.test(text)) return text
  if (text[0] === 'v') return valueElement(parseJsonText(text.slice(2)))
  if (text[0] === 'k') {
    const fields = parseJsonText(text.slice(2))
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) throw new Error(`invalid key: ${text}`)
    return keyElement(Object.entries(fields))
  }
  if (text[0] !== 'i') return undefined
  if (!/^i:[+-]?\d+$/.test(text)) throw new Error(`invalid index: ${text}`)
  return `i:${Number(text.slice(2))}`
}

/** The field name of an `f:` element. */
export function nameOf(element: Element): string | undefined {
  return element.charCodeAt(0) === 0x66 ? element.slice(2) : undefined
}

export const isKey = (element: Element) => element.charCodeAt(0) === 0x6b

function valueText(value: Json): string {
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    return Object.keys(value)
      .map((key) => `${key}=${valueText(value[key] as Json)}`)
      .join('')
  }
  return String(value)
}

/** An element as error messages show it: `.name`, `[name="web"]`, `[="value"]`, `[0]`. */
export function shown(element: Element): string {
  const text = element.slice(2)
  switch (element[0]) {
    case 'f':
      return `.${text}`
    case 'k': {
      const fields = Object.entries(parseJsonText(text) as JsonObject)
      return `[${fields.map(([name, value]) => `${name}=${valueText(value)}`).join(',')}]`
    }
    case 'v':
      return `[=${valueText(parseJsonText(text))}]`
    default:
      return `[${text}]`
  }
}

const kinds = 'fkvi'

/** Order of elements: field names, keys, values, indexes; within a type by content. */
export function compareElements(a: Element, b: Element): number {
  if (a === b) return 0
  const kind = a.charCodeAt(0)
  if (kind !== b.charCodeAt(0)) return kinds.indexOf(a.charAt(0)) - kinds.indexOf(b.charAt(0))
  if (kind === 0x66) return a < b ? -1 : 1
  return compareLastTexts(a, b) ?? compareContents(contentOf(a), contentOf(b))
}

/** A parsed element. */
interface Content {
  readonly element: Element
  /** Rank of the element's kind. */
  readonly kind: number
  /** Names and values of a key, or the single value of another element. */
  readonly held: readonly (readonly [name: string, value: Json])[]
}

function contentOf(element: Element): Content {
  const kind = kinds.indexOf(element.charAt(0))
  if (kind === 0) return { element, kind, held: [] }
  const value = parseJsonText(element.slice(2))
  return { element, kind, held: kind === 1 ? Object.entries(value as JsonObject) : [['', value]] }
}

function compareContents(a: Content, b: Content): number {
  if (a.kind !== b.kind) return a.kind - b.kind
  return a.kind === 0 ? compareTexts(a.element, b.element) : compareHeld(a.held, b.held)
}

/** Elements that end with a string of these characters, which all sort after the closing quote. */
const endsWithText = /^(?:(f:)|(v:")[\w./:-]*"$|(k:\{"[\w-]+":")[\w./:-]*"\}$)/

/** The part of such an element in front of that string. */
function beforeText(element: Element): string | undefined {
  const found = endsWithText.exec(element)
  return found?.[1] ?? found?.[2] ?? found?.[3]
}

/** Sorts by element, parsing each once instead of per comparison. May change the given list. */
export function sortByElement<T extends { readonly element: Element }>(things: T[]): T[] {
  const before = things[0] && beforeText(things[0].element)
  if (before !== undefined && things.every(({ element }) => beforeText(element) === before))
    return things.sort((a, b) => compareTexts(a.element, b.element))
  return things
    .map((thing) => ({ thing, content: contentOf(thing.element) }))
    .sort((a, b) => compareContents(a.content, b.content))
    .map(({ thing }) => thing)
}

/** Start of the plain string at the element's end; negative when it does not end with one. */
function lastText(element: Element): number {
  if (element.charCodeAt(0) === 0x76) return element.charCodeAt(2) === 0x22 ? 3 : -1
  const at = element.lastIndexOf('":"')
  return at < 0 ? -1 : at + 3
}

/** Fast path: compares elements that differ only in the plain string at their end; undefined for others. */
function compareLastTexts(a: Element, b: Element): number | undefined {
  const start = lastText(a)
  if (start < 0 || lastText(b) !== start || !b.startsWith(a.slice(0, start))) return undefined
  const end = a.charCodeAt(0) === 0x6b ? -2 : -1
  const left = a.slice(start, end)
  const right = b.slice(start, end)
  if (!isPlain(left) || !isPlain(right)) return undefined
  return left < right ? -1 : 1
}

const isPlain = (text: string) => !text.includes('"') && !text.includes('\\')

function compareHeld(left: Content['held'], right: Content['held']): number {
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [leftName, leftValue] = left[at] as Content['held'][number]
    const [rightName, rightValue] = right[at] as Content['held'][number]
    if (leftName !== rightName) return leftName < rightName ? -1 : 1
    const order = compareValues(leftValue, rightValue)
    if (order !== 0) return order
  }
  return left.length - right.length
}

const types = ['number', 'string', 'boolean', 'object']

const typeOf = (value: Json) => (typeof value === 'bigint' ? 'number' : typeof value)

/** Numbers sort before strings, then booleans, then other values by their text. */
function compareValues(a: Json, b: Json): number {
  if (typeOf(a) !== typeOf(b)) return types.indexOf(typeOf(a)) - types.indexOf(typeOf(b))
  if (typeof a === 'object') return compareTexts(printJson(a), printJson(b))
  return a === b ? 0 : (a as string) < (b as string) ? -1 : 1
}

const compareTexts = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1)
