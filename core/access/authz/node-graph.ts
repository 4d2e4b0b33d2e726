/**
 * Objects that each node may read. Links lead to a node directly (a pod bound to it, and the secrets that the pod names), or to a claim that
 * leads to nodes (a volume and its secrets). A link is removed with the object that it was read from.
 */

/** Objects that lead to one node, or to one persistent volume claim. */
export interface Link {
  readonly to: { readonly node: string } | { readonly claim: string }
  /** Keys of the objects (`keyOf`). */
  readonly from: readonly string[]
}

const vertexKinds = [
  'configmap',
  'persistentvolumeclaim',
  'persistentvolume',
  'pod',
  'podcertificaterequest',
  'resourceclaim',
  'resourceslice',
  'secret',
  'serviceaccount',
  'volumeattachment',
] as const

export type VertexKind = (typeof vertexKinds)[number]

export const keyOf = (kind: VertexKind, namespace: string, name: string) => `${kind} ${namespace}/${name}`

/** One object, with the number of its links to each node and claim. */
interface Vertex {
  readonly key: string
  nodes?: Map<string, number>
  claims?: Map<string, number>
}

/** A link in the most compact form: its keys are the strings of the vertices. */
interface Stored {
  readonly to: string
  readonly toNode: boolean
  readonly from: readonly Vertex[]
}

export class NodeGraph {
  readonly #vertices = new Map<string, Vertex>()
  readonly #links = new Map<string, Stored>()

  /** Number of objects with a link. */
  get size(): number {
    return this.#vertices.size
  }

  /** Replaces the link read from the object `owner`; undefined removes it. */
  set(owner: string, link: Link | undefined): void {
    const before = this.#links.get(owner)
    if (link !== undefined && before !== undefined && same(before, link)) return
    const after = link && this.#connect(link)
    if (before !== undefined) this.#disconnect(before)
    if (after === undefined) this.#links.delete(owner)
    else this.#links.set(owner, after)
  }

  /** Whether a chain of links leads from an object to a node. */
  reaches(key: string, node: string): boolean {
    const vertex = this.#vertices.get(key)
    if (vertex === undefined) return false
    if (vertex.nodes?.has(node)) return true
    for (const claim of vertex.claims?.keys() ?? []) if (this.#vertices.get(claim)?.nodes?.has(node)) return true
    return false
  }

  #connect({ to, from }: Link): Stored {
    const toNode = 'node' in to
    const target = toNode ? to.node : to.claim
    const vertices = from.map((key) => {
      let vertex = this.#vertices.get(key)
      if (vertex === undefined) {
        vertex = { key }
        this.#vertices.set(key, vertex)
      }
      const counts = targets(vertex, toNode)
      counts.set(target, (counts.get(target) ?? 0) + 1)
      return vertex
    })
    return { to: target, toNode, from: vertices }
  }

  #disconnect({ to, toNode, from }: Stored): void {
    for (const vertex of from) {
      const counts = targets(vertex, toNode)
      const left = (counts.get(to) ?? 0) - 1
      if (left > 0) counts.set(to, left)
      else counts.delete(to)
      if (!vertex.nodes?.size && !vertex.claims?.size) this.#vertices.delete(vertex.key)
    }
  }
}

function targets(vertex: Vertex, toNode: boolean): Map<string, number> {
  if (toNode) {
    vertex.nodes ??= new Map()
    return vertex.nodes
  }
  vertex.claims ??= new Map()
  return vertex.claims
}

function same({ to, toNode, from }: Stored, link: Link): boolean {
  const target = 'node' in link.to ? link.to.node : link.to.claim
  return (
    toNode === 'node' in link.to && to === target && from.length === link.from.length && from.every(({ key }, at) => key === link.from[at])
  )
}
