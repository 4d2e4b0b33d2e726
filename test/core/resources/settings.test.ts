import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertHas, causesOf, startServer, withChanges } from './support.ts'

const template = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] },
}
const spec = template.spec
const workload = { selector: { matchLabels: { app: 'x' } }, template }
const batchTemplate = { spec: { ...spec, restartPolicy: 'Never' } }

/** Fields where a privileged container can be declared, with the path in errors. */
const places: readonly (readonly [path: string, kind: string, apiVersion: string, body: object, at: string])[] = [
  ['/api/v1/namespaces/default/pods', 'Pod', 'v1', { spec }, 'spec'],
  ['/api/v1/namespaces/default/podtemplates', 'PodTemplate', 'v1', { template }, 'template.spec'],
  ['/api/v1/namespaces/default/replicationcontrollers', 'ReplicationController', 'v1', { spec: { template } }, 'spec.template.spec'],
  ['/apis/apps/v1/namespaces/default/deployments', 'Deployment', 'apps/v1', { spec: workload }, 'spec.template.spec'],
  ['/apis/apps/v1/namespaces/default/replicasets', 'ReplicaSet', 'apps/v1', { spec: workload }, 'spec.template.spec'],
  ['/apis/apps/v1/namespaces/default/daemonsets', 'DaemonSet', 'apps/v1', { spec: workload }, 'spec.template.spec'],
  ['/apis/apps/v1/namespaces/default/statefulsets', 'StatefulSet', 'apps/v1', { spec: workload }, 'spec.template.spec'],
  ['/apis/batch/v1/namespaces/default/jobs', 'Job', 'batch/v1', { spec: { template: batchTemplate } }, 'spec.template.spec'],
  [
    '/apis/batch/v1/namespaces/default/cronjobs',
    'CronJob',
    'batch/v1',
    { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: batchTemplate } } } },
    'spec.jobTemplate.spec.template.spec',
  ],
]

const strict = startServer({ allowPrivileged: false })
const lax = startServer()

for (const [path, kind, apiVersion, body, at] of places) {
  test(`a privileged container of a ${kind} is refused unless the server allows it`, async () => {
    const object = { kind, apiVersion, metadata: { name: 'x' }, ...body }
    const refused = await (await strict).send('POST', path, object)
    assert.equal(refused.code, 422, JSON.stringify(refused.body))
    assert.deepEqual(causesOf(refused), [`${at}.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy`])
    const taken = await (await lax).send('POST', path, object)
    assert.equal(taken.code, 201, JSON.stringify(taken.body))
  })
}

test('privileged init containers are refused; privileged: false is accepted', async () => {
  const { send } = await strict
  const quiet = { name: 'c', image: 'i', securityContext: { privileged: false } }
  const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'y' }, spec: { containers: [quiet], initContainers: spec.containers } }
  const path = '/api/v1/namespaces/default/pods'
  const answer = await send('POST', path, withChanges(pod, { 'spec.initContainers.0.name': 'init' }))
  assert.deepEqual(causesOf(answer), ['spec.initContainers[0].securityContext.privileged: Forbidden: disallowed by cluster policy'])
  assert.equal((await send('POST', path, withChanges(pod, { 'spec.initContainers': undefined }))).code, 201)
})

const set = {
  kind: 'StatefulSet',
  apiVersion: 'apps/v1',
  metadata: { name: 'gated' },
  spec: {
    ...workload,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
  },
}
const sets = '/apis/apps/v1/namespaces/default/statefulsets'

test('a field of a disabled gate is dropped silently', async () => {
  const off = await (await lax).send('POST', sets, set)
  assert.equal(off.code, 201, JSON.stringify(off.body))
  assertHas(off.body, { spec: { updateStrategy: { rollingUpdate: { partition: 0, maxUnavailable: undefined } } } })
})

test('the field is kept while its gate is enabled, and where the stored object has it', async () => {
  let on = true
  const { send } = await startServer({ gates: { enabled: (gate) => on && gate === 'MaxUnavailableStatefulSet' } })
  const made = await send('POST', sets, set)
  assertHas(made.body, { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } } })
  on = false
  const changed = await send('PUT', `${sets}/gated`, withChanges(made.body, { 'spec.updateStrategy.rollingUpdate.maxUnavailable': 3 }))
  assertHas(changed.body, { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 3 } } } })
  const without = await send(
    'PUT',
    `${sets}/gated`,
    withChanges(changed.body, { 'spec.updateStrategy.rollingUpdate.maxUnavailable': undefined }),
  )
  assertHas(without.body, { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: undefined } } } })
  const again = await send('PUT', `${sets}/gated`, withChanges(without.body, { 'spec.updateStrategy.rollingUpdate.maxUnavailable': 3 }))
  assertHas(again.body, { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: undefined } } } })
})
