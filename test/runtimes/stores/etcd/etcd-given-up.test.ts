/** Requests that are given up while etcd, behind a proxy, does not answer: what they wait for ends with them, except a write that was sent. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { openEtcdStore } from '../../../../runtimes/stores/etcd.ts'
import { bytes } from '../../../../runtimes/testing/store/recorder.ts'
import { type Etcd, startEtcd } from '../../../support/etcd.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { type TcpProxy, tcpProxy } from '../../../support/tcp-proxy.ts'
import { within } from '../../../support/wait.ts'
import { hostClock, warnings } from '../helpers.ts'

/** Milliseconds, more than `within` waits below. */
const timeouts = { request: 600_000, attempt: 600_000 }
const soon = 5_000
const left = new Error('the client left')
let etcd: Etcd
let proxy: TcpProxy
let store: KeyValueStore

before(async () => {
  etcd = await startEtcd()
  proxy = await tcpProxy(Number(new URL(etcd.members[0]!.url).port))
  store = await openEtcdStore({ servers: [`http://127.0.0.1:${proxy.port}`], clock: hostClock, logger: warnings(), timeouts })
})
after(async () => {
  await store.close()
  await proxy.close()
  await etcd.stop()
})

/** Runs `work` while nothing is answered. */
async function stalled(work: () => Promise<void>): Promise<void> {
  proxy.stall(true)
  try {
    await work()
  } finally {
    proxy.stall(false)
  }
}

const reads: { readonly [call: string]: (store: KeyValueStore, context: AbortController) => unknown } = {
  get: ({ get }, context) => get('a', 0, context),
  list: ({ list }, context) => list({ prefix: 'a' }, context),
  currentRevision: ({ currentRevision }, context) => currentRevision(context),
}

for (const [call, read] of Object.entries(reads))
  test(`${call} ends with its request`, () =>
    stalled(async () => {
      const context = new AbortController()
      const answer = assert.rejects(async () => read(store, context), left)
      setTimeout(() => context.abort(left), 100)
      await within('the end of the call', answer, soon)
    }))

test('a write that was sent is awaited', async () => {
  const context = new AbortController()
  let result: unknown
  const swap = store.put('awaited', bytes('1'), 0, undefined, undefined, context)
  await stalled(async () => {
    const other = store.put('other', bytes('1'), 0, undefined, undefined, context).then((swapped) => {
      result = swapped.ok
    })
    setTimeout(() => context.abort(left), 100)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    assert.equal(result, undefined)
    proxy.stall(false)
    await within('the outcome', other)
  })
  assert.equal(result, true)
  assert.equal((await swap).ok, true)
})

for (const ending of ['client', 'deadline'] as const)
  test(`a GET, a LIST, a PATCH of a server leave their seats: ${ending}`, async () => {
    const { fetch, close } = await startInProcess({ store, clock: hostClock, telemetry: { logger: warnings() } })
    const path = '/api/v1/namespaces/default/configmaps'
    const ask = (method: string, at: string, body?: object, signal?: AbortSignal) => {
      const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }), ...(signal && { signal }) }
      return fetch(at, init)
    }
    const name = `of-${ending}`
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } }
    assert.equal((await ask('POST', path, object)).status, 201)
    await ask('GET', path)
    const seats = async () => /^apiserver_current_inflight_requests\{.*\} [1-9]/m.exec(await (await ask('GET', '/metrics')).text())?.[0]
    const requests = [
      ['GET', `${path}/${name}`],
      ['GET', path],
      ['GET', `${path}?limit=1`],
      ['PATCH', `${path}/absent`, { metadata: { labels: { a: 'b' } } }],
    ] as const
    await stalled(async () => {
      const leaving = new AbortController()
      const query = (at: string) => (ending === 'deadline' ? `${at}${at.includes('?') ? '&' : '?'}timeout=1s` : at)
      const answers = requests.map(([method, at, body]) => ask(method, query(at), body, leaving.signal))
      setTimeout(() => ending === 'client' && leaving.abort(left), 100)
      for (const [index, answer] of answers.entries()) {
        const { status } = await within(`answer to ${requests[index]?.join(' ')}`, answer, soon)
        assert.equal(status, ending === 'client' ? 503 : 504)
      }
      assert.equal(await within('the seats', seats(), soon), 'apiserver_current_inflight_requests{request_kind="readOnly"} 1')
    })
    await close()
  })
