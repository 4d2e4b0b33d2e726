import type { Atom } from './atom.ts'
import { isKey, nameOf } from './element.ts'
import type { FieldSet } from './field-set.ts'

/** Adds every declared field with members below it to the set; map keys and list items are not added. */
export function withNamedFields(atom: Atom | undefined, set: FieldSet): FieldSet {
  return set.map((node) => {
    if (node.children.length === 0) return node
    const name = nameOf(node.element)
    const declared = name === undefined ? undefined : atom?.map?.field(name)
    const below = name === undefined ? (isKey(node.element) ? atom?.list?.items() : undefined) : (declared ?? atom?.map?.others?.())
    return { element: node.element, member: node.member || declared !== undefined, children: withNamedFields(below, node.children) }
  })
}
