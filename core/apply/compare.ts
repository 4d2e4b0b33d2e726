/** Compares an object before and after a write, field by field. */

import { equal } from '../schema/json/equal.ts'
import { givenEmpty, hasGivenEmpty } from '../schema/json/given-empty.ts'
import { isObject } from '../schema/json/is-object.ts'
import { isEmpty } from '../schema/json/members.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { type Atom, deduce, type ListAtom, type MapAtom } from './atom.ts'
import type { Element } from './element.ts'
import { type FieldNode, type FieldSet, inOrder, noFields, sameFields, union } from './field-set.ts'
import { elementOf, type ItemIdentity, itemElement, itemIdentity, sameIdentities } from './list-item.ts'
import { TypeMismatch } from './type-mismatch.ts'

/** The sets are disjoint. */
export interface Comparison {
  /** Fields that were added or have a new value. */
  readonly changed: FieldSet
  readonly removed: FieldSet
}

/** Result for one value: for itself, and for the fields below it. */
interface Outcome extends Comparison {
  /** Added, or with a new value. */
  readonly isChanged: boolean
  readonly isRemoved: boolean
}

const nothing: Outcome = { isChanged: false, isRemoved: false, changed: noFields, removed: noFields }
const changedLeaf: Outcome = { ...nothing, isChanged: true }
const removedLeaf: Outcome = { ...nothing, isRemoved: true }

/** Compares two values of a type. Throws a TypeMismatch when the fields of either can't be identified. */
export function compare(atom: Atom, old: Json, updated: Json): Comparison {
  return visit(atom, old, updated)
}

function visit(given: Atom, left: Json | undefined, right: Json | undefined): Outcome {
  if (left === right) return nothing
  if (left === undefined) return came(fieldsBelow(given, right as Json))
  if (right === undefined) return went(fieldsBelow(given, left))
  const before = deduce(given, left)
  const after = deduce(given, right)
  const outcome = handle(before, left, right)
  return before === after ? outcome : combine(outcome, handle(after, left, right))
}

const came = (below: FieldSet): Outcome => (below.length === 0 ? changedLeaf : { ...changedLeaf, changed: below })
const went = (below: FieldSet): Outcome => (below.length === 0 ? removedLeaf : { ...removedLeaf, removed: below })

/** Combines the results of a value whose kind changed. */
function combine(first: Outcome, second: Outcome): Outcome {
  return {
    isChanged: first.isChanged || second.isChanged,
    isRemoved: first.isRemoved || second.isRemoved,
    changed: union(first.changed, second.changed),
    removed: union(first.removed, second.removed),
  }
}

const undeclared = (path: string) => new TypeMismatch([{ path, message: 'field not declared in schema' }])

function atomOf(map: MapAtom, key: string): Atom {
  const atom = map.field(key) ?? map.others?.()
  if (atom === undefined) throw undeclared(`.${key}`)
  return atom
}

/** All fields below a value that was added or removed. None: the value is a leaf. */
function fieldsBelow(given: Atom, value: Json): FieldSet {
  const { map, scalar, list } = deduce(given, value)
  if (map) return map.atomic || !isObject(value) ? noFields : membersBelow(map, value)
  if (scalar) return noFields
  if (list) return list.relation === 'atomic' || !Array.isArray(value) ? noFields : itemsBelow(list, value)
  throw undeclared('')
}

/** Up to this many members, insertion sort by rank is much cheaper than comparing texts. */
const fewMembers = 64

/** Visits each member once, whether it is declared or not: otherwise each level would double the work. */
function membersBelow(map: MapAtom, object: JsonObject): FieldSet {
  const nodes: FieldNode[] = []
  const ranks: number[] = []
  let isRanked = true
  for (const key in object) {
    const member = map.member?.(key)
    const { atom, element } = member ?? { atom: atomOf(map, key), element: map.element(key) }
    const node = { element, member: true, children: fieldsBelow(atom, object[key] as Json) }
    let at = nodes.length
    isRanked &&= member !== undefined && at < fewMembers
    if (member !== undefined && isRanked) {
      for (; at > 0 && (ranks[at - 1] as number) > member.rank; at--) {
        nodes[at] = nodes[at - 1] as FieldNode
        ranks[at] = ranks[at - 1] as number
      }
      ranks[at] = member.rank
    }
    nodes[at] = node
  }
  return isRanked ? nodes : inOrder(nodes)
}

function itemsBelow(list: ListAtom, items: readonly Json[]): FieldSet {
  /** Null for an element with several items. */
  const byElement = new Map<Element, Json>()
  for (const item of items) {
    const element = itemElement(list, item)
    byElement.set(element, byElement.has(element) ? null : item)
  }
  const nodes: FieldNode[] = []
  let last = noFields
  for (const [element, item] of byElement) {
    const below = item === null ? noFields : fieldsBelow(list.items(), item)
    // Items usually have the same fields: sharing one set takes a fraction of the memory.
    if (below.length > 0 && !sameFields(below, last)) last = below
    nodes.push({ element, member: true, children: below.length > 0 ? last : noFields })
  }
  return inOrder(nodes)
}

/** Collects the results of members or items. */
class Outcomes {
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

  get whole(): Outcome {
    if (this.#changed === undefined && this.#removed === undefined) return nothing
    const ordered = (nodes: FieldNode[] | undefined) => (nodes === undefined ? noFields : inOrder(nodes))
    return { isChanged: false, isRemoved: false, changed: ordered(this.#changed), removed: ordered(this.#removed) }
  }
}

function handle({ map, scalar, list }: Atom, left: Json, right: Json): Outcome {
  if (map) return handleMap(map, left, right)
  if (scalar) return leafOutcome(left, right)
  if (list) return handleList(list, left, right)
  throw undeclared('')
}

const leafOutcome = (left: Json, right: Json): Outcome => (equal(left, right) ? nothing : changedLeaf)

/** Whether a list of the value, at any depth, contains a list or map that was given as an empty one. */
function hasEmptyInList(value: Json): boolean {
  if (Array.isArray(value)) return hasGivenEmpty(value)
  return isObject(value) && Object.values(value).some((member) => typeof member === 'object' && hasEmptyInList(member))
}

/**
 * The reference compares lists of an atomic value deeply, so that what was given as an empty list or map differs from an absent one, but structs
 * without the members that they omit.
 */
const atomicOutcome = (left: Json, right: Json): Outcome => (hasEmptyInList(right) ? changedLeaf : leafOutcome(left, right))

const noMembers: JsonObject = {}

/** A member of the new object; null may stand for a list or map that was given as an empty one. */
const memberOf = (object: JsonObject, key: string): Json => object[key] ?? givenEmpty(object, key) ?? null

function handleMap(map: MapAtom, left: Json, right: Json): Outcome {
  const before = isObject(left) ? left : noMembers
  const after = isObject(right) ? right : noMembers
  if (map.atomic) return atomicOutcome(left, right)
  const outcomes = new Outcomes()
  // Testing whether an object with many members is empty takes as long as a walk over its keys.
  let count = 0
  for (const key in before) {
    count++
    const outcome = visit(atomOf(map, key), before[key], Object.hasOwn(after, key) ? memberOf(after, key) : undefined)
    if (outcome !== nothing) outcomes.add(map.element(key), outcome)
  }
  if (count === 0) return isEmpty(after) ? leafOutcome(left, right) : arrived(membersBelow(map, after))
  for (const key in after)
    if (!Object.hasOwn(before, key)) outcomes.add(map.element(key), visit(atomOf(map, key), undefined, memberOf(after, key)))
  return outcomes.whole
}

/** All members or items were added. */
const arrived = (changed: FieldSet): Outcome => ({ ...nothing, changed })

const noItems: Json[] = []

function handleList(list: ListAtom, left: Json, right: Json): Outcome {
  const before = Array.isArray(left) ? left : noItems
  const after = Array.isArray(right) ? right : noItems
  if (list.relation === 'atomic') return atomicOutcome(left, right)
  if (before.length === 0 && after.length === 0) return leafOutcome(left, right)
  if (before.length === 0) return arrived(itemsBelow(list, after))
  const outcomes = new Outcomes()
  if (sameIdentities(list, before, after)) {
    for (let at = 0; at < before.length; at++) {
      const outcome = visit(list.items(), before[at], after[at])
      if (outcome !== nothing) outcomes.add(itemElement(list, after[at] as Json), outcome)
    }
    return outcomes.whole
  }
  const oldItems = new Items(list, before)
  const newItems = new Items(list, after)
  for (const [identity, old] of oldItems.first) {
    const repeats = oldItems.repeated.has(identity) || newItems.repeated.has(identity)
    const outcome = repeats
      ? visitItems(list, oldItems.all(identity), newItems.all(identity))
      : visit(list.items(), old, newItems.first.get(identity))
    if (outcome !== nothing) outcomes.add(elementOf(list, identity), outcome)
  }
  for (const identity of newItems.first.keys())
    if (!oldItems.first.has(identity)) outcomes.add(elementOf(list, identity), visitItems(list, noItems, newItems.all(identity)))
  return outcomes.whole
}

/** The items of a list by identity; nearly all have one of their own. */
class Items {
  readonly first = new Map<ItemIdentity, Json>()
  readonly repeated = new Map<ItemIdentity, Json[]>()

  constructor(list: ListAtom, items: readonly Json[]) {
    for (const item of items) {
      const identity = itemIdentity(list, item)
      const first = this.first.get(identity)
      if (first === undefined) {
        this.first.set(identity, item)
        continue
      }
      const repeats = this.repeated.get(identity)
      if (repeats) repeats.push(item)
      else this.repeated.set(identity, [first, item])
    }
  }

  all(identity: ItemIdentity): readonly Json[] {
    const repeats = this.repeated.get(identity)
    if (repeats) return repeats
    const first = this.first.get(identity)
    return first === undefined ? noItems : [first]
  }
}

/** Compares the items with one identity. Duplicates are compared together, as a leaf. */
function visitItems(list: ListAtom, left: readonly Json[], right: readonly Json[]): Outcome {
  if (left.length < 2 && right.length < 2) return visit(list.items(), left[0], right[0])
  if (left.length > 1 && right.length > 1) return equal([...left], [...right]) ? nothing : changedLeaf
  // Only one side has duplicates: they count as added or removed together, in addition to the change of the other side's single item.
  const repeatsRight = right.length > 1
  const [single] = repeatsRight ? left : right
  const repeats = repeatsRight ? changedLeaf : removedLeaf
  if (single === undefined) return repeats
  return combine(repeatsRight ? visit(list.items(), single, undefined) : visit(list.items(), undefined, single), repeats)
}
