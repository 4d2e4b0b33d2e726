/** FieldsV1: a field set as a trie of path elements; `.` marks a member with children (metav1.FieldsV1). */
import type { Json, JsonObject } from '../schema/model.ts'
import { readElement } from './element.ts'
import { type FieldNode, type FieldSet, inOrder, noFields, unionOf } from './field-set.ts'

/** Leaf of every trie; shared, because large objects have a hundred thousand leaves. */
const noKeys: JsonObject = Object.freeze({})

/** Encodes the trie with keys in the order of the reference server. */
export function encodeFields(set: FieldSet, self = false): JsonObject {
  const trie: JsonObject = {}
  if (self) trie['.'] = noKeys
  let last: FieldNode | undefined
  let below = noKeys
  for (const node of set) {
    const { element, member, children } = node
    // Consecutive items often share their set.
    if (children.length > 0 && !(last?.children === children && last.member === member)) {
      below = encodeFields(children, member)
      last = node
    }
    trie[element] = children.length === 0 ? noKeys : below
  }
  return trie
}

/** Decodes a trie; elements of unknown types are dropped. Throws an Error when it is malformed. */
export function decodeFields(trie: Json): FieldSet {
  return read(trie).children
}

type Found = Omit<FieldNode, 'element'>

const leaf: Found = { member: true, children: noFields }

function read(trie: Json): Found {
  if (trie === null) return leaf
  if (typeof trie !== 'object' || Array.isArray(trie)) throw new Error('expected an object')
  let nodes: FieldNode[] | undefined
  let owned = false
  for (const key in trie) {
    if (key === '.') {
      owned = true
      continue
    }
    const element = readElement(key)
    const { member, children } = read(trie[key] as Json)
    if (element === undefined) continue
    nodes ??= []
    nodes.push({ element, member, children })
  }
  if (nodes === undefined) return leaf
  return { member: owned, children: nodes.length < 2 ? nodes : withoutRepeats(inOrder(nodes)) }
}

/** Merges duplicates: different texts may denote the same element. */
function withoutRepeats(nodes: FieldNode[]): FieldSet {
  const repeats = nodes.some((node, at) => at > 0 && nodes[at - 1]?.element === node.element)
  return repeats ? unionOf(nodes.map((node) => [node])) : nodes
}
