/** Field sets: immutable trees of path elements (KEP-555). Operations return new sets that may share nodes. */
import { compareElements, type Element, fieldElement, sortByElement } from './element.ts'

/** A field in the set (`member`), or an ancestor of such fields. */
export interface FieldNode {
  readonly element: Element
  readonly member: boolean
  readonly children: FieldSet
}

/** Sorted by `compareElements`, without duplicates. */
export type FieldSet = readonly FieldNode[]

export const noFields: FieldSet = []

/** The set of these field paths. */
export function fieldSet(...paths: readonly (readonly string[])[]): FieldSet {
  let set = noFields
  for (const path of paths) {
    let one = noFields
    for (let at = path.length - 1; at >= 0; at--)
      one = [{ element: fieldElement(path[at] as string), member: at === path.length - 1, children: one }]
    set = union(set, one)
  }
  return set
}

/** Up to this many nodes, insertion sort is faster. */
const fewNodes = 32

/** Sorts nodes; may change the given list. */
export function inOrder<N extends { readonly element: Element }>(nodes: N[]): N[] {
  if (nodes.length > fewNodes) return sortByElement(nodes)
  for (let next = 1; next < nodes.length; next++) {
    const node = nodes[next] as N
    let at = next
    while (at > 0 && compareElements((nodes[at - 1] as N).element, node.element) > 0) at--
    if (at === next) continue
    for (let from = next; from > at; from--) nodes[from] = nodes[from - 1] as N
    nodes[at] = node
  }
  return nodes
}

export function find(set: FieldSet, element: Element): FieldNode | undefined {
  let low = 0
  let high = set.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const node = set[middle] as FieldNode
    if (node.element === element) return node
    if (compareElements(node.element, element) < 0) low = middle + 1
    else high = middle
  }
  return undefined
}

/** Whether the field at this path is a member. */
export function has(set: FieldSet, path: readonly Element[]): boolean {
  let node: FieldNode | undefined
  for (const element of path) {
    node = find(node ? node.children : set, element)
    if (node === undefined) return false
  }
  return node?.member ?? false
}

type Pick = (left: FieldNode | undefined, right: FieldNode | undefined) => FieldNode | undefined

/** Merges two sorted sets. */
function join(left: FieldSet, right: FieldSet, pick: Pick): FieldSet {
  const nodes: FieldNode[] = []
  let l = 0
  let r = 0
  while (l < left.length || r < right.length) {
    const a = left[l]
    const b = right[r]
    const order = a === undefined ? 1 : b === undefined ? -1 : compareElements(a.element, b.element)
    if (order <= 0) l++
    if (order >= 0) r++
    const node = pick(order <= 0 ? a : undefined, order >= 0 ? b : undefined)
    if (node !== undefined) nodes.push(node)
  }
  return nodes
}

function nodeOf(element: Element, member: boolean, children: FieldSet): FieldNode | undefined {
  return member || children.length > 0 ? { element, member, children } : undefined
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left.length === 0 || left === right) return right
  if (right.length === 0) return left
  return join(left, right, (a, b) =>
    a && b ? { element: a.element, member: a.member || b.member, children: union(a.children, b.children) } : (a ?? b),
  )
}

/** The union of several sets, merged pairwise, so that the cost is n log n. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  if (sets.length < 2) return sets[0] ?? noFields
  const middle = sets.length >>> 1
  return union(unionOf(sets.slice(0, middle)), unionOf(sets.slice(middle)))
}

/** From this ratio of sizes on, the larger set is searched instead of merged. */
const muchLarger = 16

/** Looks up each node of the small left set in the right one. */
function search(left: FieldSet, right: FieldSet, pick: (left: FieldNode, right: FieldNode | undefined) => FieldNode | undefined): FieldSet {
  return left.flatMap((node) => pick(node, find(right, node.element)) ?? [])
}

const isMuchLarger = (right: FieldSet, left: FieldSet) => right.length > left.length * muchLarger

/** Fields that are members of both sets. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  if (left.length === 0 || right.length === 0) return noFields
  if (isMuchLarger(left, right)) return intersection(right, left)
  if (isMuchLarger(right, left)) return search(left, right, common)
  return join(left, right, (a, b) => a && common(a, b))
}

const common = (a: FieldNode, b: FieldNode | undefined) =>
  b && nodeOf(a.element, a.member && b.member, intersection(a.children, b.children))

/** Members of the left set that are not members of the right set; descendants of the right set's members stay. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (left.length === 0 || right.length === 0) return left
  if (isMuchLarger(right, left)) return search(left, right, without)
  return join(left, right, (a, b) => a && without(a, b))
}

const without = (a: FieldNode, b: FieldNode | undefined) =>
  b ? nodeOf(a.element, a.member && !b.member, difference(a.children, b.children)) : a

/** As `difference`, but descendants of the right set's members are removed too. */
export function recursiveDifference(left: FieldSet, right: FieldSet): FieldSet {
  if (left.length === 0 || right.length === 0) return left
  if (isMuchLarger(right, left)) return search(left, right, withoutAll)
  return join(left, right, (a, b) => a && withoutAll(a, b))
}

function withoutAll(a: FieldNode, b: FieldNode | undefined): FieldNode | undefined {
  if (b === undefined) return a
  return b.member ? undefined : nodeOf(a.element, a.member, recursiveDifference(a.children, b.children))
}

export function sameFields(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true
  return (
    left.length === right.length &&
    left.every((a, at) => {
      const b = right[at] as FieldNode
      return a.element === b.element && a.member === b.member && sameFields(a.children, b.children)
    })
  )
}

/** Calls `visit` with the path of each member: first the members of a level, then those below. The path array is reused. */
export function eachPath(set: FieldSet, visit: (path: readonly Element[]) => void, above: Element[] = []): void {
  const at = above.push('') - 1
  for (const { element, member } of set) {
    above[at] = element
    if (member) visit(above)
  }
  for (const { element, children } of set) {
    above[at] = element
    if (children.length > 0) eachPath(children, visit, above)
  }
  above.pop()
}
