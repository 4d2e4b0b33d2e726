/** What one write did to an object, field by field. */
import { equal } from '../schema/equal.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { type Atom, deduce, type ListAtom, type MapAtom } from './atom.ts'
import type { Element } from './element.ts'
import { type FieldNode, type FieldSet, inOrder, noFields, union } from './field-set.ts'
import { itemElement } from './list-item.ts'
import { TypeMismatch } from './type-mismatch.ts'

/** No field is in both sets. */
export interface Comparison {
  /** Fields that were added or got another value. */
  readonly changed: FieldSet
  readonly removed: FieldSet
}

/** What happened to one value: to itself, and to the fields below it. */
interface Outcome {
  /** Added, or of another value. */
  readonly isChanged: boolean
  readonly isRemoved: boolean
  readonly changed: FieldSet
  readonly removed: FieldSet
  /** Nothing below is owned by itself. */
  readonly leaf: boolean
}

function leafOf(isChanged: boolean, isRemoved: boolean): Outcome {
  return { isChanged, isRemoved, changed: noFields, removed: noFields, leaf: true }
}

const changedLeaf = leafOf(true, false)
const removedLeaf = leafOf(false, true)
const sameLeaf = leafOf(false, false)

/** Compares two values of a type. Throws a TypeMismatch where the fields of one can't be told. */
export function compare(atom: Atom, old: Json, updated: Json): Comparison {
  return visit(atom, old, updated)
}

function visit(given: Atom, left: Json | undefined, right: Json | undefined): Outcome {
  const before = deduce(given, left)
  const after = deduce(given, right)
  if (left === undefined || right === undefined || before === after) {
    const outcome = handle(right === undefined ? before : after, left, right)
    if (outcome.leaf || (left !== undefined && right !== undefined)) return outcome
    return left === undefined ? { ...outcome, isChanged: true } : { ...outcome, isRemoved: true }
  }
  return combine(handle(before, left, right), handle(after, left, right))
}

/** Both outcomes of a value that changed its kind. */
function combine(first: Outcome, second: Outcome): Outcome {
  return {
    isChanged: first.isChanged || second.isChanged,
    isRemoved: first.isRemoved || second.isRemoved,
    changed: union(first.changed, second.changed),
    removed: union(first.removed, second.removed),
    leaf: second.leaf,
  }
}

/** Collects the outcomes of members or items. */
class Members {
  #changed: FieldNode[] | undefined
  #removed: FieldNode[] | undefined

  add(element: Element, { isChanged, isRemoved, changed, removed }: Outcome): void {
    if (isChanged || changed.length > 0) {
      this.#changed ??= []
      this.#changed.push({ element, member: isChanged, children: changed })
    }
    if (isRemoved || removed.length > 0) {
      this.#removed ??= []
      this.#removed.push({ element, member: isRemoved, children: removed })
    }
  }

  outcome(): Outcome {
    const ordered = (nodes: FieldNode[] | undefined) => (nodes === undefined ? noFields : inOrder(nodes))
    return { isChanged: false, isRemoved: false, changed: ordered(this.#changed), removed: ordered(this.#removed), leaf: false }
  }
}

function handle({ map, scalar, list }: Atom, left: Json | undefined, right: Json | undefined): Outcome {
  if (map) return handleMap(map, left, right)
  if (scalar) return leafOutcome(left, right)
  if (list) return handleList(list, left, right)
  throw new TypeMismatch([{ path: '', message: 'field not declared in schema' }])
}

function leafOutcome(left: Json | undefined, right: Json | undefined): Outcome {
  if (left === undefined) return changedLeaf
  if (right === undefined) return removedLeaf
  return equal(left, right) ? sameLeaf : changedLeaf
}

const noMembers: JsonObject = {}

function handleMap(map: MapAtom, left: Json | undefined, right: Json | undefined): Outcome {
  const before = typeof left === 'object' && left !== null && !Array.isArray(left) ? left : noMembers
  const after = typeof right === 'object' && right !== null && !Array.isArray(right) ? right : noMembers
  const oldKeys = Object.keys(before)
  const newKeys = Object.keys(after)
  if (map.atomic || (oldKeys.length === 0 && newKeys.length === 0)) return leafOutcome(left, right)
  const members = new Members()
  for (const key of oldKeys) visitMember(map, key, before[key] as Json, Object.hasOwn(after, key) ? after[key] : undefined, members)
  for (const key of newKeys) if (!Object.hasOwn(before, key)) visitMember(map, key, undefined, after[key] as Json, members)
  return members.outcome()
}

function visitMember(map: MapAtom, key: string, left: Json | undefined, right: Json | undefined, into: Members): void {
  const atom = map.field(key) ?? map.others?.()
  if (atom === undefined) throw new TypeMismatch([{ path: `.${key}`, message: 'field not declared in schema' }])
  into.add(map.element(key), visit(atom, left, right))
}

const noItems: Json[] = []

function handleList(list: ListAtom, left: Json | undefined, right: Json | undefined): Outcome {
  const before = Array.isArray(left) ? left : noItems
  const after = Array.isArray(right) ? right : noItems
  if (list.relation === 'atomic' || (before.length === 0 && after.length === 0)) return leafOutcome(left, right)
  const oldItems = byElement(list, before)
  const newItems = byElement(list, after)
  const members = new Members()
  for (const [element, items] of oldItems) members.add(element, visitItems(list, items, newItems.get(element) ?? noItems))
  for (const [element, items] of newItems) if (!oldItems.has(element)) members.add(element, visitItems(list, noItems, items))
  return members.outcome()
}

function byElement(list: ListAtom, items: readonly Json[]): Map<Element, Json[]> {
  const found = new Map<Element, Json[]>()
  for (const item of items) {
    const element = itemElement(list, item)
    const same = found.get(element)
    if (same) same.push(item)
    else found.set(element, [item])
  }
  return found
}

/** Compares the items of one identity. Those that repeat are compared together, as a leaf. */
function visitItems(list: ListAtom, left: readonly Json[], right: readonly Json[]): Outcome {
  if (left.length < 2 && right.length < 2) return visit(list.items(), left[0], right[0])
  if (left.length > 1 && right.length > 1) return equal([...left], [...right]) ? sameLeaf : changedLeaf
  // One side repeats: all of it came or went, besides what happened to the one item of the other.
  const repeatsRight = right.length > 1
  const [single] = repeatsRight ? left : right
  const repeats = repeatsRight ? changedLeaf : removedLeaf
  if (single === undefined) return repeats
  return { ...combine(repeatsRight ? visit(list.items(), single, undefined) : visit(list.items(), undefined, single), repeats), leaf: true }
}
