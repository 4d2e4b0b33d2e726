/** Migrates ownership after a schema change between atomic and granular. */
import type { Atom } from './atom.ts'
import type { FieldNode, FieldSet } from './field-set.ts'

/** The set in terms of the present schema: the owner of part of a value that is atomic now owns all of it. */
export function reconcile(atom: Atom, set: FieldSet): FieldSet {
  let changed: FieldNode[] | undefined
  for (let at = 0; at < set.length; at++) {
    const node = set[at] as FieldNode
    if (node.children.length === 0) continue
    const reconciled = reconcileNode(typeBelow(atom, node), node)
    if (reconciled === node) continue
    changed ??= [...set]
    changed[at] = reconciled
  }
  return changed ?? set
}

function typeBelow({ map, scalar, list }: Atom, { element }: FieldNode): Atom | undefined {
  if (map) return map.free ? undefined : (map.named(element) ?? map.others?.())
  return scalar ? undefined : list?.items()
}

function reconcileNode(atom: Atom | undefined, node: FieldNode): FieldNode {
  if (atom === undefined) return node
  const { map, scalar, list } = atom
  if (map?.free) return node
  if (map ? map.atomic : !scalar && list?.relation === 'atomic') return { element: node.element, member: true, children: [] }
  const children = reconcile(atom, node.children)
  return children === node.children ? node : { ...node, children }
}
