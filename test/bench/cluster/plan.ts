/** How large the cluster is, and where everything is. */

/** The full size. */
const full = { nodes: 5_000, namespaces: 500, pods: 150_000, services: 1_000, churn: 100 }

export interface Plan {
  readonly nodes: number
  readonly namespaces: number
  readonly pods: number
  readonly services: number
  /** Pods that are created, bound, started and deleted per second. */
  readonly churn: number
}

export function planOf(scale: number): Plan {
  const scaled = (value: number) => Math.max(2, Math.round(value * scale))
  return {
    nodes: scaled(full.nodes),
    namespaces: scaled(full.namespaces),
    pods: scaled(full.pods),
    services: scaled(full.services),
    churn: full.churn * scale,
  }
}

const padded = (value: number, width: number) => String(value).padStart(width, '0')

export const nodeName = (index: number) => `node-${padded(index, 4)}`
export const namespaceName = (index: number) => `team-${padded(index, 3)}`
/** Pods that live long are `steady-…`; those that come and go `churn-…`. */
export const steadyName = (index: number) => `steady-${padded(index, 6)}`
export const churnName = (index: number) => `churn-${padded(index, 7)}`
/** Length of all names from `churnName`. */
export const churnNameLength = churnName(0).length

/** The namespaces of a node's pods: each mounts a config map and a secret of its own, and the cluster's root certificates. */
export function namespacesOf(node: number, { namespaces }: Plan): readonly [string, string] {
  return [namespaceName(node % namespaces), namespaceName((node + 1 + (Math.floor(node / namespaces) % (namespaces - 1))) % namespaces)]
}

/** Node and namespace of the pod with this number. */
export function placeOf(index: number, plan: Plan): { readonly node: number; readonly namespace: string } {
  const node = index % plan.nodes
  return { node, namespace: namespacesOf(node, plan)[Math.floor(index / plan.nodes) % 2]! }
}
