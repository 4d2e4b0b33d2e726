/** Merges lists in strategic merge patches: matches items by merge key, and orders the result. */

import { unreasoned } from '../../answers/status.ts'
import { UnprocessablePatch } from '../../apply/json-patch.ts'
import { goText } from '../../schema/go/text.ts'
import { isObject } from '../../schema/json/is-object.ts'
import { get } from '../../schema/json/members.ts'
import type { Json, JsonObject } from '../../schema/model.ts'
import { badPatchType, patchDirective, receivedType } from './directives.ts'

/** What identifies an item in a list: the value of its merge key, or the item itself in lists of scalars. */
type Identity = (item: Json) => Json

/** Merges two objects with the same merge key into one. */
type MergeItem = (original: JsonObject, patch: JsonObject) => JsonObject

const noMergeKey = (map: JsonObject, key: string) => unreasoned(`map: ${goText(map)} does not contain declared merge key: ${key}`)

function asObject(item: Json): JsonObject {
  if (isObject(item)) return item
  throw unreasoned(`expected a map[string]interface {}, but received a ${receivedType(item)}`)
}

function identityOf(mergeKey: string | undefined): Identity {
  if (mergeKey === undefined)
    return (item) => {
      if (isObject(item)) throw noMergeKey(item, '')
      return item
    }
  return (item) => {
    const map = asObject(item)
    const value = get(map, mergeKey)
    if (value === undefined) throw noMergeKey(map, mergeKey)
    return value
  }
}

/** Index of the first item with each identity. */
function positions(items: readonly Json[], identity: Identity): Map<Json, number> {
  const found = new Map<Json, number>()
  for (const [index, item] of items.entries()) {
    const key = identity(item)
    if (!found.has(key)) found.set(key, index)
  }
  return found
}

/** Whether the items are objects. Throws for mixed types, nested lists and empty lists. */
export function holdsObjects(...lists: readonly (readonly Json[])[]): boolean {
  let type: string | undefined
  for (const item of lists.flat(1)) {
    const own = Array.isArray(item) ? 'list' : isObject(item) ? 'map' : typeof item
    if (own === 'list') throw new UnprocessablePatch('a list holds lists')
    if (type !== undefined && own !== type)
      throw unreasoned(`list element types are not identical: [${lists.map((list) => goText([...list])).join(' ')}]`)
    type = own
  }
  if (type === undefined) throw unreasoned('no elements in any of the given slices')
  return type === 'map'
}

/**
 * Merges a list with patch strategy `merge`; `deleting`: removes the patch's scalars from it instead. When the patch deletes items,
 * `original` is overwritten with the merged items, as in the reference: callers take the original order from it.
 */
export function mergeLists(
  original: Json[],
  patch: readonly Json[],
  mergeKey: string | undefined,
  mergeItem: MergeItem,
  deleting: boolean,
): Json[] {
  if (original.length === 0 && patch.length === 0) return []
  if (!holdsObjects(original, patch)) {
    if (deleting) {
      const deleted = new Set(patch)
      return original.filter((item) => !deleted.has(item))
    }
    return inOrder([...new Set([...original, ...patch])], patch, original, mergeKey)
  }
  if (mergeKey === undefined) throw unreasoned('cannot merge lists without merge key for struct')
  const [kept, changes] = applyListDirectives(original, patch, mergeKey)
  const merged = mergeObjects(kept, changes, mergeKey, mergeItem)
  if (kept.length < original.length) for (let at = 0; at < original.length && at < merged.length; at++) original[at] = merged[at] as Json
  return inOrder(merged, changes, kept, mergeKey)
}

/** Applies the items with a `$patch` directive. Returns the remaining original items, and the patch items to merge into them. */
function applyListDirectives(original: readonly Json[], patch: readonly Json[], mergeKey: string): [kept: Json[], changes: Json[]] {
  const changes: Json[] = []
  const deleted = new Set<Json>()
  let replaces = false
  for (const item of patch) {
    const map = asObject(item)
    const directive = get(map, patchDirective)
    if (directive === undefined) changes.push(item)
    else if (directive === 'replace') replaces = true
    else if (directive === 'delete') deleted.add(identityOf(mergeKey)(item))
    else if (directive === 'merge') throw unreasoned('merging lists cannot yet be specified in the patch')
    else throw badPatchType(directive, map)
  }
  if (replaces) return [changes, []]
  return [deleted.size === 0 ? [...original] : original.filter((item) => !deleted.has(get(asObject(item), mergeKey) as Json)), changes]
}

function mergeObjects(original: readonly Json[], patch: readonly Json[], mergeKey: string, mergeItem: MergeItem): Json[] {
  const merged = [...original]
  const index = new Map<Json, number>()
  for (const [position, item] of original.entries()) {
    const key = get(asObject(item), mergeKey)
    if (key !== undefined && !index.has(key)) index.set(key, position)
  }
  const identity = identityOf(mergeKey)
  for (const item of patch) {
    const key = identity(item)
    const position = index.get(key)
    if (position === undefined) index.set(key, merged.push(item) - 1)
    else merged[position] = mergeItem(merged[position] as JsonObject, item as JsonObject)
  }
  return merged
}

/** Looks for each item in a list that should hold objects. Throws when another value stands before it. */
function validateNamed(items: readonly Json[], named: readonly Json[], mergeKey: string): void {
  const identity = identityOf(mergeKey)
  const wrong = named.findIndex((item) => !isObject(item))
  const before = new Set((wrong < 0 ? named : named.slice(0, wrong)).map((item) => get(item as JsonObject, mergeKey)))
  for (const item of items) if (!before.has(identity(item)) && wrong >= 0) throw unreasoned(`value for key ${wrong} is not a map`)
}

/**
 * Orders a merged list: items in `named` (the patch or its order list) in that order, other items in the original order. An other item
 * comes before a named one if it did so in the original list.
 */
export function inOrder(merged: readonly Json[], named: readonly Json[], original: readonly Json[], mergeKey: string | undefined): Json[] {
  const identity = identityOf(mergeKey)
  if (mergeKey !== undefined) validateNamed(merged, named, mergeKey)
  const wanted = positions(named, identity)
  const had = positions(original, identity)
  const sorted = (items: readonly Json[], order: ReadonlyMap<Json, number>) =>
    items
      .map((item) => ({ item, at: order.get(identity(item)) ?? -1 }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item)
  const ours = sorted(
    merged.filter((item) => wanted.has(identity(item))),
    wanted,
  )
  const others = sorted(
    merged.filter((item) => !wanted.has(identity(item))),
    had,
  )
  const result: Json[] = []
  let next = 0
  for (const item of ours) {
    const at = had.get(identity(item))
    while (next < others.length && at !== undefined && (had.get(identity(others[next] as Json)) ?? at) < at)
      result.push(others[next++] as Json)
    result.push(item)
  }
  return [...result, ...others.slice(next)]
}

/**
 * Validates that the items of a patch list are a subsequence of its `$setElementOrder` list. Deleted items do not count, and other directives only
 * after the last one of the order, as in the reference (apimachinery util/strategicpatch).
 */
export function validateOrder(patch: readonly Json[], order: readonly Json[], mergeKey: string | undefined): void {
  if (patch.length === 0 || order.length === 0) return
  const identity = identityOf(mergeKey)
  const left = patch.filter((item) => directiveOf(item) !== 'delete')
  let at = 0
  for (const item of order) {
    while (directiveOf(left[at]) !== undefined) at++
    if (at === left.length) return
    if (identity(left[at] as Json) === identity(item)) at++
  }
  if (at < left.length)
    throw unreasoned(`The order in patch list:\n${goText([...patch])}\n doesn't match $setElementOrder list:\n${goText([...order])}\n`)
}

/** The directive that an item is, if it is one. */
const directiveOf = (item: Json | undefined): Json | undefined =>
  isObject(item) && Object.hasOwn(item, patchDirective) ? item[patchDirective] : undefined
