/** Ratcheting: stored objects of earlier releases that break newer rules can be updated; new objects can not break them. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { allKinds } from '../../support/all-kinds.ts'
import { serverForTests } from '../../support/in-process.ts'
import { causesOf, type Manifest, withChanges } from './support.ts'

const store = memoryStore()
const api = serverForTests({ store, controllers: [], admissionPlugins: { disable: ['ServiceAccount'] }, ...allKinds, watchCache: false })

async function send(method: string, path: string, sent?: unknown) {
  const { status, body } = await api.send<Manifest & { metadata: Manifest }>(method, path, sent)
  return { code: status, body, warnings: [] }
}

interface Row {
  readonly what: string
  readonly path: string
  readonly key: string
  readonly object: Manifest & { metadata: Manifest }
  /** Fields that an earlier release accepted. */
  readonly old: { readonly [path: string]: unknown }
  /** Refusal of the same value in a new object. */
  readonly causes: RegExp
}

const pod = { containers: [{ name: 'c', image: 'i' }] }
const workload = { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: pod } }
const job = { spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } }

const rows: readonly Row[] = [
  {
    what: 'a time zone in the schedule',
    path: '/apis/batch/v1/namespaces/default/cronjobs',
    key: 'cronjobs/default',
    object: { kind: 'CronJob', apiVersion: 'batch/v1', metadata: { name: 'c' }, spec: { schedule: '1 * * * *', jobTemplate: job } },
    old: { 'spec.schedule': 'TZ=UTC 1 * * * *' },
    causes: /^spec\.schedule: .*cannot use TZ or CRON_TZ in schedule/,
  },
  {
    what: 'a name that is too long for the jobs',
    path: '/apis/batch/v1/namespaces/default/cronjobs',
    key: 'cronjobs/default',
    object: { kind: 'CronJob', apiVersion: 'batch/v1', metadata: { name: 'c' }, spec: { schedule: '1 * * * *', jobTemplate: job } },
    old: { 'metadata.name': 'x'.repeat(60) },
    causes: /^metadata\.name: .*must be no more than 52 characters/,
  },
  {
    what: 'a stateful set name with a dot',
    path: '/apis/apps/v1/namespaces/default/statefulsets',
    key: 'statefulsets/default',
    object: { kind: 'StatefulSet', apiVersion: 'apps/v1', metadata: { name: 's' }, spec: workload },
    old: { 'metadata.name': 'a.b' },
    causes: /^metadata\.name: /,
  },
  {
    what: 'an address with leading zeros',
    path: '/api/v1/namespaces/default/services',
    key: 'services/specs/default',
    object: { kind: 'Service', apiVersion: 'v1', metadata: { name: 's' }, spec: { ports: [{ port: 80 }], clusterIP: 'None' } },
    old: { 'spec.externalIPs': ['010.1.2.3'] },
    causes: /^spec\.externalIPs\[0\]: .*must not have leading 0s/,
  },
  {
    what: 'a pod deletion cost that is no number',
    path: '/api/v1/namespaces/default/pods',
    key: 'pods/default',
    object: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p', annotations: { x: 'y' } }, spec: pod },
    old: { 'metadata.annotations': { 'controller.kubernetes.io/pod-deletion-cost': 'much' } },
    causes: /must be a 32bit integer/,
  },
  {
    what: 'an invalid label value',
    path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    key: 'poddisruptionbudgets/default',
    object: {
      kind: 'PodDisruptionBudget',
      apiVersion: 'policy/v1',
      metadata: { name: 'b' },
      spec: { selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] } },
    },
    old: { 'spec.selector.matchExpressions.0.values': ['-b'] },
    causes: /^spec\.selector\.matchExpressions\[0\]\.values\[0\]: /,
  },
  {
    what: 'duplicate spread labels in a template',
    path: '/apis/apps/v1/namespaces/default/deployments',
    key: 'deployments/default',
    object: {
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'd' },
      spec: withChanges(workload, {
        'template.spec.topologySpreadConstraints': [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { a: 'b' } } },
        ],
      }),
    },
    old: {
      'spec.template.spec.topologySpreadConstraints.0.labelSelector': { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] },
    },
    causes: /topologySpreadConstraints\[0\]\.labelSelector/,
  },
]

const encoder = new TextEncoder()

/** Stores the object as an earlier release would have left it. */
async function plant({ path, key, object, old }: Row): Promise<Manifest & { metadata: Manifest }> {
  const made = await send('POST', path, object)
  assert.equal(made.code, 201, JSON.stringify(made.body))
  const before = withChanges(made.body, { ...old, 'metadata.resourceVersion': undefined })
  const name = String(object.metadata['name'])
  const at = `/registry/${key}/${name}`
  const { kv } = await store.get(at, undefined)
  assert.ok(kv, `${at} is stored`)
  const renamed = `/registry/${key}/${String(before.metadata['name'])}`
  const text = encoder.encode(JSON.stringify(before))
  if (renamed === at) await store.put(at, text, kv.modRevision)
  else {
    await store.delete(at, kv.modRevision)
    await store.put(renamed, text, 0)
  }
  return before
}

for (const row of rows) {
  test(`${row.what}: refused in new objects, accepted where stored`, async () => {
    const refused = await send('POST', `${row.path}?dryRun=All`, withChanges(row.object, row.old))
    assert.equal(refused.code, 422, JSON.stringify(refused.body))
    assert.match(causesOf(refused).join('\n'), row.causes)
    const before = await plant(row)
    const url = `${row.path}/${String(before.metadata['name'])}`
    const stored = await send('GET', url)
    const kept = await send('PUT', url, withChanges(stored.body, { 'metadata.labels': { touched: 'yes' } }))
    assert.equal(kept.code, 200, JSON.stringify(kept.body))
    const { kv } = await store.get(`/registry/${row.key}/${String(before.metadata['name'])}`, undefined)
    assert.ok(kv, 'still stored')
    await store.delete(`/registry/${row.key}/${String(before.metadata['name'])}`, kv.modRevision)
  })
}
