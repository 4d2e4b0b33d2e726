import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestList, TestObject } from '../../../support/api.ts'
import { watchAt } from '../../../support/watch-reader.ts'
import { start } from '../../controllers/support.ts'

const pods = '/api/v1/namespaces/default/pods'
const pod = (name: string, nodeName?: string) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...(nodeName && { nodeName }) },
})
const names = ({ items }: TestList) => items.map(({ metadata }) => metadata.name)

test('pods are found by spec.nodeName, also after changes and deletions and together with other terms', async (t) => {
  const server = await start(t, { controllers: ['serviceaccount'] })
  const onNode = async (node: string, rest = '', at = pods) =>
    names(await server.list(`${at}?fieldSelector=spec.nodeName%3D${node}${rest}`))
  await server.create('/api/v1/namespaces', { metadata: { name: 'other' } })
  await server.create('/api/v1/namespaces/other/pods', pod('elsewhere', 'n1'))
  for (const [name, node] of Object.entries({ b: 'n1', a: 'n1', c: 'n2', d: undefined, e: undefined }))
    await server.create(pods, pod(name, node))
  assert.deepEqual(await onNode('n1'), ['a', 'b'])
  assert.deepEqual(await onNode('n1', '', '/api/v1/pods'), ['a', 'b', 'elsewhere'])
  assert.deepEqual(await onNode(''), ['d', 'e'])
  assert.deepEqual(await onNode('n3'), [])
  const bound = await server.send('POST', `${pods}/d/binding`, { metadata: { name: 'd' }, target: { kind: 'Node', name: 'n1' } })
  assert.equal(bound.status, 201)
  assert.deepEqual([await onNode('n1'), await onNode('')], [['a', 'b', 'd'], ['e']])
  assert.equal((await server.patch(`${pods}/a`, { metadata: { labels: { x: 'y' } } })).status, 200)
  assert.equal((await server.send<TestObject>('DELETE', `${pods}/b?gracePeriodSeconds=0`)).status, 200)
  assert.deepEqual(await onNode('n1'), ['a', 'd'])
  assert.deepEqual(await onNode('n1', '&labelSelector=x%3Dy'), ['a'])
  assert.deepEqual(await onNode('n1', '%2Cmetadata.name%3Dd'), ['d'])
  assert.deepEqual(await onNode('n1', '%2Cmetadata.name!%3Dd'), ['a'])
  const first = await server.list(`${pods}?fieldSelector=spec.nodeName%3Dn1&limit=1`)
  assert.deepEqual(names(first), ['a'])
  assert.deepEqual(await onNode('n1', `&limit=1&continue=${first.metadata.continue}`), ['d'])
  const watch = await watchAt(server.fetch, pods, { fieldSelector: 'spec.nodeName=n1', resourceVersion: '0' })
  assert.deepEqual(
    [await watch.object(), await watch.object()].map(({ object }) => object.metadata.name),
    ['a', 'd'],
  )
  await watch.close()
})
