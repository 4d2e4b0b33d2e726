/** Validates values against their schema type, with the error texts of the reference server. */
import { goSyntax, goText } from '../schema/go/text.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { type Atom, deduce, type ListAtom, type MapAtom } from './atom.ts'
import { type Element, fieldElement, shown } from './element.ts'
import { elementOf, type ItemIdentity, itemIdentity } from './list-item.ts'
import { type Mismatch, TypeMismatch } from './type-mismatch.ts'

/** Maximum reported mismatches. */
const maxMismatches = 100

/** Throws a TypeMismatch with all errors. `duplicates`: allow duplicate items in sets and map lists. */
export function validateType(atom: Atom, value: Json, duplicates: boolean): void {
  const validation = new TypeValidation(duplicates)
  validation.visit(atom, value)
  if (validation.found.length > 0) throw new TypeMismatch(validation.found)
}

const types = {
  numeric: (value: Json) => typeof value === 'number' || typeof value === 'bigint',
  string: (value: Json) => typeof value === 'string',
  boolean: (value: Json) => typeof value === 'boolean',
  untyped: (value: Json) => typeof value !== 'object',
}

/** One walk over a value. Paths are formatted only for mismatches. */
class TypeValidation {
  readonly found: Mismatch[] = []
  readonly #duplicates: boolean
  /** Numbers are indexes. */
  readonly #path: (Element | number)[] = []

  constructor(duplicates: boolean) {
    this.#duplicates = duplicates
  }

  visit(given: Atom, value: Json): void {
    if (value === null || this.found.length >= maxMismatches) return
    const atom = deduce(given, value)
    if (atom.map) this.#map(atom.map, value)
    else if (atom.list) this.#list(atom.list, value)
    else this.#scalar(atom, value)
  }

  #fault(message: string): void {
    this.found.push({ path: this.#path.map((step) => (typeof step === 'number' ? `[${step}]` : shown(step))).join(''), message })
  }

  #below(element: Element | number, atom: Atom, value: Json): void {
    this.#path.push(element)
    this.visit(atom, value)
    this.#path.pop()
  }

  #scalar({ scalar = 'untyped' }: Atom, value: Json): void {
    if (types[scalar](value)) return
    const messages = {
      numeric: `expected numeric (int or float), got ${goTypeName(value)}`,
      string: `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`,
      boolean: `expected boolean, got &{${goText(value)}}`,
      untyped: `expected any scalar, got &{${goText(value)}}`,
    }
    this.#fault(messages[scalar])
  }

  #map(map: MapAtom, value: Json): void {
    if (typeof value !== 'object' || Array.isArray(value)) return void this.#fault(`expected map, got &{${goText(value)}}`)
    const object = value as JsonObject
    for (const key in object) {
      const atom = map.field(key) ?? map.others?.()
      if (atom === undefined) {
        this.#path.push(fieldElement(key))
        this.#fault('field not declared in schema')
        this.#path.pop()
        return
      }
      const member = object[key] as Json
      if (typeof member === 'object' || !isScalar(atom, member)) this.#below(map.element(key), atom, member)
    }
  }

  #list(list: ListAtom, value: Json): void {
    if (!Array.isArray(value)) return void this.#fault(`expected list, got &{${goText(value)}}`)
    if (list.relation === 'atomic') {
      for (const [index, item] of value.entries()) this.#below(index, list.items(), item)
      return
    }
    const seen = new Set<ItemIdentity>()
    for (const [index, item] of value.entries()) {
      let identity: ItemIdentity
      try {
        identity = itemIdentity(list, item)
      } catch (error) {
        return void this.#fault(`element ${index}: ${(error as Error).message}`)
      }
      if (seen.has(identity) && !this.#duplicates && this.found.length < maxMismatches)
        this.#fault(`duplicate entries for key ${shown(elementOf(list, identity))}`)
      seen.add(identity)
      if (typeof item === 'object' || !isScalar(list.items(), item)) this.#below(elementOf(list, identity), list.items(), item)
    }
  }
}

/** Whether a value is a scalar of the right type. */
function isScalar(given: Atom, value: Json): boolean {
  const { map, list, scalar = 'untyped' } = deduce(given, value)
  return map === undefined && list === undefined && types[scalar](value)
}

function goTypeName(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'object') return 'map[string]interface {}'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
