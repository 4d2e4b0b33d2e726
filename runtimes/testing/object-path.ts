/** Resolves kinds to paths through discovery. */
import type { Fetch } from './server.ts'

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[]
}

/** Milliseconds to wait for a kind to appear in discovery after its definition was applied. */
const patience = 2_000

/** Path of a kind's collection. `namespace` is ignored for cluster-scoped kinds. Rejects when discovery does not list the kind in time. */
export async function collectionPath(fetch: Fetch, apiVersion: string, kind: string, namespace = 'default'): Promise<string> {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  for (const end = performance.now() + patience; ; await new Promise((resolve) => setTimeout(resolve, 10))) {
    const response = await fetch(root)
    const { resources = [] } = (await response.json()) as Partial<ResourceList>
    const found = resources.find((each) => each.kind === kind && !each.name.includes('/'))
    if (found) return `${root}${found.namespaced ? `/namespaces/${namespace}` : ''}/${found.name}`
    if (performance.now() > end) throw new Error(`no kind ${kind} in ${apiVersion}`)
  }
}
