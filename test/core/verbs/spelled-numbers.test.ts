/**
 * `1.0` and `1e3` in integer fields: refused in JSON of built-in kinds, as by Go's decoder, and accepted where
 * kube-apiserver accepts them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Status } from '../../../core/answers/status.ts'
import { definitionsPath, smallDefinition } from '../../conformance/custom-resources.ts'
import { serverForTests } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

const api = serverForTests({ controllers: [], admissionPlugins: { disable: ['ServiceAccount'] } })

const deployments = '/apis/apps/v1/namespaces/default/deployments'
const template = '{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"main","image":"any"}]}}'
const deployment = (name: string, replicas: string, more = '') =>
  `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"${name}"},"spec":{"replicas":${replicas},"selector":{"matchLabels":{"a":"b"}},"template":${template}${more}}}`

const spellings = ['1.0', '1e3', '1E3', '-0.0', '10e-1', '1.50', '1.0e+0']

test('JSON of a built-in kind', async () => {
  for (const text of spellings) {
    const { status, body } = await api.send<Status>('POST', deployments, deployment('refused', text))
    assert.equal(status, 400, text)
    const struct = 'Go struct field DeploymentSpec.spec.replicas of type int32'
    assert.match(body.message ?? '', new RegExp(`json: cannot unmarshal number ${text.replace('+', '\\+')} into ${struct}$`))
  }
  // The same fields accept integers, and fields of other types accept any number.
  const { body } = await api.send('POST', deployments, deployment('plain', '2'))
  assert.equal(body.spec?.['replicas'], 2)
  const strategy = (surge: string) => `,"strategy":{"rollingUpdate":{"maxSurge":${surge}}}`
  const refused = await api.send<Status>('POST', deployments, deployment('refused', '2', strategy('1.0')))
  assert.match(refused.body.message ?? '', /json: cannot unmarshal number 1\.0 into Go struct field [\w.]+ of type int32$/)
  const update = await api.send<Status>('PUT', `${deployments}/plain`, deployment('plain', '3.0'))
  assert.equal(update.status, 400)
  const scale = `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"plain"},"spec":{"replicas":3.0}}`
  assert.equal((await api.send('PUT', `${deployments}/plain/scale`, scale)).status, 400)
})

test('quantities keep their text; unknown fields and strings are unaffected', async () => {
  const limits = `{"cpu":1.50,"memory":1e3,"example.com/a":2.0}`
  const body = `{"metadata":{"name":"amounts","annotations":{"a":"1.0"}},"spec":{"unknown":[1.0,{"a":1e3}],"containers":[{"name":"main","image":"any","resources":{"limits":${limits}}}]}}`
  const { status, body: pod } = await api.send('POST', '/api/v1/namespaces/default/pods', body)
  assert.equal(status, 201, JSON.stringify(pod))
  const [container] = (pod.spec?.['containers'] ?? []) as { resources: { limits: object } }[]
  assert.deepEqual(container?.resources.limits, { cpu: '1500m', memory: '1e3', 'example.com/a': '2' })
})

test('YAML numbers are compared by value', async () => {
  const yaml = { 'content-type': 'application/yaml' }
  const { status, body } = await api.send('POST', deployments, deployment('yaml', '1e1'), yaml)
  assert.deepEqual([status, body.spec?.['replicas']], [201, 10])
  assert.equal((await api.send('POST', deployments, deployment('yaml-2', '1.5'), yaml)).status, 400)
})

test('JSON and merge patches are refused; strategic merge and apply accept whole numbers', async () => {
  await api.send('POST', deployments, deployment('patched', '2'))
  const send = (type: string, body: string, query = '') =>
    api.send<Status>('PATCH', `${deployments}/patched${query}`, body, { 'content-type': `application/${type}` })
  const merge = await send('merge-patch+json', '{"spec":{"replicas":3.0}}')
  assert.deepEqual([merge.status, merge.body.reason], [422, 'Invalid'])
  assert.match(merge.body.message ?? '', /cannot unmarshal number 3\.0 into Go struct field DeploymentSpec\.spec\.replicas of type int32/)
  for (const value of ['{"op":"replace","path":"/spec/replicas","value":3.0}', '{"op":"add","path":"/spec","value":{"replicas":3e0}}']) {
    const { status, body } = await send('json-patch+json', `[${value}]`)
    assert.deepEqual([status, body.reason], [422, 'Invalid'], value)
  }
  const tested = await send('json-patch+json', '[{"op":"test","path":"/spec/replicas","value":2.0}]')
  assert.equal(tested.status, 200)
  const cells: [string, string, number][] = [
    ['strategic-merge-patch+json', '{"spec":{"replicas":4.0}}', 4],
    ['apply-patch+yaml', deployment('patched', '5.0'), 5],
  ]
  for (const [type, body, replicas] of cells) {
    const query = type.startsWith('apply') ? '?fieldManager=a&force=true' : ''
    assert.equal((await send(type, body, query)).status, 200, type)
    const { body: object } = await api.get(`${deployments}/patched`)
    assert.equal(object.spec?.['replicas'], replicas, type)
  }
  const fraction = await send('strategic-merge-patch+json', '{"spec":{"replicas":4.5}}')
  assert.equal(fraction.status, 422)
})

test('custom resources', async () => {
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties: { count: { type: 'integer' } } } } }
  await api.create(definitionsPath, smallDefinition('example.com', 'Gauge', { scope: 'Cluster', openAPIV3Schema }))
  const path = '/apis/example.com/v1/gauges'
  await eventually('gauges are served', async () => (await api.get(path)).status === 200)
  const gauge = (count: string) => `{"apiVersion":"example.com/v1","kind":"Gauge","metadata":{"name":"one"},"spec":{"count":${count}}}`
  const { status, body } = await api.send('POST', path, gauge('1e3'))
  assert.deepEqual([status, body.spec?.['count']], [201, 1000])
  const merged = await api.send('PATCH', `${path}/one`, '{"spec":{"count":2.0}}', { 'content-type': 'application/merge-patch+json' })
  assert.deepEqual([merged.status, merged.body.spec?.['count']], [200, 2])
  assert.equal((await api.send('PUT', `${path}/one`, gauge('1.5'))).status, 422)
  const beyond = await api.send<Status>('POST', path, gauge('1e400'))
  const why = 'json: cannot unmarshal number 1e400 into Go value of type float64'
  assert.deepEqual([beyond.status, beyond.body.message], [400, `Gauge in version "v1" cannot be handled as a Gauge: ${why}`])
})
