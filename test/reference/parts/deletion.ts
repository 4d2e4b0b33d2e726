/** Ends of objects: namespaces from creation to finalization, finalizers with every policy of propagation, graceful deletion. These write. */
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'

const space = '/api/v1/namespaces/deletion'
const maps = `${space}/configmaps`
const merge = { 'content-type': 'application/merge-patch+json' }
const spaces = '/api/v1/namespaces'
const drop = (path: string): Call => ({ method: 'DELETE', path })

/** The body of a PUT to `finalize`. */
const finalized = (name: string, finalizers: readonly string[] | null, more: object = {}) => ({
  ...{ kind: 'Namespace', apiVersion: 'v1', metadata: { name, ...more }, spec: { finalizers } },
})

/** What happens to a namespace, in order; `*` stands for its path. */
const lives: { readonly [what: string]: (path: string, name: string) => readonly Call[] } = {
  'deleted, then finalized': (path, name) => [
    drop(`${path}?dryRun=All`),
    get(path),
    drop(path),
    get(path),
    drop(path),
    send('PUT', `${path}/finalize?dryRun=All`, finalized(name, [])),
    get(path),
    send('PUT', `${path}/finalize`, finalized(name, [])),
    get(path),
    drop(path),
    get(path),
    send('PUT', `${path}/finalize`, finalized(name, [])),
  ],
  'finalized, then deleted': (path, name) => [
    send('PUT', `${path}/finalize`, finalized(name, [])),
    get(path),
    drop(`${path}?dryRun=All`),
    drop(path),
    get(path),
  ],
  'with an own finalizer of the spec': (path, name) => [
    send('PUT', `${path}/finalize`, finalized(name, ['kubernetes', 'example.com/a'])),
    send('PUT', `${path}/finalize`, finalized(name, ['a b', ''])),
    send('PUT', `${path}/finalize`, finalized(name, ['x'])),
    send('PUT', `${path}/finalize`, finalized('other', [])),
    send('PUT', `${path}/finalize`, finalized(name, null)),
    send('PUT', `${path}/finalize`, { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }),
    send('PUT', path, finalized(name, ['kubernetes'])),
    send('PATCH', path, { spec: { finalizers: [] } }, merge),
    drop(path),
    send('PUT', `${path}/finalize`, finalized(name, ['example.com/a'], { labels: { a: 'b' } })),
    send('PUT', `${path}/finalize`, finalized(name, [])),
    get(path),
  ],
  'with finalizers of the metadata': (path, name) => [
    send('PATCH', path, { metadata: { finalizers: ['example.com/a'] } }, merge),
    drop(path),
    send('PUT', `${path}/finalize`, finalized(name, [], { finalizers: ['example.com/a'] })),
    get(path),
    send('PATCH', path, { metadata: { finalizers: ['example.com/a', 'example.com/b'] } }, merge),
    send('PATCH', path, { metadata: { finalizers: null } }, merge),
    get(path),
  ],
  'writes while it ends': (path, name) => [
    send('POST', `${path}/configmaps`, { metadata: { name: 'a', finalizers: ['example.com/a'] } }),
    send('POST', `${path}/configmaps`, { metadata: { name: 'b' } }),
    drop(path),
    send('POST', `${path}/configmaps`, { metadata: { name: 'c' } }),
    send('POST', `${path}/configmaps?dryRun=All`, { metadata: { name: 'c' } }),
    send('PATCH', `${path}/configmaps/a`, { data: { a: '1' } }, merge),
    send(
      'PATCH',
      `${path}/configmaps/c?fieldManager=x`,
      { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'c' } },
      {
        'content-type': 'application/apply-patch+yaml',
      },
    ),
    send('POST', `${path}/serviceaccounts`, { metadata: { name: 'c' } }),
    send('POST', `/apis/authorization.k8s.io/v1/namespaces/${name}/localsubjectaccessreviews`, { spec: { user: 'x' } }),
    send('PATCH', path, { metadata: { labels: { a: 'b' } } }, merge),
    send('PUT', `${path}/status`, { kind: 'Namespace', apiVersion: 'v1', metadata: { name }, status: { phase: 'Active' } }),
    send('PATCH', `${path}/status`, { status: { conditions: [{ type: 'NamespaceContentRemaining', status: 'True' }] } }, merge),
    drop(`${path}/configmaps`),
    get(`${path}/configmaps`),
    send('PATCH', `${path}/configmaps/a`, { metadata: { finalizers: null } }, merge),
    send('PUT', `${path}/finalize`, finalized(name, [])),
    send('POST', `${path}/configmaps`, { metadata: { name: 'c' } }),
  ],
  'deleted with options': (path, name) => [
    send('DELETE', path, { preconditions: { uid: 'x' } }),
    send('DELETE', path, { preconditions: { resourceVersion: '1' } }),
    send('DELETE', path, { gracePeriodSeconds: -1 }),
    send('DELETE', path, { propagationPolicy: 'x' }),
    send('DELETE', path, { propagationPolicy: 'Orphan', gracePeriodSeconds: 7, dryRun: ['All'] }),
    send('DELETE', path, { propagationPolicy: 'Foreground', gracePeriodSeconds: 7 }),
    get(path),
    send('DELETE', path, { propagationPolicy: 'Background' }),
    get(path),
    send('PATCH', path, { metadata: { finalizers: null } }, merge),
    send('PUT', `${path}/finalize`, finalized(name, [])),
    get(path),
  ],
  'created with what only the server sets': (path, name) => [
    send('POST', spaces, { metadata: { name }, spec: { finalizers: [] }, status: { phase: 'Terminating' } }),
    send('POST', `${spaces}?dryRun=All`, {
      metadata: { name: `${name}-2`, deletionTimestamp: '2020-01-01T00:00:00Z' },
      spec: { finalizers: ['x'] },
    }),
    send('POST', `${spaces}?dryRun=All`, { metadata: { name: `${name}-2`, labels: { 'kubernetes.io/metadata.name': 'x' } } }),
    send('POST', `${spaces}?dryRun=All`, { metadata: { generateName: `${name}-` }, spec: { finalizers: ['example.com/a'] } }),
    send('PATCH', `${path}?dryRun=All`, { metadata: { labels: null } }, merge),
    send('PATCH', `${path}?dryRun=All`, { metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } } }, merge),
    drop(`${spaces}`),
    drop(`${spaces}?dryRun=All&labelSelector=none`),
    drop(path),
    send('PUT', `${path}/finalize`, finalized(name, [])),
  ],
}

function* namespaces(): Generator<Scene> {
  for (const [index, [what, calls]] of Object.entries(lives).entries()) {
    const name = `deletion-${index}`
    const path = `${spaces}/${name}`
    yield { kind: 'namespaces', at: what, calls: [send('POST', spaces, { metadata: { name } }), ...calls(path, name)] }
  }
  for (const name of ['default', 'kube-system', 'kube-public'])
    yield { kind: 'namespaces', at: `immortal ${name}`, calls: [drop(`${spaces}/${name}`), drop(`${spaces}/${name}?dryRun=All`)] }
}

const policies = [undefined, 'Foreground', 'Background', 'Orphan', 'x']
const finalizerLists = [[], ['example.com/a'], ['foregroundDeletion'], ['orphan'], ['orphan', 'foregroundDeletion', 'example.com/a']]
/** Options of deletes beside a policy. */
const others: readonly object[] = [
  {},
  { gracePeriodSeconds: 0 },
  { gracePeriodSeconds: 30 },
  { orphanDependents: true },
  { orphanDependents: false },
  { preconditions: { uid: '{{0.metadata.uid}}', resourceVersion: '{{0.metadata.resourceVersion}}' } },
  { preconditions: { resourceVersion: '1' } },
  { dryRun: ['All'] },
]

/** Kinds with different defaults of deletion: by path of the collection, with a body. */
const kinds: readonly (readonly [name: string, path: string, body: object])[] = [
  ['configmaps', maps, {}],
  [
    'jobs',
    '/apis/batch/v1/namespaces/deletion/jobs',
    { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } } } },
  ],
  [
    'deployments',
    '/apis/apps/v1/namespaces/deletion/deployments',
    {
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'b' }] } },
      },
    },
  ],
  ['pods', `${space}/pods`, { spec: { automountServiceAccountToken: false, containers: [{ name: 'a', image: 'b' }] } }],
  [
    'scheduled pods',
    `${space}/pods`,
    { spec: { nodeName: 'none', automountServiceAccountToken: false, containers: [{ name: 'a', image: 'b' }] } },
  ],
]

function* objects(): Generator<Scene> {
  for (const [kind, path, body] of kinds)
    for (const [at, finalizers] of finalizerLists.entries())
      for (const policy of policies)
        for (const [index, options] of others.entries()) {
          const name = `${kind.replace(' ', '-')}-${at}-${policy?.toLowerCase() ?? 'none'}-${index}`
          const own = `${path}/${name}`
          yield {
            kind,
            at: `${JSON.stringify(finalizers)} ${policy} ${JSON.stringify(options)}`,
            calls: [
              send('POST', path, { metadata: { name, labels: { a: 'b' }, ...(at > 0 && { finalizers }) }, ...body }),
              send('DELETE', own, { ...(policy && { propagationPolicy: policy }), ...options }),
              get(own),
              drop(own),
              get(own),
              send('PATCH', own, { metadata: { finalizers: ['example.com/b'] } }, merge),
              send('PATCH', own, { metadata: { finalizers: null } }, merge),
              send('DELETE', own, { gracePeriodSeconds: 0 }),
              get(own),
            ],
          }
        }
}

/** Leaves nothing behind. */
const end: readonly Call[] = ['deletion', ...Object.keys(lives).map((_, index) => `deletion-${index}`)].flatMap((name) => [
  drop(`${spaces}/${name}/serviceaccounts/default`),
  drop(`${spaces}/${name}`),
  send('PUT', `${spaces}/${name}/finalize`, finalized(name, [])),
  drop(`${spaces}/${name}`),
])

export const deletion: Part = {
  name: 'deletion',
  before: () => [
    ...end,
    send('POST', spaces, { metadata: { name: 'deletion' } }),
    send('POST', `${space}/serviceaccounts`, { metadata: { name: 'default' } }),
  ],
  scenes: function* () {
    yield* namespaces()
    yield* objects()
  },
  after: () => end,
}
