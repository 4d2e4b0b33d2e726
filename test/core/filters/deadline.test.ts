/** Request timeouts: nothing is stored after the deadline. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionPlugin } from '../../../core/admission/attributes.ts'
import { createApiServer, memoryStore } from '../../../runtimes/web/index.ts'
import { ManualClock } from '../../support/clock.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'

/** A server whose admission waits until it is released. */
async function slowServer(requestTimeout = 60_000) {
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
  const server = await createApiServer({ store: memoryStore(), clock, controllers: [], extraPlugins: [slow], requestTimeout })
  async function send(method: string, path: string, body?: object) {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const init = { method, headers: { 'content-type': type }, ...(body && { body: JSON.stringify(body) }) }
    const response = await server.fetch(new Request(`http://server${path}`, init))
    return { code: response.status, body: (await response.json()) as { message?: string; reason?: string; items?: { metadata: object }[] } }
  }
  return { server, send, letGo, done, clock, waiting }
}

const late = 'Timeout: request did not complete within the allotted timeout'
const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('?timeout= ends a request: 504, its signal aborts, and nothing is stored afterwards', async () => {
  const { server, send, letGo, done, clock, waiting } = await slowServer()
  const labels = { slow: 'yes' }
  for (const name of ['kept', 'other']) await send('POST', configMaps, { metadata: { name } })
  const writes = [
    send('POST', `${configMaps}?timeout=50ms`, { metadata: { name: 'new', labels } }),
    send('PATCH', `${configMaps}/kept?timeout=50ms`, { metadata: { labels } }),
    send('DELETE', `${configMaps}/other?timeout=50ms`),
  ]
  await waiting(3)
  clock.advance(49)
  assert.deepEqual(done, [], 'the deadline has not passed')
  clock.advance(1)
  for (const { code, body } of await Promise.all(writes)) {
    assert.equal(code, 504)
    assert.deepEqual([body.reason, body.message], ['Timeout', late])
  }
  assert.deepEqual(
    done.splice(0).sort(),
    ['CREATE', 'DELETE', 'UPDATE'].map((operation) => `${operation} ${late}`),
  )
  const metrics = async () => (await server.fetch(new Request('http://server/metrics'))).text()
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
  const { body } = await send('GET', configMaps)
  assert.deepEqual(
    body.items?.map(({ metadata }) => metadata).map(({ name, labels }: { name?: string; labels?: object }) => ({ name, labels })),
    ['kept', 'other'].map((name) => ({ name, labels: undefined })),
  )
  await server.close()
})

test('a timeout must be a duration; without a positive one, or beyond it, the limit of the server applies', async () => {
  const { server, send, letGo, clock, waiting } = await slowServer(100)
  for (const text of ['abc', '10', '5x']) {
    const { code, body } = await send('GET', `${configMaps}?timeout=${text}`)
    assert.equal(code, 400)
    assert.match(body.message ?? '', /^invalid timeout specified in the request URL - time: /)
  }
  for (const text of ['0s', '-1s', '', '1h']) assert.equal((await send('GET', `${configMaps}?timeout=${text}`)).code, 200, text)
  const late = send('POST', `${configMaps}?timeout=1h`, { metadata: { name: 'x', labels: { slow: 'yes' } } })
  await waiting(1)
  clock.advance(100)
  assert.equal((await late).code, 504)
  letGo()
  await server.close()
})

test('a watch may last as long as its client requests', async () => {
  const { server } = await slowServer(50)
  const abort = new AbortController()
  const path = `http://server${configMaps}?watch=1&timeout=1ms&allowWatchBookmarks=true&timeoutSeconds=1`
  const response = await server.fetch(new Request(path, { signal: abort.signal }))
  assert.equal(response.status, 200)
  abort.abort()
  await response.body?.cancel()
  await server.close()
})
