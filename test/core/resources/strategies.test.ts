/** What the server decides about objects beyond their defaults: what it keeps, drops and sets when they are written. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, assertHas, type Manifest, startServer, withChanges } from './support.ts'

const client = startServer()
const inNamespace = (group: string, plural: string) => `${group === 'v1' ? '/api' : '/apis'}/${group}/namespaces/default/${plural}`

async function make(path: string, manifest: Manifest): Promise<Answer & { path: string }> {
  const made = await (await client).send('POST', path, manifest)
  assert.equal(made.code, 201, JSON.stringify(made.body))
  return { ...made, path: `${path}/${made.body.metadata['name']}` }
}

async function put(path: string, body: Manifest, changes: { readonly [path: string]: unknown } = {}): Promise<Answer> {
  const answer = await (await client).send('PUT', path, withChanges(body, { 'metadata.resourceVersion': undefined, ...changes }))
  assert.equal(answer.code, 200, JSON.stringify(answer.body))
  return answer
}

const pods = inNamespace('v1', 'pods')
const pod = (name: string, rest: Manifest = {}): Manifest => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }] },
  ...rest,
})

const annotation = 'container.apparmor.security.beta.kubernetes.io/c'
const told = `metadata.annotations[${annotation}]: deprecated since v1.30; use the "appArmorProfile" field instead`
const profiles: readonly (readonly [value: string, profile: unknown, ofPod: unknown, warnings: readonly string[]])[] = [
  ['unconfined', { type: 'Unconfined' }, undefined, [told]],
  ['runtime/default', { type: 'RuntimeDefault' }, { type: 'Unconfined' }, [told]],
  ['localhost/mine', { type: 'Localhost', localhostProfile: 'mine' }, undefined, [told]],
  ['localhost/ mine', undefined, undefined, [told]],
  ['unconfined', undefined, { type: 'Unconfined' }, []],
]
for (const [value, profile, ofPod, warnings] of profiles) {
  test(`an AppArmor annotation becomes a field of its container: ${value} below ${JSON.stringify(ofPod)}`, async () => {
    const { send } = await client
    const manifest = withChanges(pod('confined'), {
      'metadata.annotations': { [annotation]: value },
      'spec.securityContext': ofPod ? { appArmorProfile: ofPod } : undefined,
    })
    const answer = await send('POST', `${pods}?dryRun=All`, manifest)
    assert.equal(answer.code, 201, JSON.stringify(answer.body))
    const { containers } = answer.body['spec'] as { containers: { securityContext?: { appArmorProfile?: unknown } }[] }
    assert.deepEqual(containers[0]?.securityContext?.appArmorProfile, profile)
    assert.deepEqual(answer.warnings, warnings)
  })
}

test('what a pod report leaves out stays: class and observed generations', async () => {
  const { path, body } = await make(pods, pod('reported'))
  const conditions = [
    { type: 'Ready', status: 'False', observedGeneration: 1 },
    { type: 'x.org/a', status: 'True', observedGeneration: 1 },
  ]
  const first = await put(`${path}/status`, body, { 'status.observedGeneration': 1, 'status.conditions': conditions })
  const without = conditions.map(({ observedGeneration: _, ...rest }) => rest)
  const changes = { 'status.observedGeneration': undefined, 'status.conditions': without, 'status.qosClass': undefined }
  const second = await put(`${path}/status`, first.body, changes)
  assertHas(second.body['status'], { observedGeneration: 1, qosClass: 'BestEffort', conditions })
})

test('the phase of a volume has its time', async () => {
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } }
  const path = '/api/v1/persistentvolumes'
  const made = await make(path, {
    kind: 'PersistentVolume',
    apiVersion: 'v1',
    metadata: { name: 'phases' },
    spec,
    status: { phase: 'Bound' },
  })
  const timeOf = ({ body }: Answer) => (body['status'] as { lastPhaseTransitionTime?: string }).lastPhaseTransitionTime
  assertHas(made.body, { status: { phase: 'Pending' } })
  const long = '2001-02-03T04:05:06Z'
  const told = await put(`${made.path}/status`, made.body, { 'status.phase': 'Available', 'status.lastPhaseTransitionTime': long })
  assert.equal(timeOf(told), long)
  const kept = await put(`${made.path}/status`, told.body, { 'status.lastPhaseTransitionTime': undefined, 'status.message': 'm' })
  assert.equal(timeOf(kept), long)
  const bound = await put(`${made.path}/status`, kept.body, { 'status.phase': 'Bound' })
  assert.ok((timeOf(bound) ?? '') > long)
})

test('a node comes with its status, but without configuration that was removed', async () => {
  const configSource = { configMap: { name: 'a', namespace: 'b', kubeletConfigKey: 'c', uid: 'd', resourceVersion: '1' } }
  const status = { capacity: { cpu: '2' }, config: { error: 'e' } }
  const manifest = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'configured' }, spec: { configSource }, status }
  const { body, path } = await make('/api/v1/nodes', manifest)
  assertHas(body, { spec: { configSource: undefined }, status: { capacity: { cpu: '2' }, allocatable: { cpu: '2' }, config: undefined } })
  const reported = await put(`${path}/status`, body, { 'status.config': { error: 'e' } })
  assertHas(reported.body, { status: { config: undefined } })
})
