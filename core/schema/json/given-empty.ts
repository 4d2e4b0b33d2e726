/**
 * Empty lists and maps, and unset times (null), that a client gave. Canonical objects don't contain them, as the reference's stored form does not, but until an object
 * is stored the reference tells them from absent ones: some validation refuses them, and errors show them. They are in a property that
 * printers and walkers don't see.
 */
import type { Json, JsonObject } from '../model.ts'

const empties = Symbol('empty lists and maps that were given')

type Marked = { readonly [empties]?: JsonObject }

/** A list or map of this name that was given as an empty one: `[]` or `{}`. */
export const givenEmpty = (object: object, name: string): Json | undefined => (object as Marked)[empties]?.[name]

/** A list or map, also if it was given as an empty one. */
export const given = <T extends object, K extends keyof T & string>(object: T, name: K): T[K] =>
  object[name] ?? (givenEmpty(object, name) as T[K])

/** All lists and maps of an object that were given as empty ones. */
export const givenEmpties = (object: object): JsonObject | undefined => (object as Marked)[empties]

/** Sets them for an object, unless there are none. */
export function setGivenEmpties(object: object, given: JsonObject | undefined): void {
  if (given !== undefined) Object.defineProperty(object, empties, { value: given, configurable: true })
}

const holder = Symbol('holds empty lists and maps that were given')

/** Marks an object that has `givenEmpties` at any depth. */
export function setHoldsEmpties(object: object): void {
  Object.defineProperty(object, holder, { value: true })
}

/** Whether a canonical object has `givenEmpties` at any depth: the walk that made it knows, so that no other has to look. */
export const holdsEmpties = (canonical: object): boolean => (canonical as { readonly [holder]?: true })[holder] === true

/** Forgets that a list or map was given as an empty one. */
export function dropGivenEmpty(object: object, name: string): void {
  const { [name]: _dropped, ...others } = givenEmpties(object) ?? {}
  setGivenEmpties(object, others)
}

/** Whether a value contains a list or map that was given as an empty one, and that no default has filled since. */
export function hasGivenEmpty(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  const object = value as JsonObject
  const empties = givenEmpties(value)
  if (empties !== undefined) for (const name in empties) if ((object[name] ?? null) === null) return true
  for (const name in object) {
    const member = object[name]
    // Most members are scalars: a call for each of them would cost more than the rest.
    if (typeof member === 'object' && hasGivenEmpty(member)) return true
  }
  return false
}

/** A shallow copy with the lists and maps that were given as empty ones. */
export function copyOf<T extends object>(object: T | undefined): T {
  const copy = { ...object } as T
  if (object) setGivenEmpties(copy as JsonObject, givenEmpties(object))
  return copy
}
