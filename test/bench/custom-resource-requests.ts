/** A custom resource and a config map of the same size, and the requests for both. */

export const definitionOf = (plural: string, kind: string, group: string, openAPIV3Schema: object) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } }],
  },
})

export const widgets = definitionOf('widgets', 'Widget', 'bench.example.com', {
  type: 'object',
  properties: { data: { type: 'object', additionalProperties: { type: 'string' } } },
})

interface Kind {
  readonly path: string
  readonly apiVersion: string
  readonly kind: string
}

/** The custom resource first. */
export const kinds: readonly [Kind, Kind] = [
  { path: '/apis/bench.example.com/v1/namespaces/default/widgets', apiVersion: 'bench.example.com/v1', kind: 'Widget' },
  { path: '/api/v1/namespaces/default/configmaps', apiVersion: 'v1', kind: 'ConfigMap' },
]

export const objectOf = ({ apiVersion, kind }: Kind, name: string) => ({
  apiVersion,
  kind,
  metadata: { name, labels: { app: 'bench' } },
  data: { text: 'x'.repeat(700) },
})

/** `{n}` is replaced by a number unique to each request, `{k}` by one below 1,000. */
export interface BenchRequest {
  readonly method?: string
  readonly path: string
  readonly type?: string
  readonly body?: string
}

/** Every write changes something. */
export const requestsOf: { readonly [row: string]: (kind: Kind) => BenchRequest } = {
  GET: ({ path }) => ({ path: `${path}/object-1` }),
  'LIST 1,000': ({ path }) => ({ path: `${path}?labelSelector=app%3Dbench` }),
  CREATE: (kind) => ({
    method: 'POST',
    path: kind.path,
    type: 'application/json',
    body: JSON.stringify({ ...objectOf(kind, ''), metadata: { generateName: 'made-', labels: { n: '{n}' } } }),
  }),
  'merge PATCH': ({ path }) => ({
    method: 'PATCH',
    path: `${path}/object-{k}`,
    type: 'application/merge-patch+json',
    body: '{"data":{"touched":"{n}"}}',
  }),
  apply: ({ path, apiVersion, kind }) => ({
    method: 'PATCH',
    path: `${path}/object-{k}?fieldManager=bench`,
    type: 'application/apply-patch+yaml',
    body: JSON.stringify({ apiVersion, kind, data: { applied: '{n}' } }),
  }),
}
