/** Values of an update beside the stored ones that they come from (KEP-4008, 'ratcheting'): by key in objects, by map keys in lists. */
import { equal } from './equal.ts'
import { printJson } from './json-text.ts'
import { get } from './members.ts'
import type { Json, JsonObject, List, Schema } from './model.ts'

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What identifies an item of a map list; undefined when it lacks a key, or a key is not a scalar. */
export function itemKey(keys: readonly string[], item: Json): string | undefined {
  if (!isObject(item)) return undefined
  const values: Json[] = []
  for (const key of keys) {
    const value = get(item, key)
    if (value === undefined || typeof value === 'object') return undefined
    values.push(value)
  }
  return printJson(values)
}

/** Finds the first old item of a map list with the keys of a new one. Nothing is found in other lists. */
export function oldItems({ listType, keys = [] }: List, old: Json | undefined): (item: Json) => Json | undefined {
  if (listType !== 'map' || keys.length === 0 || !Array.isArray(old)) return () => undefined
  const byKey = new Map<string, Json>()
  for (const item of old) {
    const key = itemKey(keys, item)
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item)
  }
  return (item) => {
    const key = itemKey(keys, item)
    return key === undefined ? undefined : byKey.get(key)
  }
}

/** A value and the stored value that it comes from. */
export class Correlation {
  readonly #schema: Schema
  readonly #value: Json
  readonly #old: Json
  #equal: boolean | undefined
  readonly #children = new Map<string | number, Correlation | undefined>()
  #items: ((item: Json) => Json | undefined) | undefined

  constructor(schema: Schema, value: Json, old: Json) {
    this.#schema = schema
    this.#value = value
    this.#old = old
  }

  /** The member of an object; undefined where either side has none, or the schema does not know it. */
  key(name: string): Correlation | undefined {
    const known = this.#children.get(name)
    if (known !== undefined || !isObject(this.#value) || !isObject(this.#old)) return known
    const value = get(this.#value, name)
    const old = get(this.#old, name)
    const schema = this.#memberSchema(name)
    if (value === undefined || old === undefined || schema === undefined) return undefined
    return this.#keep(name, new Correlation(schema, value, old))
  }

  /** The item of a map list. */
  index(at: number): Correlation | undefined {
    const known = this.#children.get(at)
    if (known !== undefined || this.#schema.type !== 'list' || !Array.isArray(this.#value) || at >= this.#value.length) return known
    this.#items ??= oldItems(this.#schema, this.#old)
    const value = this.#value[at] as Json
    const old = this.#items(value)
    return old === undefined ? undefined : this.#keep(at, new Correlation(this.#schema.items, value, old))
  }

  /** Whether nothing has changed. Items of map lists may change their order; members that the schema does not know count as changed. */
  get unchanged(): boolean {
    this.#equal ??= this.#compare()
    return this.#equal
  }

  #keep(name: string | number, child: Correlation): Correlation {
    this.#children.set(name, child)
    return child
  }

  #memberSchema(name: string): Schema | undefined {
    if (this.#schema.type === 'map') return this.#schema.values
    if (this.#schema.type !== 'message') return undefined
    const member = this.#schema.json.get(name)?.schema ?? this.#schema.additional
    // Schemas of custom resources do not say what metadata has: neither they nor what holds them are compared, the whole object least of all.
    return member?.type === 'message' && member.dialect !== 'openapi' ? undefined : member
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old]
    if (Array.isArray(value) && Array.isArray(old)) {
      const keyed = this.#schema.type === 'list' && this.#schema.listType === 'map'
      if (!keyed) return equal(value, old)
      return value.length === old.length && value.every((_, at) => this.index(at)?.unchanged === true)
    }
    if (!isObject(value) || !isObject(old)) return equal(value, old)
    const names = Object.keys(value)
    return names.length === Object.keys(old).length && names.every((name) => this.key(name)?.unchanged === true)
  }
}
