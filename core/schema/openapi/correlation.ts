/** Correlates values of an update with stored values for validation ratcheting (KEP-4008): by key in objects, by map keys in lists. */

import { equal } from '../json/equal.ts'
import { isObject } from '../json/is-object.ts'
import { get } from '../json/members.ts'
import { printJson } from '../json/text.ts'
import type { Json, List, Schema } from '../model.ts'

/** Identity of an item in a list of type map; undefined when it lacks a key, or a key is not a scalar. */
function itemKey(keys: readonly string[], item: Json): string | undefined {
  if (!isObject(item)) return undefined
  const values: Json[] = []
  for (const key of keys) {
    const value = get(item, key)
    if (value === undefined || typeof value === 'object') return undefined
    values.push(value)
  }
  return printJson(values)
}

/** Finds the first old item with the keys of a new one, in lists of type map. Finds nothing in other lists. */
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

/** A value and its stored counterpart. */
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

  /** Correlates a member; undefined when either side lacks it, or the schema does not know it. */
  key(name: string): Correlation | undefined {
    const known = this.#children.get(name)
    if (known !== undefined || !isObject(this.#value) || !isObject(this.#old)) return known
    const value = get(this.#value, name)
    const old = get(this.#old, name)
    const schema = this.#memberSchema(name)
    if (value === undefined || old === undefined || schema === undefined) return undefined
    return this.#keep(name, new Correlation(schema, value, old))
  }

  /** Correlates an item of a list of type map. */
  index(at: number): Correlation | undefined {
    const known = this.#children.get(at)
    if (known !== undefined || this.#schema.type !== 'list' || !Array.isArray(this.#value) || at >= this.#value.length) return known
    this.#items ??= oldItems(this.#schema, this.#old)
    const value = this.#value[at] as Json
    const old = this.#items(value)
    return old === undefined ? undefined : this.#keep(at, new Correlation(this.#schema.items, value, old))
  }

  /** Whether the value is unchanged. Items of map lists may be reordered; members unknown to the schema count as changed. */
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
    // Schemas of custom resources don't describe metadata: neither it nor the objects around it (such as the root) are compared.
    return member?.type === 'message' && !member.open ? undefined : member
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
