/** What one write did to an object, field by field. */
import { equal } from '../schema/equal.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { type Atom, deduce, type ListAtom, type MapAtom } from './atom.ts'
import type { Element } from './element.ts'
import { type FieldNode, type FieldSet, inOrder } from './field-set.ts'
import { itemElement } from './list-item.ts'
import { TypeMismatch } from './type-mismatch.ts'

/** No field is in both sets. */
export interface Comparison {
  /** Fields that were added or got another value. */
  readonly changed: FieldSet
  readonly removed: FieldSet
}

const addedMark = 1
const modifiedMark = 2
const removedMark = 4

/** A node of the tree of differences: what happened to the value itself, and below it. */
interface Difference {
  readonly element: Element
  readonly marks: number
  readonly children: readonly Difference[]
}

/** The value itself, while it is compared. */
interface Outcome {
  readonly marks: number
  readonly children: Difference[]
  /** Nothing below is owned by itself. */
  readonly leaf: boolean
}

const unchanged: Difference[] = []

/** Compares two values of a type. Throws a TypeMismatch where the fields of one can't be told. */
export function compare(atom: Atom, old: Json, updated: Json): Comparison {
  const { children } = visit(atom, old, updated)
  return { changed: select(children, addedMark | modifiedMark), removed: select(children, removedMark) }
}

function select(differences: readonly Difference[], mask: number): FieldSet {
  const nodes: FieldNode[] = []
  for (const { element, marks, children } of differences) {
    const member = (marks & mask) !== 0
    const below = children.length === 0 ? [] : select(children, mask)
    if (member || below.length > 0) nodes.push({ element, member, children: below })
  }
  return nodes
}

function visit(given: Atom, left: Json | undefined, right: Json | undefined): Outcome {
  const before = deduce(given, left)
  const after = deduce(given, right)
  if (left === undefined || right === undefined || before === after) {
    const outcome = handle(right === undefined ? before : after, left, right)
    if (outcome.leaf || (left !== undefined && right !== undefined)) return outcome
    return { ...outcome, marks: outcome.marks | (left === undefined ? addedMark : removedMark) }
  }
  return combine(handle(before, left, right), handle(after, left, right))
}

/** Both outcomes of a value that changed its kind. */
function combine(first: Outcome, second: Outcome): Outcome {
  const children = new Map(first.children.map((each) => [each.element, each]))
  for (const each of second.children) {
    const same = children.get(each.element)
    const below = same
      ? combine({ ...same, leaf: false, children: [...same.children] }, { ...each, leaf: false, children: [...each.children] })
      : each
    children.set(each.element, { element: each.element, marks: below.marks | (same?.marks ?? 0), children: below.children })
  }
  return { marks: first.marks | second.marks, children: inOrder([...children.values()]), leaf: second.leaf }
}

function handle({ map, scalar, list }: Atom, left: Json | undefined, right: Json | undefined): Outcome {
  if (map) return handleMap(map, left, right)
  if (scalar) return leafOutcome(left, right)
  if (list) return handleList(list, left, right)
  throw new TypeMismatch([{ path: '', message: 'field not declared in schema' }])
}

function leafOutcome(left: Json | undefined, right: Json | undefined): Outcome {
  const marks = left === undefined ? addedMark : right === undefined ? removedMark : equal(left, right) ? 0 : modifiedMark
  return { marks, children: unchanged, leaf: true }
}

const noMembers: JsonObject = {}

function handleMap(map: MapAtom, left: Json | undefined, right: Json | undefined): Outcome {
  const before = typeof left === 'object' && left !== null && !Array.isArray(left) ? left : noMembers
  const after = typeof right === 'object' && right !== null && !Array.isArray(right) ? right : noMembers
  const oldKeys = Object.keys(before)
  const newKeys = Object.keys(after)
  if (map.atomic || (oldKeys.length === 0 && newKeys.length === 0)) return leafOutcome(left, right)
  const children: Difference[] = []
  for (const key of oldKeys) visitMember(map, key, before[key] as Json, Object.hasOwn(after, key) ? after[key] : undefined, children)
  for (const key of newKeys) if (!Object.hasOwn(before, key)) visitMember(map, key, undefined, after[key] as Json, children)
  return { marks: 0, children: inOrder(children), leaf: false }
}

function visitMember(map: MapAtom, key: string, left: Json | undefined, right: Json | undefined, into: Difference[]): void {
  const atom = map.field(key) ?? map.others?.()
  if (atom === undefined) throw new TypeMismatch([{ path: `.${key}`, message: 'field not declared in schema' }])
  add(into, map.element(key), visit(atom, left, right))
}

function add(into: Difference[], element: Element, { marks, children }: Outcome): void {
  if (marks !== 0 || children.length > 0) into.push({ element, marks, children })
}

const noItems: Json[] = []

function handleList(list: ListAtom, left: Json | undefined, right: Json | undefined): Outcome {
  const before = Array.isArray(left) ? left : noItems
  const after = Array.isArray(right) ? right : noItems
  if (list.relation === 'atomic' || (before.length === 0 && after.length === 0)) return leafOutcome(left, right)
  const oldItems = byElement(list, before)
  const newItems = byElement(list, after)
  const children: Difference[] = []
  for (const [element, items] of oldItems) add(children, element, visitItems(list, items, newItems.get(element) ?? noItems))
  for (const [element, items] of newItems) if (!oldItems.has(element)) add(children, element, visitItems(list, noItems, items))
  return { marks: 0, children: inOrder(children), leaf: false }
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
  if (left.length > 1 && right.length > 1)
    return { marks: equal([...left], [...right]) ? 0 : modifiedMark, children: unchanged, leaf: true }
  const repeats = left.length > 1 ? removedMark : addedMark
  const single = left.length > 1 ? right[0] : left[0]
  const outcome =
    single === undefined ? undefined : left.length > 1 ? visit(list.items(), undefined, single) : visit(list.items(), single, undefined)
  return { marks: repeats | (outcome?.marks ?? 0), children: outcome?.children ?? unchanged, leaf: true }
}
