/** Requests after the authentication filter, and its metrics. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Authentication, AuthenticationError, type Authenticator } from '../../../core/access/authn/authenticator.ts'
import { ApiError } from '../../../core/answers/status.ts'
import { Pauses } from '../../../core/common/slices.ts'
import { authentication } from '../../../core/filters/authentication.ts'
import { endUnidentified } from '../../../core/filters/goaway.ts'
import { createExchange } from '../../../core/filters/receive.ts'
import type { Connection } from '../../../core/ports.ts'
import { silentLogger } from '../../support/logger.ts'
import { testClock } from '../access/authn/clock.ts'

const inProcess: Connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process' }
const socket: Connection = { remoteAddress: '127.0.0.1', remotePort: 1, protocol: 'http/1.1' }
const jane: Authentication = { user: { name: 'jane', groups: [] } }
const credentials = { authorization: 'Bearer t', 'x-remote-user': 'root', 'x-remote-extra-a': 'b', 'x-proxy-user': 'root' }

/** Sends a request through the filter; returns the request behind it and the reported metrics. */
async function pass(answer: () => ReturnType<Authenticator['authenticate']>, connection = socket, clock = testClock(0)) {
  const client = new AbortController()
  const headers = { ...credentials, accept: '*/*' }
  const request = new Request('http://x/api', { method: 'POST', body: 'content', headers, signal: client.signal })
  const exchange = createExchange(
    request,
    connection,
    { closing: new AbortController().signal, isClosing: false, pauses: new Pauses(clock), onShutdown: () => () => {} },
    () => 'some-id',
    0,
  )
  const reports: unknown[][] = []
  const filter = authentication({
    authenticator: { name: 'test', authenticate: answer },
    attempted: (...report) => reports.push(report),
    passed: () => {},
    clock,
    logger: silentLogger,
    frontProxyHeaders: { username: ['X-Proxy-User'], uid: [], group: [], extraPrefix: [] },
  })
  let failure: unknown
  let seen: Request | undefined
  try {
    await filter(exchange, (behind) => {
      seen = behind.request
      return new Response()
    })
  } catch (error) {
    failure = error
  }
  return { request, seen, failure, reports, exchange, client }
}
const namesOf = (request: Request | undefined) => [...(request?.headers.keys() ?? [])]
const statusOf = (error: unknown) => (error instanceof ApiError ? error.status.code : error)

test('credentials are removed from requests that came over a connection', async () => {
  for (const answer of [() => jane, async () => jane]) {
    const { seen, request } = await pass(answer)
    assert.deepEqual(namesOf(seen), ['accept', 'content-type'])
    assert.equal(seen, request, 'no copy is made')
  }
})

test("an in-process caller's request is not changed and can be sent again", async () => {
  const { seen, request, exchange, client } = await pass(() => jane, inProcess)
  assert.deepEqual(namesOf(seen), ['accept', 'content-type'])
  assert.equal(request.headers.get('authorization'), 'Bearer t')
  assert.deepEqual([seen?.method, seen?.url, await seen?.text()], ['POST', 'http://x/api', 'content'])
  client.abort()
  assert.equal(exchange.signal.aborted, true, 'the signal still aborts when the client disconnects')
})

test('each attempt is reported with result and duration', async () => {
  const clock = testClock(0)
  const late = async <T>(value: T): Promise<T> => {
    await Promise.resolve()
    clock.time += 250
    return value
  }
  assert.deepEqual((await pass(() => jane)).reports, [['success', 0, 'jane']])
  assert.deepEqual((await pass(() => late(jane), socket, clock)).reports, [['success', 250, 'jane']])

  const nobody = await pass(() => late(undefined), socket, clock)
  assert.deepEqual([nobody.reports, statusOf(nobody.failure), nobody.seen], [[['failure', 250]], 401, undefined])

  const bad = new AuthenticationError('bad token')
  const refused = [
    () => {
      throw bad
    },
    () => Promise.reject(bad),
  ]
  for (const answer of refused) {
    const { reports, failure, seen } = await pass(answer)
    assert.deepEqual([reports, statusOf(failure), seen], [[['error', 0]], 401, undefined])
  }

  const broken = new Error('store is gone')
  const failed = await pass(() => Promise.reject(broken))
  assert.deepEqual([failed.reports, failed.failure], [[['error', 0]], broken], 'other errors do not become 401')
})

test('over HTTP/2, clients without an identity get one request for each connection', async () => {
  const anonymous: Authentication = { user: { name: 'system:anonymous', groups: ['system:unauthenticated'] } }
  const refused = () => {
    throw new AuthenticationError('no')
  }
  const close = async (answer: () => ReturnType<Authenticator['authenticate']>, protocol: Connection['protocol']) => {
    const { exchange } = await pass(answer, { ...socket, protocol })
    const response = await endUnidentified(exchange, () => new Response())
    return response.headers.get('connection')
  }
  for (const answer of [() => anonymous, async () => anonymous, refused, async () => refused(), () => undefined]) {
    assert.equal(await close(answer, 'h2'), 'close')
    assert.equal(await close(answer, 'http/1.1'), null)
  }
  for (const answer of [() => jane, async () => jane]) assert.equal(await close(answer, 'h2'), null)
})
