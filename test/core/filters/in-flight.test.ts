/** When a request counts as in flight. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Authorizer, Decision } from '../../../core/access/authz/authorizer.ts'
import type { Connection, Logger } from '../../../core/ports.ts'
import type { ApiServer } from '../../../core/server.ts'
import { ManualClock } from '../../support/clock.ts'
import { startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

const configMaps = 'http://in-process/api/v1/namespaces/default/configmaps'
const connection: Connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process' }

/** A body whose second part is sent on demand. */
function stalled(text: string) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream<Uint8Array>({
    start(own) {
      controller = own
      own.enqueue(bytes.subarray(0, 10))
    },
  })
  return {
    request: new Request(configMaps, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    } as RequestInit),
    finish() {
      controller?.enqueue(bytes.subarray(10))
      controller?.close()
    },
    fail: () => controller?.error(new Error('the client closed the connection')),
  }
}

const create = (server: ApiServer, name: string) =>
  server.fetch(
    new Request(configMaps, {
      method: 'POST',
      body: JSON.stringify({ metadata: { name } }),
      headers: { 'content-type': 'application/json' },
    }),
  )

async function withServer(run: (server: ApiServer, logged: string[]) => Promise<void>): Promise<void> {
  const logged: string[] = []
  const log = (_fields: object, message: string) => void logged.push(message)
  const logger: Logger = { debug: () => {}, info: () => {}, warn: log, error: log }
  const { close, server } = await startInProcess({
    maxMutatingInFlight: 1,
    maxReadOnlyInFlight: 1,
    controllers: [],
    telemetry: { logger },
  })
  try {
    await run(server, logged)
  } finally {
    await close()
  }
}

describe('requests in flight', () => {
  test('requests with stalled bodies do not count', () =>
    withServer(async (server) => {
      const slow = [0, 1, 2].map((index) => stalled(JSON.stringify({ metadata: { name: `slow${index}` } })))
      const answers = slow.map(({ request }) => server.fetch(request))
      assert.equal((await create(server, 'quick')).status, 201)
      slow[0]?.finish()
      assert.equal((await answers[0])?.status, 201)
      slow[1]?.fail()
      assert.equal((await answers[1])?.status, 400)
      slow[2]?.finish()
      assert.equal((await answers[2])?.status, 201)
    }))

  test('a client that disconnects in the middle of a body is no server error', () =>
    withServer(async (server, logged) => {
      const { request, fail } = stalled('{"metadata":{"name":"left"}}')
      const answer = server.fetch(request)
      fail()
      assert.equal((await answer).status, 400)
      assert.deepEqual(logged, [])
    }))

  test('a request counts until its response is sent', () =>
    withServer(async (server) => {
      const sent: (() => void)[] = []
      const slow: Connection = { ...connection, whenSent: (_response, callback) => void sent.push(callback) }
      const list = (over: Connection) => server.fetch(new Request(configMaps), over)
      assert.equal((await list(slow)).status, 200)
      assert.equal((await list(connection)).status, 429)
      for (const callback of sent) {
        callback()
        callback()
      }
      assert.equal((await list(connection)).status, 200)
      assert.equal((await list(connection)).status, 200)
    }))

  test('a response after the deadline does not count any more', async (t) => {
    const clock = new ManualClock()
    const allowed: Decision = { verdict: 'allow', reason: '' }
    let allow: (() => void) | undefined
    /** Waits with the first request of a client. */
    const hesitant: Authorizer = {
      name: 'hesitant',
      authorize({ user }) {
        if (user.name !== 'system:anonymous' || allow !== undefined) return allowed
        return new Promise((resolve) => {
          allow = () => resolve(allowed)
        })
      },
    }
    const { server } = await startInProcess({ clock, controllers: [], maxReadOnlyInFlight: 1, authorizers: [hesitant] }, t)
    const neverSent: Connection = { ...connection, whenSent: () => {} }
    const list = (query: string) => server.fetch(new Request(configMaps + query), neverSent)
    const late = list('?timeout=1s')
    const goOn = await eventually('the request waits for its authorization', async () => allow)
    clock.advance(1_000)
    assert.equal((await late).status, 504)
    goOn()
    await eventually('there is room for the next request', async () => (await list('')).status === 200)
  })
})
