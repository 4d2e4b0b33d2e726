import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, assertFailure } from '../../../support/api.ts'
import { type InProcess, startInProcess } from '../../../support/in-process.ts'

let running: InProcess
let api: Api
before(async () => {
  running = await startInProcess()
  api = running.api
})
after(() => running.close())

const path = '/api/v1/componentstatuses'
const deprecated = '299 - "v1 ComponentStatus is deprecated in v1.19+"'

const names = ['controller-manager', 'scheduler', 'kvstore-0']

test('reports the health of the store, with a deprecation warning', async () => {
  const { body, headers } = await api.get<{ conditions: object[]; metadata: { name: string } }>(`${path}/kvstore-0`)
  assert.deepEqual([body.metadata.name, body.conditions], ['kvstore-0', [{ type: 'Healthy', status: 'True', message: 'ok' }]])
  assert.equal(headers.get('warning'), deprecated)
  assert.deepEqual(assertFailure(await api.get(`${path}/none`), 404, 'NotFound').details, { name: 'none', kind: 'componentstatus' })
})

test('reports components that do not run on this host as unhealthy, with the error of the call', async () => {
  const { body } = await api.get<{ conditions: { status: string; message: string }[] }>(`${path}/scheduler`)
  const [{ status = '', message = '' } = {}] = body.conditions
  assert.equal(status, 'False')
  assert.match(message, /^Get "https:\/\/127\.0\.0\.1:10259\/healthz": /)
})

test('supports lists, tables and selectors', async () => {
  assert.deepEqual(
    (await api.list(path)).items.map(({ metadata }) => metadata.name),
    names,
  )
  assert.deepEqual(
    (await api.list(`${path}?fieldSelector=metadata.name%3Dkvstore-0`)).items.map(({ metadata }) => metadata.name),
    ['kvstore-0'],
  )
  assert.deepEqual((await api.list(`${path}?fieldSelector=metadata.name%3Dother`)).items, [])
  assert.deepEqual((await api.list(`${path}?labelSelector=a%3Db`)).items, [])
  const { body } = await api.get<{ rows: { cells: unknown[] }[] }>(path, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' })
  assert.deepEqual(
    body.rows.map(({ cells }) => cells.slice(0, 2)),
    names.map((name) => [name, name === 'kvstore-0' ? 'Healthy' : 'Unhealthy']),
  )
})

test('is read-only', async () => {
  assertFailure(await api.send('POST', path, {}), 405, 'MethodNotAllowed')
  assertFailure(await api.delete(`${path}/kvstore-0`), 405, 'MethodNotAllowed')
})
