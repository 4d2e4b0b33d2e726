/** Merges an applied configuration into a live object. It removes nothing. */
import { isObject } from '../schema/json/is-object.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { type Atom, deduce, type ListAtom, type MapAtom } from './atom.ts'
import { type ItemIdentity, itemIdentity } from './list-item.ts'

/**
 * The live value with the applied one merged in; applied leaves win. List items keep the live order unless the applied list says otherwise.
 * The result shares parts with both. Both must have passed `validateType`; the applied value has no duplicate items.
 */
export function merge(given: Atom, live: Json | undefined, applied: Json | undefined): Json | undefined {
  if (applied === undefined) return live
  if (live === undefined) return applied
  const { map, scalar, list } = deduce(given, applied)
  if (map) return mergeMaps(map, live, applied)
  if (!scalar && list) return mergeLists(list, live, applied)
  return applied
}

function mergeMaps(map: MapAtom, live: Json, applied: Json): Json {
  const left = isObject(live) ? live : {}
  const right = isObject(applied) ? applied : {}
  const keys = Object.keys(right)
  if (map.atomic || (keys.length === 0 && Object.keys(left).length === 0)) return applied
  const merged: JsonObject = { ...left }
  for (const key of keys) {
    const atom = map.field(key) ?? map.others?.()
    const value = atom ? merge(atom, Object.hasOwn(left, key) ? left[key] : undefined, right[key]) : right[key]
    if (key === '__proto__') Object.defineProperty(merged, key, { value, enumerable: true, writable: true, configurable: true })
    else merged[key] = value as Json
  }
  return merged
}

function mergeLists(list: ListAtom, live: Json, applied: Json): Json {
  const left = Array.isArray(live) ? live : []
  const right = Array.isArray(applied) ? applied : []
  if (list.relation === 'atomic' || (left.length === 0 && right.length === 0)) return applied
  return mergeItems(list, left, right)
}

/** Items of a list by identity. */
function indexed(list: ListAtom, items: readonly Json[]): { order: ItemIdentity[]; values: Map<ItemIdentity, Json> } {
  const values = new Map<ItemIdentity, Json>()
  const order = items.map((item) => {
    const identity = itemIdentity(list, item)
    // Duplicates are replaced, not merged.
    values.set(identity, values.has(identity) ? null : item)
    return identity
  })
  return { order, values }
}

/**
 * Merges two lists. Applied items keep their order; an item that is only in the live list stays in front of the applied item that it
 * preceded.
 */
function mergeItems(list: ListAtom, live: readonly Json[], applied: readonly Json[]): Json[] {
  const left = indexed(list, live)
  const right = indexed(list, applied)
  const merged: Json[] = []
  const taken = new Set<ItemIdentity>()
  const shared = right.order.filter((identity) => left.values.has(identity))
  let next = 0
  let l = 0
  let r = 0
  const take = (identity: ItemIdentity) => {
    taken.add(identity)
    merged.push(merge(list.items(), left.values.get(identity), right.values.get(identity)) as Json)
  }
  while (l < live.length || r < applied.length) {
    const ours = left.order[l]
    const theirs = right.order[r]
    if (ours !== undefined && theirs !== undefined) {
      if (ours === theirs) {
        take(ours)
        l++
        r++
        next++
        continue
      }
      if (right.values.has(ours) && next < shared.length && shared[next] !== ours) {
        l++
        continue
      }
    }
    if (ours !== undefined) {
      if (!right.values.has(ours)) {
        merged.push(live[l++] as Json)
        continue
      }
      if (taken.has(ours)) l++
    }
    if (theirs !== undefined) {
      take(theirs)
      r++
      if (shared[next] === theirs) next++
    }
  }
  return merged
}
