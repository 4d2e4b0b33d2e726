/** How errors and warnings name unknown and duplicate fields: expected texts are those of the reference's libraries for the same inputs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Status } from '../../../../core/answers/status.ts'
import { serverForTests } from '../../../support/in-process.ts'

const api = serverForTests({ controllers: [], admissionPlugins: { disable: ['ServiceAccount'] } })

const deployments = '/apis/apps/v1/namespaces/default/deployments'
const pods = 'spec.template.spec'
const deployment = (name: string) => ({
  metadata: { name, labels: { z: '1', a: '2' } },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'main', image: 'any' }] } },
  },
})
const surge = { zz: 1, rollingUpdate: { zy: 1, ab: 1 }, aa: 1 }

const merge = 'application/merge-patch+json'
const strategic = 'application/strategic-merge-patch+json'
const operations = 'application/json-patch+json'
const rows: readonly (readonly [name: string, type: string, patch: object, unknown: readonly string[]])[] = [
  [
    'a merge patch: by member at each level',
    merge,
    {
      spec: {
        zz: 1,
        b: 2,
        template: { metadata: { yy: 1 }, spec: { xx: 1, containers: [{ zname: 1, name: 'main', image: 'i', aname: {} }] } },
      },
      metadata: { odd: 1 },
      bogus: 1,
    },
    [
      'bogus',
      'metadata.odd',
      'spec.b',
      'spec.template.metadata.yy',
      `${pods}.containers[0].aname`,
      `${pods}.containers[0].zname`,
      `${pods}.xx`,
      'spec.zz',
    ],
  ],
  ['a merge patch with keys like numbers', merge, { 10: 1, 9: 1, Z: 1, a: 1 }, ['10', '9', 'Z', 'a']],
  [
    'a merge patch with new objects',
    merge,
    { status: { zz: 1, aa: 2 }, spec: { strategy: surge } },
    ['spec.strategy.aa', 'spec.strategy.rollingUpdate.ab', 'spec.strategy.rollingUpdate.zy', 'spec.strategy.zz', 'status.aa', 'status.zz'],
  ],
  ['a strategic merge patch: by path', strategic, { spec: { zz: 1, b: 2 }, a: 3 }, ['a', 'spec.b', 'spec.zz']],
  [
    'a JSON patch: by member at each level',
    operations,
    [
      { op: 'add', path: '/zz', value: 1 },
      { op: 'add', path: '/aa', value: 2 },
      { op: 'add', path: '/metadata/odd', value: 1 },
    ],
    ['aa', 'metadata.odd', 'zz'],
  ],
  [
    'a JSON patch that moves',
    operations,
    [
      { op: 'move', from: '/metadata/labels', path: '/metadata/zlabels' },
      { op: 'add', path: '/spec/zz', value: 1 },
      { op: 'copy', from: '/spec/template', path: '/spec/copied' },
    ],
    ['metadata.zlabels', 'spec.copied', 'spec.zz'],
  ],
]
for (const [index, [name, type, patch, unknown]] of rows.entries())
  test(name, async () => {
    const at = `${deployments}/d${index}`
    assert.equal((await api.send('POST', deployments, deployment(`d${index}`))).status, 201)
    const faults = unknown.map((path) => `unknown field ${JSON.stringify(path)}`)
    const strict = await api.send<Status>('PATCH', `${at}?fieldValidation=Strict`, JSON.stringify(patch), { 'content-type': type })
    assert.equal(strict.status, 422)
    const { message = '' } = strict.body
    assert.equal(message.slice(message.indexOf('strict decoding error')), `strict decoding error: ${faults.join(', ')}`)
    const { headers } = await api.patch(`${at}?dryRun=All`, patch, type)
    assert.equal(headers.get('warning'), faults.map((fault) => `299 - ${JSON.stringify(fault)}`).join(', '))
  })

test('bodies: JSON in the given order, YAML by member', async () => {
  const { metadata, spec } = deployment('new')
  const body = {
    zz: 1,
    ...{ kind: 'Deployment', apiVersion: 'apps/v1' },
    spec: { zz: 1, ...spec, aa: 1 },
    metadata: { zz: 1, ...metadata },
    aa: 1,
  }
  const ask = async (type: string) => {
    const { body: status } = await api.send<Status>('POST', `${deployments}?fieldValidation=Strict`, JSON.stringify(body), {
      'content-type': type,
    })
    return [...(status.message ?? '').matchAll(/unknown field "([^"]*)"/g)].map(([, path]) => path)
  }
  assert.deepEqual(await ask('application/json'), ['zz', 'spec.zz', 'spec.aa', 'metadata.zz', 'aa'])
  assert.deepEqual(await ask('application/yaml'), ['aa', 'metadata.zz', 'spec.aa', 'spec.zz', 'zz'])
})

/** The strict decoding errors of a refused request. */
async function faultsOf(method: string, path: string, text: string, type = 'application/json'): Promise<readonly string[]> {
  const { body } = await api.send<Status>(method, `${path}?fieldValidation=Strict`, text, { 'content-type': type })
  const { message = '' } = body
  const start = 'strict decoding error: '
  return message.slice(message.indexOf(start) + start.length).split(', ')
}

const typeMeta = '"apiVersion":"apps/v1","kind":"Deployment"'

test("the text that Kubernetes' conformance tests expect", async () => {
  const body = `{${typeMeta},"metadata":{"name":"a"},"spec":{"unknownField":"foo","replicas":2,"replicas":3}}`
  assert.deepEqual(await faultsOf('POST', deployments, body), ['unknown field "spec.unknownField"', 'duplicate field "spec.replicas"'])
})

test('duplicate fields of built-in kinds are named among the unknown ones, without those inside of unknown fields', async () => {
  const containers = '"template":{"spec":{"containers":[{"name":"a","name":"b","zz":1,"image":"i"}]}}'
  const spec = `"spec":{"replicas":1,"replicas":2,"zz":1,"replicas":3,"selector":{},${containers}}`
  const body = `{"zz":1,${typeMeta},"metadata":{"name":"a","name":"b","zz":1},${spec},"aa":1,"aa":2,"metadata":{"name":"q"}}`
  assert.deepEqual(await faultsOf('POST', deployments, body), [
    'unknown field "zz"',
    'duplicate field "metadata.name"',
    'unknown field "metadata.zz"',
    'duplicate field "spec.replicas"',
    'unknown field "spec.zz"',
    'duplicate field "spec.template.spec.containers[0].name"',
    'unknown field "spec.template.spec.containers[0].zz"',
    'unknown field "aa"',
    'duplicate field "metadata"',
  ])
  const metadata = '"metadata":{"name":"a","Name":"b","labels":{"a":"b","a":"c"}}'
  const other = `{${typeMeta},"kind":"Deployment",${metadata},"spec":{"Replicas":1,"template":{}},"unknown":{"a":1,"a":2},"unknown":1}`
  assert.deepEqual(await faultsOf('POST', deployments, other), [
    'duplicate field "kind"',
    'unknown field "metadata.Name"',
    'duplicate field "metadata.labels.a"',
    'unknown field "spec.Replicas"',
    'unknown field "unknown"',
  ])
})

test('duplicate fields of a merge patch come first, wherever they are', async () => {
  await api.send('POST', deployments, deployment('twice'))
  const patch = '{"zz":{"a":1,"a":2},"spec":{"paused":true,"paused":false},"aa":1}'
  assert.deepEqual(await faultsOf('PATCH', `${deployments}/twice`, patch, merge), [
    'duplicate field "zz.a"',
    'duplicate field "spec.paused"',
    'unknown field "aa"',
    'unknown field "zz"',
  ])
})

test('faults of the operations of a JSON patch come before those of its result', async () => {
  await api.send('POST', deployments, deployment('operated'))
  const first = '{"op":"add","foo":1,"path":"/a","path":"/zz","value":{"a":1,"a":2},"foo":{"b":1,"b":1}}'
  const patch = `[${first},{"yy":1,"op":"add","path":"/aa","value":"1"}]`
  const faults = [
    'json patch unknown field "[0].foo"',
    'json patch duplicate field "[0].path"',
    'json patch duplicate field "[0].value.a"',
    'json patch unknown field "[1].yy"',
    'unknown field "aa"',
    'unknown field "zz"',
  ]
  assert.deepEqual(await faultsOf('PATCH', `${deployments}/operated`, patch, operations), faults)
  const only = '[{"op":"test","path":"/spec/paused","value":null,"comment":"x"}]'
  const warned = await api.send('PATCH', `${deployments}/operated`, only, { 'content-type': operations })
  assert.equal(warned.status, 200)
  assert.equal(warned.headers.get('warning'), String.raw`299 - "json patch unknown field \"[0].comment\""`)
})
