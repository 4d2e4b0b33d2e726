import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap } from '../../support/api.ts'
import { randomNumbers } from '../../support/random.ts'
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
  for (const path of ['/version', '/apis', '/livez', '/openapi/v3']) await server.get(path)
  for (const method of ['FROB', 'NICATE']) await server.send(method, configMaps)
  for (let i = 0; i < 3; i++) await server.get(`/no/such/path/${i}`)
  for (let i = 0; i < 3; i++) await server.get(`/api/v1/namespaces/default/nothing${i}`)
  const { body } = await server.send<string>('GET', '/metrics')
  const counts = new Map<string, number>()
  for (const [, code, dryRun, resource, scope, subresource, verb, count] of body.matchAll(
    /^apiserver_request_total\{code="(\d+)",component="(?:apiserver)?",dry_run="(\w*)",group="",resource="(\w*)",scope="(\w*)",subresource="([^"]*)",verb="(\w*)",version="\w*"\} (\d+)$/gm,
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
    'GET /livez 200': 1,
    'GET openapi/v3 200': 1,
  })
  assert.match(
    body,
    /^apiserver_request_duration_seconds_count\{component="apiserver",dry_run="",group="",resource="configmaps",.*verb="GET",version="v1"\} 4$/m,
  )
  assert.match(body, /^apiserver_current_inflight_requests\{request_kind="readOnly"\} \d+$/m)
})

const sumOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0)

test('sizes of bodies and of responses are counted, in bytes, also of responses that are sent in pieces', async (t) => {
  const server = await start(t, { controllers: [] })
  const object = configMap('a', { text: 'ä'.repeat(100_000) })
  const body = JSON.stringify(object)
  await server.create(configMaps, object)
  await server.create(configMaps, configMap('small', { text: 'ä' }))
  let read = 0
  for (const name of ['a', 'small', 'small']) read += (await (await server.fetch(`${configMaps}/${name}`)).bytes()).length
  for (let i = 0; i < 10; i++) await server.create(configMaps, configMap(`big-${i}`, { text: 'x'.repeat(500_000) }))
  const list = await (await server.fetch(configMaps)).bytes()
  const { body: text } = await server.send<string>('GET', '/metrics')
  assert.equal(sumOf(text, /^apiserver_response_sizes_sum\{.*resource="configmaps",scope="resource".*verb="GET".*\} (\d+)$/gm), read)
  assert.equal(
    sumOf(text, /^apiserver_response_sizes_sum\{.*resource="configmaps",scope="namespace".*verb="LIST".*\} (\d+)$/gm),
    list.length,
  )
  assert.equal(sumOf(text, /^apiserver_response_sizes_count\{.*verb="POST".*\} (\d+)$/gm), 0)
  const bytes = new TextEncoder().encode(body).length
  assert.match(
    text,
    new RegExp(
      `^apiserver_request_body_size_bytes_bucket\\{group="",resource="configmaps",verb="create",le="${bytes > 150_000 ? 250_000 : 0}"\\} 2$`,
      'm',
    ),
  )
})

test('dry runs are not part of the durations of objectives, and values of fieldValidation are listed', async (t) => {
  const server = await start(t, { controllers: [] })
  await server.create(`${configMaps}?dryRun=All&fieldValidation=Strict`, configMap('a'))
  await server.send('POST', `${configMaps}?dryRun=All&fieldValidation=${'x'.repeat(99)}`, configMap('a'))
  const count = /^apiserver_request_sli_duration_seconds_count\{.*resource="configmaps".*verb="POST".*\} (\d+)$/gm
  const before = (await server.send<string>('GET', '/metrics')).body
  assert.equal(sumOf(before, count), 0)
  await server.create(configMaps, configMap('a'))
  const { body } = await server.send<string>('GET', '/metrics')
  assert.equal(sumOf(body, count), 1)
  assert.deepEqual(
    [...body.matchAll(/^field_validation_request_duration_seconds_count\{field_validation="(.*)"\} 0$/gm)].map(([, value]) => value),
    ['Strict', 'invalid', ''],
  )
})

test('a watch is counted when it ends, with its whole duration', async (t) => {
  const server = await start(t, { controllers: [] })
  const count = /^apiserver_request_total\{.*verb="WATCH".*\} (\d+)$/gm
  const running = /^apiserver_longrunning_requests\{.*resource="configmaps".*verb="WATCH".*\} (\d+)$/gm
  const text = async () => (await server.send<string>('GET', '/metrics')).body
  const watch = await server.fetch(`${configMaps}?watch=1`)
  const during = await text()
  assert.deepEqual([sumOf(during, count), sumOf(during, running)], [0, 1])
  await watch.body?.cancel()
  const after = await text()
  assert.deepEqual([sumOf(after, count), sumOf(after, running)], [1, 0])
})

test('no request can make new series without bound', async (t) => {
  const server = await start(t, { controllers: [] })
  await server.create(configMaps, configMap('a'))
  const { integer } = randomNumbers(32)
  const attack = async (index: number) => {
    const word = `x${index}${integer(1e9)}`
    const paths = [
      `/${word}`,
      `/healthz/${word}`,
      `/openapi/v3/${word}`,
      `/api/${word}`,
      `/api/v1/${word}`,
      `/api/v1/namespaces/${word}/${word}/${word}`,
      `/api/v1/namespaces/${word}/configmaps`,
      `/api/v1/namespaces/default/configmaps/${word}`,
      `${configMaps}/a/${word}`,
      `${configMaps}?dryRun=${word}&fieldValidation=${word}&fieldSelector=metadata.name=${word}&labelSelector=${word}`,
      `/api/v1/watch/${word}`,
      `/api/v1/namespaces/${word}/pods/${word}/proxy/${word}`,
      `/apis/${word}/${word}/${word}`,
      `/apis/apps/v1/deployments/${word}/${word}`,
    ]
    for (const path of paths) {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', `M${word}`]) {
        const response = await server.send(method, path, method === 'GET' ? undefined : {}, { 'user-agent': `${word}/1`, 'x-y': word })
        assert.ok(response.status >= 200)
      }
    }
    const headers: readonly HeadersInit[] = [
      { accept: `application/${word}` },
      { 'content-type': `application/${word}` },
      { authorization: `Bearer ${word}` },
      { 'impersonate-user': word, 'impersonate-group': word, [`impersonate-extra-${word}`]: word },
    ]
    for (const each of headers)
      for (const method of ['GET', 'POST']) await server.send(method, configMaps, method === 'GET' ? undefined : {}, each)
  }
  const series = async () => {
    const { body } = await server.send<string>('GET', '/metrics')
    return new Set(body.split('\n').map((line) => line.slice(0, line.lastIndexOf(' '))))
  }
  // What is read often gets a watch cache, which is counted too.
  for (const path of ['/api/v1/pods', '/api/v1/configmaps', '/apis/apps/v1/deployments']) await server.list(path)
  await attack(0)
  const before = await series()
  for (let i = 1; i < 20; i++) await attack(i)
  assert.deepEqual(
    [...(await series())].filter((line) => !before.has(line)),
    [],
  )
})
