/** What a server shows after its start, and what is counted of stored objects and watches. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiServer } from '../../../../core/server.ts'
import { type Api, configMap } from '../../../support/api.ts'
import { apiOn, startInProcess } from '../../../support/in-process.ts'
import { silentLogger } from '../../../support/logger.ts'
import { watchAt } from '../../../support/watch-reader.ts'
import { metricRows } from './own.ts'
import { referenceMetrics } from './table.ts'

let server: ApiServer
let api: Api
before(async () => {
  server = (
    await startInProcess({ platform: 'kubernetes', controllers: [], priorityAndFairness: 'on', telemetry: { logger: silentLogger } })
  ).server
  api = apiOn(server)
})
after(() => server.close())

const page = async () => (await api.get<string>('/metrics')).body
const sampleOf = (text: string, start: string) => {
  const line = text.split('\n').find((each) => each.startsWith(start))
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1))
}

/** Rows of parts that this server does not have: the runtime's numbers, files and client authorities that are not configured. */
const ofOthers = /^process_|^go_goroutines$|_tls_handshake_errors_total$|_config_controller_|^apiserver_client_certificate_/

test('what the reference shows after a fresh start is registered from the start', async () => {
  const text = await page()
  const own = new Set(metricRows.map(({ name }) => name))
  const shown = referenceMetrics.filter(({ name, shown: when }) => when === 'start' && own.has(name) && !ofOthers.test(name))
  assert.ok(shown.length >= 90)
  assert.deepEqual(
    shown.flatMap(({ name, type }) => (text.includes(`# TYPE ${name} ${type}\n`) ? [] : [name])),
    [],
  )
})

test('calls to the store, lists from the cache, and events of watches are counted by resource', async () => {
  const collection = '/api/v1/namespaces/default/configmaps'
  const watch = await watchAt(api.fetch, `${collection}`)
  await api.create(collection, configMap('one', { a: '1' }))
  assert.equal((await watch.object()).type, 'ADDED')
  await api.patch(`${collection}/one`, { data: { a: '2' } })
  assert.equal((await watch.object()).type, 'MODIFIED')
  await watch.close()
  await api.list(collection)
  await api.get(`${collection}/none`)
  await api.delete(`${collection}/one`)
  const text = await page()
  const [resource, version] = ['group="",resource="configmaps"', 'group="",resource="configmaps",version="v1"']
  for (const operation of ['create', 'update', 'delete']) {
    const labels = `{group="",operation="${operation}",resource="configmaps"}`
    assert.ok((sampleOf(text, `etcd_requests_total${labels}`) ?? 0) >= 1, operation)
    assert.equal(sampleOf(text, `etcd_request_duration_seconds_count${labels}`), sampleOf(text, `etcd_requests_total${labels}`))
  }
  assert.equal(sampleOf(text, `apiserver_watch_events_total{${version}}`), 2)
  assert.equal(sampleOf(text, `apiserver_watch_events_sizes_count{${version}}`), 2)
  assert.ok((sampleOf(text, `apiserver_watch_events_sizes_sum{${version}}`) ?? 0) > 200)
  assert.ok((sampleOf(text, `apiserver_cache_list_total{group="",index="",resource="configmaps"}`) ?? 0) >= 1)
  assert.ok((sampleOf(text, `apiserver_watch_cache_consistent_read_total{fallback="false",${resource},success="true"}`) ?? 0) >= 1)
  assert.equal(sampleOf(text, `apiserver_watch_cache_initializations_total{${resource}}`), 1)
  for (const objects of ['total', 'fetched_objects_total', 'evaluated_objects_total', 'returned_objects_total'])
    assert.ok(sampleOf(text, `apiserver_storage_list_${objects}{${resource}}`) !== undefined, objects)
  assert.ok((sampleOf(text, `apiserver_storage_list_total{${resource}}`) ?? 0) >= 1, 'the cache was loaded by a list')
  assert.ok((sampleOf(text, `apiserver_watch_cache_events_received_total{${resource}}`) ?? 0) >= 3)
  assert.ok((sampleOf(text, `apiserver_watch_cache_resource_version{${resource}}`) ?? 0) > 1)
  assert.ok((sampleOf(text, `apiserver_storage_events_received_total{${resource}}`) ?? 0) >= 3)
})

test('a watch that sends its state first is timed until its bookmark', async () => {
  const query = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' }
  const watch = await watchAt(api.fetch, '/api/v1/namespaces', query)
  await watch.until(({ type }) => type === 'BOOKMARK')
  await watch.close()
  const text = await page()
  assert.equal(
    sampleOf(text, 'apiserver_watch_list_duration_seconds_count{group="",resource="namespaces",scope="cluster",version="v1"}'),
    1,
  )
  assert.ok((sampleOf(text, 'apiserver_init_events_total{group="",resource="namespaces"}') ?? 0) >= 4)
})
