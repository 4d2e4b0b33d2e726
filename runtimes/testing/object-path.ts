/** Resolves kinds to paths through discovery. */
import type { ResourcePlace } from '../../core/server.ts'
import { ApiFailure } from './failure.ts'
import type { Fetch } from './server.ts'

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[]
}

/** Milliseconds to wait for a kind to appear in discovery after its definition was applied. */
const startTimeout = 2_000

/** Responses that say that this user will not get an answer. */
const final = new Set([401, 403])

/** The kinds of a group version; undefined when it is not served. Rejects with an ApiFailure when the server refuses to say. */
async function kindsOf(fetch: Fetch, root: string, apiVersion: string, isLast: boolean): Promise<ResourceList['resources'] | undefined> {
  const response = await fetch(root)
  if (response.ok) return ((await response.json()) as ResourceList).resources
  if (final.has(response.status) || (isLast && response.status !== 404)) throw await ApiFailure.of(response, `discovery of ${apiVersion}`)
  await response.body?.cancel()
  return undefined
}

const rootOf = (apiVersion: string) => (apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`)

/** Path of the collection of a resource. */
export const pathOf = (apiVersion: string, { plural, namespaced }: ResourcePlace, namespace = 'default') =>
  `${rootOf(apiVersion)}${namespaced ? `/namespaces/${namespace}` : ''}/${plural}`

/** Path of a kind's collection. `namespace` is ignored for cluster-scoped kinds. Rejects when discovery does not list the kind in time. */
export async function collectionPath(fetch: Fetch, apiVersion: string, kind: string, namespace = 'default'): Promise<string> {
  const root = rootOf(apiVersion)
  for (const end = performance.now() + startTimeout; ; await new Promise((resolve) => setTimeout(resolve, 10))) {
    const isLast = performance.now() > end
    const kinds = await kindsOf(fetch, root, apiVersion, isLast)
    const found = kinds?.find((each) => each.kind === kind && !each.name.includes('/'))
    if (found) return pathOf(apiVersion, { plural: found.name, namespaced: found.namespaced }, namespace)
    if (isLast && kinds) throw new Error(`no kind ${kind} in ${apiVersion}`)
    if (isLast) throw new Error(`no kind ${kind}: the server does not serve ${apiVersion}; load its CustomResourceDefinition first`)
  }
}
