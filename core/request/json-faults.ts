/** Strict decoding errors of a JSON text: duplicate members, and members that are not fields of the type. */

import { shorten } from '../schema/go/shorten.ts'
import type { Message, Schema } from '../schema/model.ts'

/** Maximum strict decoding errors per body. */
const maxFaults = 100
/** Maximum characters of a path, and of each key in it, in an error. */
const maxPath = 1024
const maxKey = 256

/** What is known about a value. */
export interface Shape {
  /** The shape of a member; undefined: an unknown field. Without this method the members are not examined. */
  member?(key: string): Shape | undefined
  /** The shape of list items. */
  readonly item?: Shape
}

/** Values with any members. */
export const free: Shape = {
  member: () => free,
  get item() {
    return free
  },
}

/** Scalars and values that Go decodes in a second step, which reports no faults. */
export const closed: Shape = {}

function shapeOf(schema: Schema): Shape {
  switch (schema.type) {
    case 'message':
      return {
        member(key) {
          const field = schema.json.get(key)
          if (field !== undefined) return shapeOf(field.schema)
          return schema.typeMeta === true ? typeMeta(key) : undefined
        },
      }
    case 'list':
      return { item: shapeOf(schema.items) }
    case 'map':
      return { member: () => shapeOf(schema.values) }
    default:
      return closed
  }
}

const typeMeta = (key: string) => (key === 'kind' || key === 'apiVersion' ? closed : undefined)

/** The shape of whole objects of a built-in kind. */
export const bodyShape = (schema: Message): Shape => ({ member: (key) => typeMeta(key) ?? shapeOf(schema).member?.(key) })

/**
 * Finds the faults in a JSON text, which must be valid and of bounded depth: one error per path, in order of occurrence, such as
 * `duplicate field "spec.containers[0].name"` and `unknown field "spec.foo"`. Without shape, only duplicates.
 */
export function findFaults(text: string, shape: Shape = free): string[] {
  const finder = new Finder(text)
  finder.value('', shape)
  return [...finder.found]
}

class Finder {
  readonly found = new Set<string>()
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(path: string, shape: Shape): void {
    const start = this.#token()
    if (start === '{') this.#object(path, shape)
    else if (start === '[') this.#array(path, shape)
    else if (start === '"') this.#string()
    else while (this.#at < this.#text.length && !',]} \n\r\t'.includes(this.#text[this.#at] as string)) this.#at++
  }

  /** Skips white space; the position stays on the returned character. */
  #token(): string {
    while (' \n\r\t'.includes(this.#text[this.#at] ?? 'x')) this.#at++
    return this.#text[this.#at] ?? ''
  }

  /** Reads a string; decodes it only when it has escapes. */
  #string(): string {
    const start = this.#at
    let escaped = false
    for (this.#at++; this.#text[this.#at] !== '"'; this.#at++) {
      if (this.#text[this.#at] !== '\\') continue
      escaped = true
      this.#at++
    }
    this.#at++
    return escaped ? (JSON.parse(this.#text.slice(start, this.#at)) as string) : this.#text.slice(start + 1, this.#at - 1)
  }

  #add(fault: 'duplicate field' | 'unknown field', path: string): void {
    if (this.found.size < maxFaults) this.found.add(`${fault} ${JSON.stringify(path)}`)
  }

  #object(path: string, shape: Shape): void {
    const seen = new Set<string>()
    this.#at++
    while (this.#token() !== '}') {
      const key = this.#string()
      const shown = shorten(key, maxKey)
      const child = path === '' ? shown : shorten(`${path}.${shown}`, maxPath)
      const inner = shape.member === undefined ? closed : shape.member(key)
      if (inner === undefined) this.#add('unknown field', child)
      else if (shape.member !== undefined && seen.has(key)) this.#add('duplicate field', child)
      seen.add(key)
      this.#token()
      this.#at++
      this.value(child, inner ?? closed)
      if (this.#token() === ',') {
        this.#at++
        this.#token()
      }
    }
    this.#at++
  }

  #array(path: string, { item = closed }: Shape): void {
    this.#at++
    for (let index = 0; this.#token() !== ']'; index++) {
      this.value(shorten(`${path}[${index}]`, maxPath), item)
      if (this.#token() === ',') this.#at++
    }
    this.#at++
  }
}
