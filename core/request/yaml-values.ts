import { isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type Scalar, type YAMLMap } from 'yaml'
import { badRequest } from '../respond/status.ts'
import { exactInteger } from '../schema/json-text.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { shorten } from '../schema/shorten.ts'

/** Values that a small body may grow to by anchors. */
const minValues = 400_000
const maxFaults = 100
/** Characters of a key that are shown. */
const maxShown = 256

/** The integer as JSON has it: those beyond 64 bits are doubles. */
function integer(value: bigint): Json {
  if (!Number.isFinite(Number(value))) throw badRequest('yaml: unsupported value: number out of range')
  return exactInteger(value)
}

/** Escapes can make halves of surrogate pairs. */
function wellFormed(text: string): string {
  if (halves.test(text)) throw badRequest('yaml: found invalid Unicode character escape code')
  return text
}
const halves = /\p{Surrogate}/u

/** Turns the nodes of one document into JSON values. Each use of an anchor gives a copy, because later steps change values in place. */
export class YamlValues {
  /** Keys that were set more than once: `line 3: key "a" already set in map`. */
  readonly duplicates: string[] = []
  readonly #anchors = new Map<string, Node>()
  readonly #lines: LineCounter
  #left: number

  constructor(bodyLength: number, lines: LineCounter) {
    this.#left = Math.max(bodyLength, minValues)
    this.#lines = lines
  }

  of(node: unknown): Json {
    this.#charge()
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source)
      if (target === undefined) throw badRequest(`yaml: unknown anchor '${node.source}' referenced`)
      return this.of(target)
    }
    const value = isMap(node) ? this.#map(node) : isSeq(node) ? node.items.map((item) => this.of(item)) : this.#scalar(node)
    if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor !== undefined) this.#anchors.set(node.anchor, node)
    return value
  }

  /** For one value that is made or copied. */
  #charge(): void {
    if (--this.#left < 0) throw badRequest('yaml: document contains excessive aliasing')
  }

  #scalar(node: unknown): Json {
    const value = isScalar(node) ? node.value : null
    if (typeof value === 'string') return wellFormed(value)
    if (value === null || typeof value === 'boolean') return value
    if (typeof value === 'bigint') return integer(value)
    if (typeof value === 'number' && Number.isFinite(value)) return value
    // A dot without digits is a number to the parser; to everybody else it is a text.
    if (Number.isNaN(value) && isScalar(node) && node.source !== undefined && !/nan/i.test(node.source)) return node.source
    throw badRequest(`yaml: unsupported value: ${String(value)}`)
  }

  #map(node: YAMLMap): JsonObject {
    const members = new Map<string, Json>()
    const merged = new Map<string, Json>()
    for (const { key, value } of node.items) {
      if (isScalar(key) && typeof key.value === 'symbol') {
        this.#merge(value, merged)
        continue
      }
      const name = this.#key(key)
      if (members.has(name)) this.#repeated(name, key as Scalar)
      members.set(name, this.of(value))
    }
    for (const [name, value] of merged) if (!members.has(name)) members.set(name, value)
    // Makes own members of all names; assigning to `__proto__` would not.
    return Object.fromEntries(members)
  }

  #key(key: unknown): string {
    const value = isAlias(key) ? this.of(key) : isScalar(key) ? this.#scalar(key) : null
    if (value === null || typeof value === 'object') throw badRequest('yaml: unsupported map key')
    if (isScalar(key) && key.anchor !== undefined) this.#anchors.set(key.anchor, key)
    return String(value)
  }

  /** `<<`: members of other maps, the first of several wins. */
  #merge(source: unknown, into: Map<string, Json>): void {
    const value = this.of(source)
    for (const map of Array.isArray(value) ? value : [value]) {
      if (typeof map !== 'object' || map === null || Array.isArray(map))
        throw badRequest('yaml: map merge requires map or sequence of maps as the value')
      for (const [name, member] of Object.entries(map)) {
        this.#charge()
        if (!into.has(name)) into.set(name, member)
      }
    }
  }

  #repeated(name: string, key: Scalar): void {
    if (this.duplicates.length >= maxFaults) return
    this.duplicates.push(
      `line ${this.#lines.linePos(key.range?.[0] ?? 0).line}: key ${JSON.stringify(shorten(name, maxShown))} already set in map`,
    )
  }
}
