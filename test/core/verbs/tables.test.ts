import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import { bind } from '../../../core/resources/bind.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import type { TestObject } from '../../support/api.ts'
import { serverForTests } from '../../support/in-process.ts'
import { collectionPath } from '../../support/minimal-objects.ts'

const platform = createPlatform()
const as = (kind: string) => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` })
const daemonSets = '/apis/apps/v1/namespaces/default/daemonsets'
const templateGeneration = 'deprecated.daemonset.template.generation'

const api = serverForTests()
const send = <T = TestObject>(method: string, path: string, kind: string, body?: object) => api.send<T>(method, path, body, as(kind))

test('subresources that are shown as tables: scale, and status except of some kinds', async () => {
  const shown: string[] = []
  const refused: string[] = []
  for (const row of builtInResources.map((each) => bind(each, platform))) {
    if (!row.servedByDefault || row.action) continue
    const names = [
      ...(row.status ? ['status'] : []),
      ...(row.scale ? ['scale'] : []),
      ...row.subresources.filter(({ verbs, strategy }) => strategy && verbs.includes('get')).map(({ name }) => name),
    ]
    for (const name of names) {
      const { status } = await send('GET', `${collectionPath(row)}/none/${name}`, 'Table')
      assert.ok(status === 404 || status === 406, `${row.names.plural}/${name}: ${status}`)
      ;(status === 404 ? shown : refused).push(`${row.names.plural}/${name}`)
    }
  }
  assert.deepEqual([...new Set(refused)].sort(), [
    'apiservices/status',
    'certificatesigningrequests/approval',
    'customresourcedefinitions/status',
    'pods/ephemeralcontainers',
    'pods/resize',
    'resourceclaims/status',
  ])
  assert.ok(shown.includes('deployments/scale'))
  assert.ok(shown.includes('pods/status'))
})

test('metadata without the object lacks annotations that hold former fields', async () => {
  const labels = { app: 'a' }
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } } }
  const create = async (name: string, annotations: object | undefined) => {
    const made = await send('POST', daemonSets, 'PartialObjectMetadata', { metadata: { name, annotations }, spec })
    assert.equal(made.status, 201)
  }
  await create('plain', undefined)
  await create('noted', { note: 'x', [templateGeneration]: '4' })
  const read = async <T>(path: string, kind: string) => (await send<T>('GET', `${daemonSets}/${path}`, kind)).body
  type Row = { readonly rows: readonly [{ readonly object: { readonly metadata: { readonly annotations?: object } } }] }
  for (const [name, annotations] of [['plain', undefined] as const, ['noted', { note: 'x' }] as const]) {
    const { metadata } = await read<TestObject>(name, 'PartialObjectMetadata')
    assert.deepEqual(metadata.annotations, annotations)
    assert.deepEqual((await read<Row>(name, 'Table')).rows[0].object.metadata.annotations, annotations)
  }
  const whole = await read<Row>('noted?includeObject=Object', 'Table')
  assert.deepEqual(whole.rows[0].object.metadata.annotations, { note: 'x', [templateGeneration]: '4' })
})

test('the table of a dry run has the revision that the client sent', async () => {
  const path = '/api/v1/namespaces/default/configmaps?dryRun=All'
  const made = await send('POST', path, 'Table', { metadata: { name: 'a', resourceVersion: 'x' } })
  assert.equal(made.body.metadata.resourceVersion, 'x')
  const plain = await send('POST', path, 'Table', { metadata: { name: 'a' } })
  assert.deepEqual(plain.body.metadata, {})
})

test('rows of addresses have an age, for which no column is announced', async () => {
  const addresses = '/apis/networking.k8s.io/v1/ipaddresses'
  const body = { metadata: { name: '192.0.2.9' }, spec: { parentRef: { resource: 'services', namespace: 'default', name: 'web' } } }
  type Table = { columnDefinitions: { name: string }[]; rows: { cells: string[] }[] }
  const { body: table } = await send<Table>('POST', `${addresses}?dryRun=All`, 'Table', body)
  assert.deepEqual(
    table.columnDefinitions.map(({ name }) => name),
    ['Name', 'ParentRef'],
  )
  assert.deepEqual(table.rows[0]?.cells.slice(0, 2), ['192.0.2.9', 'services/default/web'])
  assert.equal(table.rows[0]?.cells.length, 3)
})
