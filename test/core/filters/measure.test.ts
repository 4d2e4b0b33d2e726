import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap } from '../../support/api.ts'
import { configMaps, start } from '../controllers/support.ts'

test('requests are counted by verb, resource and scope', async (t) => {
  const server = await start(t, { controllers: [] })
  await server.create(configMaps, configMap('a'))
  await server.create(`${configMaps}?dryRun=All`, configMap('b'))
  for (let i = 0; i < 3; i++) await server.get(`${configMaps}/a`)
  await server.get(`${configMaps}/none`)
  await server.list(configMaps)
  await server.list('/api/v1/configmaps')
  await server.patch(`${configMaps}/a`, { data: { x: 'y' } })
  await server.send('PATCH', `${configMaps}/a?fieldManager=me&force=true`, configMap('a'), {
    'content-type': 'application/apply-patch+yaml',
  })
  await server.send('PUT', `${configMaps}/a`, configMap('other'))
  await server.delete(configMaps)
  await server.get('/version')
  for (const method of ['FROB', 'NICATE']) await server.send(method, configMaps)
  for (let i = 0; i < 3; i++) await server.get(`/no/such/path/${i}`)
  for (let i = 0; i < 3; i++) await server.get(`/api/v1/namespaces/default/nothing${i}`)
  const { body } = await server.send<string>('GET', '/metrics')
  const counts = new Map<string, number>()
  for (const [, code, dryRun, resource, scope, subresource, verb, count] of body.matchAll(
    /^apiserver_request_total\{code="(\d+)",component="apiserver",dry_run="(\w*)",group="",resource="(\w*)",scope="(\w*)",subresource="([^"]*)",verb="(\w*)",version="\w*"\} (\d+)$/gm,
  ))
    counts.set([verb, dryRun, resource, subresource, scope, code].filter((part) => part !== '').join(' '), Number(count))
  assert.deepEqual(Object.fromEntries(counts), {
    'POST configmaps resource 201': 1,
    'POST All configmaps resource 201': 1,
    'GET configmaps resource 200': 3,
    'GET configmaps resource 404': 1,
    'LIST configmaps namespace 200': 1,
    'LIST configmaps cluster 200': 1,
    'PATCH configmaps resource 200': 1,
    'APPLY configmaps resource 200': 1,
    'PUT configmaps resource 400': 1,
    'DELETE configmaps namespace 200': 1,
    'GET /version 200': 1,
    'OTHER configmaps namespace 405': 2,
  })
  assert.match(
    body,
    /^apiserver_request_duration_seconds_count\{component="apiserver",dry_run="",group="",resource="configmaps",.*verb="GET",version="v1"\} 4$/m,
  )
  assert.match(body, /^apiserver_current_inflight_requests\{request_kind="readOnly"\} \d+$/m)
})
