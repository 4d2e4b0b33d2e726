/** Field sets: immutable trees of path elements (KEP-555). Operations return new sets that may share nodes. */
import { sameItems } from '../schema/json/equal.ts'
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

/** The union of two sorted sets; the right one itself when it has all fields of the left one. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left.length === 0 || left === right) return right
  if (right.length === 0) return left
  const nodes: FieldNode[] = []
  let l = 0
  let r = 0
  while (l < left.length || r < right.length) {
    const a = left[l]
    const b = right[r]
    const order = a === undefined ? 1 : b === undefined ? -1 : compareElements(a.element, b.element)
    if (order <= 0) l++
    if (order >= 0) r++
    nodes.push(order === 0 ? unionOfNodes(a as FieldNode, b as FieldNode) : ((order < 0 ? a : b) as FieldNode))
  }
  return sameItems(nodes, right) ? right : nodes
}

function unionOfNodes(a: FieldNode, b: FieldNode): FieldNode {
  const member = a.member || b.member
  const children = union(a.children, b.children)
  return member === b.member && children === b.children ? b : { element: b.element, member, children }
}

/** The union of several sets, merged pairwise, so that the cost is n log n. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  if (sets.length < 2) return sets[0] ?? noFields
  const middle = sets.length >>> 1
  return union(unionOf(sets.slice(0, middle)), unionOf(sets.slice(middle)))
}

/** From this ratio of sizes on, the larger set is searched instead of merged. */
const muchLarger = 16

const isMuchLarger = (right: FieldSet, left: FieldSet) => right.length > left.length * muchLarger

/** What is left of a node, given the node of the same element in the other set; undefined: nothing. */
type Remainder = (a: FieldNode, b: FieldNode | undefined) => FieldNode | undefined

/** What is left of the nodes of the left set; the set itself when that is all of it, as in most updates. */
function remaining(left: FieldSet, right: FieldSet, remainder: Remainder): FieldSet {
  const isSearched = isMuchLarger(right, left)
  let nodes: FieldNode[] | undefined
  let r = 0
  for (let l = 0; l < left.length; l++) {
    const a = left[l] as FieldNode
    let order = -1
    if (!isSearched) while (r < right.length && order < 0) order = compareElements((right[r++] as FieldNode).element, a.element)
    // The one that follows may belong to the next node.
    if (order > 0) r--
    const b = isSearched ? find(right, a.element) : order === 0 ? right[r - 1] : undefined
    const rest = remainder(a, b)
    if (rest !== a) nodes ??= left.slice(0, l)
    if (nodes !== undefined && rest !== undefined) nodes.push(rest)
  }
  return nodes ?? left
}

/** The node with other contents: itself if they are the same, undefined if there are none. */
function nodeOf(a: FieldNode, member: boolean, children: FieldSet): FieldNode | undefined {
  if (member === a.member && children === a.children) return a
  return member || children.length > 0 ? { element: a.element, member, children } : undefined
}

/** Fields that are members of both sets. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  if (left.length === 0) return left
  if (right.length === 0) return noFields
  return isMuchLarger(left, right) ? remaining(right, left, common) : remaining(left, right, common)
}

const common: Remainder = (a, b) => b && nodeOf(a, a.member && b.member, intersection(a.children, b.children))

/** Members of the left set that are not members of the right set; descendants of the right set's members stay. */
export const difference = (left: FieldSet, right: FieldSet): FieldSet => (right.length === 0 ? left : remaining(left, right, without))

const without: Remainder = (a, b) => (b ? nodeOf(a, a.member && !b.member, difference(a.children, b.children)) : a)

/** As `difference`, but descendants of the right set's members are removed too. */
export const recursiveDifference = (left: FieldSet, right: FieldSet): FieldSet =>
  right.length === 0 ? left : remaining(left, right, withoutAll)

function withoutAll(a: FieldNode, b: FieldNode | undefined): FieldNode | undefined {
  if (b === undefined) return a
  return b.member ? undefined : nodeOf(a, a.member, recursiveDifference(a.children, b.children))
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
