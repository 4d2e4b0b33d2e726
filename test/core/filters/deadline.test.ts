/** Request timeouts: nothing is stored after the deadline. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AdmissionPlugin } from '../../../core/admission/attributes.ts'
import type { Status } from '../../../core/answers/status.ts'
import { ManualClock } from '../../support/clock.ts'
import { startInProcess } from '../../support/in-process.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'

/** A server whose admission waits until it is released. */
async function slowServer(t: TestContext, requestTimeout = 60_000) {
  let letGo: () => void = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const done: string[] = []
  const clock = new ManualClock()
  const arrivals: (() => void)[] = []
  let arrived = 0
  /** Resolves when this many requests wait in admission. */
  const waiting = (count: number) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (arrived === count) resolve()
      }
      arrivals.push(check)
      check()
    })
  const slow: AdmissionPlugin = {
    name: 'Slow',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    resources: [{ group: '', resource: 'configmaps' }],
    async validate({ operation, object, signal }) {
      if (object?.metadata.labels?.['slow'] === undefined && operation !== 'DELETE') return
      signal.addEventListener('abort', () => done.push(`${operation} ${(signal.reason as Error).message}`))
      arrived++
      for (const check of arrivals) check()
      await gate
      done.push(`${operation} went on`)
    },
  }
  const { api } = await startInProcess({ clock, controllers: [], extraPlugins: [slow], requestTimeout }, t)
  return { api, letGo, done, clock, waiting }
}

const late = 'Timeout: request did not complete within the allotted timeout'
const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('?timeout= ends a request: 504, its signal aborts, and nothing is stored afterwards', async (t) => {
  const { api, letGo, done, clock, waiting } = await slowServer(t)
  const labels = { slow: 'yes' }
  for (const name of ['kept', 'other']) await api.create(configMaps, { metadata: { name } })
  const writes = [
    api.send<Status>('POST', `${configMaps}?timeout=50ms`, { metadata: { name: 'new', labels } }),
    api.send<Status>(
      'PATCH',
      `${configMaps}/kept?timeout=50ms`,
      { metadata: { labels } },
      { 'content-type': 'application/merge-patch+json' },
    ),
    api.delete<Status>(`${configMaps}/other?timeout=50ms`),
  ]
  await waiting(3)
  clock.advance(49)
  assert.deepEqual(done, [], 'the deadline has not passed')
  clock.advance(1)
  for (const { status, body } of await Promise.all(writes)) {
    assert.equal(status, 504)
    assert.deepEqual([body.reason, body.message], ['Timeout', late])
  }
  assert.deepEqual(
    done.splice(0).sort(),
    ['CREATE', 'DELETE', 'UPDATE'].map((operation) => `${operation} ${late}`),
  )
  const metrics = async () => (await api.get<string>('/metrics')).body
  for (const verb of ['POST', 'PATCH', 'DELETE'])
    assert.match(
      await metrics(),
      new RegExp(`^apiserver_request_terminations_total\\{code="504",.*resource="configmaps",.*verb="${verb}",version="v1"\\} 1$`, 'm'),
    )
  assert.doesNotMatch(await metrics(), /^apiserver_request_post_timeout_total\{/m)
  letGo()
  await turns()
  assert.match(await metrics(), /^apiserver_request_post_timeout_total\{source="timeout-handler",status="ok"\} 3$/m)
  assert.deepEqual(
    done.sort(),
    ['CREATE', 'DELETE', 'UPDATE'].map((operation) => `${operation} went on`),
  )
  const { items } = await api.list(configMaps)
  assert.deepEqual(
    items.map(({ metadata: { name, labels } }) => ({ name, labels })),
    ['kept', 'other'].map((name) => ({ name, labels: undefined })),
  )
})

test('a timeout must be a duration; without a positive one, or beyond it, the limit of the server applies', async (t) => {
  const { api, letGo, clock, waiting } = await slowServer(t, 100)
  for (const text of ['abc', '10', '5x']) {
    const { status, body } = await api.get<Status>(`${configMaps}?timeout=${text}`)
    assert.equal(status, 400)
    assert.match(body.message ?? '', /^invalid timeout specified in the request URL - time: /)
  }
  for (const text of ['0s', '-1s', '', '1h']) assert.equal((await api.get(`${configMaps}?timeout=${text}`)).status, 200, text)
  const late = api.send('POST', `${configMaps}?timeout=1h`, { metadata: { name: 'x', labels: { slow: 'yes' } } })
  await waiting(1)
  clock.advance(100)
  assert.equal((await late).status, 504)
  letGo()
})

test('a watch may last as long as its client requests', async (t) => {
  const { api } = await slowServer(t, 50)
  const abort = new AbortController()
  const path = `${configMaps}?watch=1&timeout=1ms&allowWatchBookmarks=true&timeoutSeconds=1`
  const response = await api.fetch(path, { signal: abort.signal })
  assert.equal(response.status, 200)
  abort.abort()
  await response.body?.cancel()
})
