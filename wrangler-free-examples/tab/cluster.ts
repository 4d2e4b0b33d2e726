/** The API server of the page, and a small client of it. */
import { createApiServer, indexedDbStore } from 'fetch-apiserver'

/** An object of any kind. */
export interface StoredObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid: string
    readonly resourceVersion: string
    readonly generation?: number
    readonly managedFields?: readonly { readonly manager?: string }[]
  }
}

/** A resource that can be listed and watched. */
export interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
}

export interface Answer {
  readonly status: number
  /** An object, or a Status. */
  readonly body: unknown
}

interface DiscoveredGroup {
  readonly metadata: { readonly name?: string }
  readonly versions: readonly {
    readonly version: string
    readonly resources?: readonly {
      readonly resource: string
      readonly responseKind: { readonly kind: string }
      readonly scope: string
      readonly verbs: readonly string[]
    }[]
  }[]
}

/** Why an object was applied as this page's. */
export const manager = 'tab'

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** `ended` is called when the browser has lost the database. Rejects when another tab has it. */
export async function startCluster(ended: (error: Error) => void) {
  const store = await indexedDbStore({ name: 'cluster', ended })
  const server = await createApiServer({ store, platform: 'kubernetes' })
  const fetch = (path: string, init?: RequestInit) => server.fetch(new Request(`http://cluster${path}`, init))

  async function call(path: string, init?: RequestInit): Promise<Answer> {
    const response = await fetch(path, init)
    return { status: response.status, body: await response.json() }
  }

  /** What the server serves, custom resources included; of each group the preferred version. */
  async function resources(): Promise<readonly Resource[]> {
    const headers = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' }
    const lists = await Promise.all(['/api', '/apis'].map((path) => call(path, { headers })))
    const groups = lists.flatMap(({ body }) => (body as { readonly items: readonly DiscoveredGroup[] }).items)
    return groups.flatMap(({ metadata: { name = '' }, versions: [preferred] }) =>
      (preferred?.resources ?? [])
        .filter(({ verbs }) => verbs.includes('watch'))
        .map(({ resource, responseKind, scope }) => ({
          apiVersion: name === '' ? (preferred?.version ?? '') : `${name}/${preferred?.version}`,
          kind: responseKind.kind,
          plural: resource,
          namespaced: scope === 'Namespaced',
        })),
    )
  }

  return { call, fetch, resources, revision: async () => store.currentRevision() }
}

export function pathOf({ apiVersion, plural, namespaced }: Resource, namespace?: string, name?: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  return `${root}${namespaced && namespace !== undefined ? `/namespaces/${namespace}` : ''}/${plural}${name === undefined ? '' : `/${name}`}`
}

/** Objects of a resource, now and as they change, until the resource is gone. */
export async function follow(
  cluster: Pick<Cluster, 'call' | 'fetch'>,
  resource: Resource,
  seen: { set(object: StoredObject): void; gone(object: StoredObject): void; all(objects: readonly StoredObject[]): void },
): Promise<void> {
  const path = pathOf(resource)
  for (;;) {
    const { status, body } = await cluster.call(path)
    if (status !== 200) return seen.all([])
    const { items, metadata } = body as { readonly items: readonly StoredObject[]; readonly metadata: { readonly resourceVersion: string } }
    seen.all(items.map((item) => ({ ...item, apiVersion: resource.apiVersion, kind: resource.kind })))
    const watch = await cluster.fetch(`${path}?watch=true&resourceVersion=${metadata.resourceVersion}`)
    if (!watch.ok || !watch.body) continue
    let rest = ''
    for await (const text of watch.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: StoredObject }
        if (type === 'ADDED' || type === 'MODIFIED') seen.set(object)
        else if (type === 'DELETED') seen.gone(object)
      }
    }
  }
}
