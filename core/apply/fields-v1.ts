/** FieldsV1: a field set as a trie of element texts; `.` marks a member that has children (metav1.FieldsV1). */
import type { Json, JsonObject } from '../schema/model.ts'
import { readElement } from './element.ts'
import { type FieldNode, type FieldSet, inOrder, noFields, unionOf } from './field-set.ts'

/** The trie, with keys in the order of the reference server. */
export function encodeFields(set: FieldSet, self = false): JsonObject {
  const trie: JsonObject = {}
  if (self) trie['.'] = {}
  for (const { element, member, children } of set) trie[element] = children.length === 0 ? {} : encodeFields(children, member)
  return trie
}

/** Reads a trie; elements of unknown types are left out. Throws an Error for what is none. */
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
  inOrder(nodes)
  return { member: owned, children: nodes.length < 2 ? nodes : withoutRepeats(nodes) }
}

/** Texts that differ may name the same element. */
function withoutRepeats(nodes: FieldNode[]): FieldSet {
  const repeats = nodes.some((node, at) => at > 0 && nodes[at - 1]?.element === node.element)
  return repeats ? unionOf(nodes.map((node) => [node])) : nodes
}
