/** How the admission chain calls its plugins: rounds, order, attributes. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AdmissionAttributes, AdmissionPlugin } from '../../../core/admission/attributes.ts'
import { createAdmission } from '../../../core/admission/chain.ts'
import type { PluginConfigurations } from '../../../core/admission/configuration.ts'
import { chainRows } from '../../../core/admission/metrics.ts'
import { admissionPlugins, makePlugins } from '../../../core/admission/plugins/index.ts'
import { createMetrics } from '../../../core/meta/metrics/registry.ts'
import { startInProcess } from '../../support/in-process.ts'
import { attributesOf } from './attributes.ts'
import { contextWith } from './context.ts'

const operations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const
const pod = () => attributesOf({ on: 'pods', operation: 'CREATE', object: { kind: 'Pod', metadata: { name: 'p' } }, namespace: 'dev' })

test('a plugin can request one reinvocation of all plugins', async () => {
  const ran: string[] = []
  const plugin = (name: string, asks: boolean): AdmissionPlugin => ({
    name,
    operations,
    mutate(_attributes, rounds) {
      ran.push(`${name} ${rounds.again}`)
      if (asks) rounds.repeat()
    },
  })
  await createAdmission([plugin('a', false), plugin('b', false)]).mutate(pod())
  assert.deepEqual(ran.splice(0), ['a false', 'b false'])
  await createAdmission([plugin('a', true), plugin('b', false)]).mutate(pod())
  assert.deepEqual(ran, ['a false', 'b false', 'a true', 'b true'], 'a request for another round in the second round is ignored')
})

test('metrics count plugin calls by phase, operation and outcome', async () => {
  const metrics = createMetrics()
  const plugin: AdmissionPlugin = {
    name: 'Picky',
    operations,
    mutate() {},
    validate() {
      throw new Error('no')
    },
  }
  const admission = createAdmission([plugin], { clock: { monotonic: () => 0 }, metrics: metrics.record(chainRows) })
  const counts = () => metrics.text().match(/^apiserver_admission_controller_admission_duration_seconds_count.*$/gm) ?? []
  assert.deepEqual(counts(), [])
  await admission.mutate(pod())
  await admission.mutate(pod())
  await assert.rejects(async () => admission.validate(pod()))
  const labels = (type: string, rejected: boolean) => `{name="Picky",operation="CREATE",rejected="${rejected}",type="${type}"}`
  const name = 'apiserver_admission_controller_admission_duration_seconds_count'
  assert.deepEqual(counts(), [`${name}${labels('admit', false)} 2`, `${name}${labels('validate', true)} 1`])
})

test('the table of plugins names the phases of each plugin', async () => {
  const connection = { url: 'https://images', options: {} }
  const configuration: PluginConfigurations = {
    EventRateLimit: { limits: [] },
    ImagePolicyWebhook: { connection, allowTtl: 0, denyTtl: 0, retryBackoff: 1, defaultAllow: false },
  }
  for (const row of admissionPlugins) {
    const [plugin] = await makePlugins([row], contextWith({}, { configuration }))
    if (plugin === undefined) continue
    assert.equal(plugin.name, row.name)
    const phases = plugin.mutate ? (plugin.validate ? 'both' : 'mutate') : 'validate'
    assert.equal(phases, row.phases, row.name)
  }
})

interface Asked extends Pick<AdmissionAttributes, 'operation' | 'resource' | 'subresource' | 'namespace' | 'name' | 'options' | 'dryRun'> {
  readonly phase: string
  readonly kind: string
  readonly object: string
  readonly old: string
}

/** A server with a plugin that records its calls. */
async function listening(t: TestContext, more: Partial<AdmissionPlugin> = {}) {
  const asked: Asked[] = []
  const note = (
    phase: string,
    { operation, resource, kind, subresource, namespace, name, options, dryRun, ...rest }: AdmissionAttributes,
  ) => {
    const of = (each: AdmissionAttributes['object']) => (each ? `${each.apiVersion} ${each.kind}` : '')
    const objects = { object: of(rest.object), old: of(rest.oldObject) }
    asked.push({ phase, operation, resource, kind: kind.kind, subresource, namespace, name, options, dryRun, ...objects })
  }
  const plugin: AdmissionPlugin = {
    name: 'Listening',
    operations,
    mutate: (attributes) => note('mutate', attributes),
    validate: (attributes) => note('validate', attributes),
    ...more,
  }
  const { api } = await startInProcess({ controllers: [], extraPlugins: [plugin] }, t)
  return { api, asked }
}

const collection = '/apis/events.k8s.io/v1/namespaces/default/events'
const event = {
  metadata: { generateName: 'e' },
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingController: 'example.com/c',
  reportingInstance: 'c',
  action: 'a',
  reason: 'r',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
}

test('plugins get the requested version and options, and objects in the stored version', async (t) => {
  const { api, asked } = await listening(t)
  const { metadata } = await api.create(`${collection}?dryRun=All&fieldManager=me&fieldValidation=Strict`, event)
  const common = {
    operation: 'CREATE',
    resource: { group: 'events.k8s.io', version: 'v1', resource: 'events' },
    kind: 'Event',
    subresource: '',
    namespace: 'default',
    dryRun: true,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'], fieldManager: 'me', fieldValidation: 'Strict' },
    object: 'v1 Event',
    old: '',
  }
  assert.deepEqual(asked, [
    { phase: 'mutate', ...common, name: '' },
    { phase: 'validate', ...common, name: metadata.name },
  ])
})

test('objects are converted to other versions of the resource and back', async (t) => {
  const seen: unknown[] = []
  const { api } = await listening(t, {
    async mutate({ object, versions, kind }) {
      if (object === undefined) return
      const asked = await versions.convert(object, kind)
      const back = await versions.convert(asked, { group: '', version: 'v1', kind: 'Event' })
      seen.push(object['involvedObject'], asked['regarding'], back['involvedObject'])
      seen.push(versions.all().map(({ resource }) => `${resource.group}/${resource.version}`))
    },
  })
  await api.create(collection, event)
  const { regarding } = event
  assert.deepEqual(seen, [regarding, regarding, regarding, ['/v1', 'events.k8s.io/v1']])
})

test('a plugin may replace the object', async (t) => {
  const { api } = await listening(t, {
    mutate(attributes) {
      if (attributes.object) attributes.object = { ...attributes.object, data: { from: 'plugin' } }
    },
  })
  const { data } = await api.create('/api/v1/namespaces/default/configmaps', { metadata: { name: 'c' }, data: { from: 'client' } })
  assert.deepEqual(data, { from: 'plugin' })
})

test('a patch is an UPDATE with UpdateOptions; a scale update shows old and new Scale', async (t) => {
  const { api, asked } = await listening(t)
  const labels = { app: 'a' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const deployments = '/apis/apps/v1/namespaces/default/deployments'
  await api.create(deployments, { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } })
  asked.length = 0
  const patch = { spec: { replicas: 3 } }
  const { status, body } = await api.patch(`${deployments}/d/scale?fieldManager=me`, patch)
  assert.equal(status, 200, JSON.stringify(body))
  const options = { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' }
  const brief = asked.map(({ phase, kind, subresource, object, old, options }) => ({ phase, kind, subresource, object, old, options }))
  const scale = { kind: 'Scale', subresource: 'scale', object: 'autoscaling/v1 Scale', old: 'autoscaling/v1 Scale', options }
  assert.deepEqual(brief, [
    { phase: 'mutate', ...scale },
    { phase: 'validate', ...scale },
  ])
})

test('a delete calls both phases with the stored object on every attempt; deletecollection calls them without names', async (t) => {
  const { api, asked } = await listening(t)
  const configMaps = '/api/v1/namespaces/default/configmaps'
  await api.create(configMaps, { metadata: { name: 'c' } })
  asked.length = 0
  assert.equal((await api.delete(`${configMaps}/gone`)).status, 404)
  assert.deepEqual(asked, [], 'no call for an object that does not exist')
  assert.equal((await api.delete(`${configMaps}/c?propagationPolicy=Background`)).status, 200)
  const deletion = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', propagationPolicy: 'Background' }
  assert.deepEqual(
    asked.splice(0).map(({ phase, operation, name, object, old, options }) => ({ phase, operation, name, object, old, options })),
    ['mutate', 'validate'].map((phase) => ({ phase, operation: 'DELETE', name: 'c', object: '', old: 'v1 ConfigMap', options: deletion })),
  )
  await api.create(configMaps, { metadata: { name: 'c' } })
  asked.length = 0
  assert.equal((await api.delete(configMaps)).status, 200)
  assert.deepEqual(
    asked.map(({ phase, name, old }) => ({ phase, name, old })),
    ['mutate', 'validate'].map((phase) => ({ phase, name: '', old: 'v1 ConfigMap' })),
  )
})
