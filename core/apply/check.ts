/** Whether a value is of the type that its schema says, with the texts of the reference server. */
import { goSyntax, goText } from '../schema/go-text.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { type Atom, deduce, type ListAtom, type MapAtom } from './atom.ts'
import { fieldElement, shown } from './element.ts'
import { itemElement } from './list-item.ts'
import { type Mismatch, TypeMismatch } from './type-mismatch.ts'

/** Mismatches that are told. */
const maxMismatches = 100

/** Throws a TypeMismatch with what is wrong. `duplicates`: whether items of sets and map lists may repeat. */
export function checkType(atom: Atom, value: Json, duplicates: boolean): void {
  const found: Mismatch[] = []
  visit(atom, value, '', duplicates, found)
  if (found.length > 0) throw new TypeMismatch(found)
}

function visit(given: Atom, value: Json, path: string, duplicates: boolean, found: Mismatch[]): void {
  if (value === null || found.length >= maxMismatches) return
  const atom = deduce(given, value)
  if (atom.map) visitMap(atom.map, value, path, duplicates, found)
  else if (atom.list) visitList(atom.list, value, path, duplicates, found)
  else visitScalar(atom, value, path, found)
}

const types = {
  numeric: (value: Json) => typeof value === 'number' || typeof value === 'bigint',
  string: (value: Json) => typeof value === 'string',
  boolean: (value: Json) => typeof value === 'boolean',
  untyped: (value: Json) => typeof value !== 'object',
}

function visitScalar({ scalar = 'untyped' }: Atom, value: Json, path: string, found: Mismatch[]): void {
  if (types[scalar](value)) return
  const messages = {
    numeric: `expected numeric (int or float), got ${goTypeName(value)}`,
    string: `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`,
    boolean: `expected boolean, got &{${goText(value)}}`,
    untyped: `expected any scalar, got &{${goText(value)}}`,
  }
  found.push({ path, message: messages[scalar] })
}

function visitMap(map: MapAtom, value: Json, path: string, duplicates: boolean, found: Mismatch[]): void {
  if (typeof value !== 'object' || Array.isArray(value)) {
    found.push({ path, message: `expected map, got &{${goText(value)}}` })
    return
  }
  const object = value as JsonObject
  for (const key of Object.keys(object)) {
    const below = `${path}${shown(fieldElement(key))}`
    const atom = map.field(key) ?? map.others?.()
    if (atom === undefined) {
      found.push({ path: below, message: 'field not declared in schema' })
      return
    }
    visit(atom, object[key] as Json, below, duplicates, found)
  }
}

function visitList(list: ListAtom, value: Json, path: string, duplicates: boolean, found: Mismatch[]): void {
  if (!Array.isArray(value)) {
    found.push({ path, message: `expected list, got &{${goText(value)}}` })
    return
  }
  const seen = new Set<string>()
  for (const [index, item] of value.entries()) {
    let element = `i:${index}`
    if (list.relation !== 'atomic') {
      try {
        element = itemElement(list, item)
      } catch (error) {
        found.push({ path, message: `element ${index}: ${(error as Error).message}` })
        return
      }
      if (seen.has(element) && !duplicates && found.length < maxMismatches)
        found.push({ path, message: `duplicate entries for key ${shown(element)}` })
      seen.add(element)
    }
    visit(list.items(), item, `${path}${shown(element)}`, duplicates, found)
  }
}

function goTypeName(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'object') return 'map[string]interface {}'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
