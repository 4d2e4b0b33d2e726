/** What a request holds and gives while another server answers it. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createForward } from '../../../core/aggregation/forward.ts'
import type { RemoteRegistration } from '../../../core/aggregation/registration.ts'
import { Pauses } from '../../../core/common/slices.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { OutboundOptions } from '../../../core/ports.ts'
import type { Exchange } from '../../../core/request/exchange.ts'
import { requestInfo } from '../../../core/request/info.ts'
import { webClock } from '../../../runtimes/web/ports.ts'

// The clock's timers do not keep the process alive.
const alive = setInterval(() => {}, 60_000)
after(() => clearInterval(alive))

const registration = (status = 'True') =>
  ({
    metadata: { name: 'v1.example.com' },
    spec: { service: { namespace: 'a', name: 'b' }, group: 'example.com', version: 'v1' },
    status: { conditions: [{ type: 'Available', status }] },
  }) as unknown as RemoteRegistration

function forwarding(fetch: (request: Request, options?: OutboundOptions) => Promise<Response>) {
  return createForward({
    outbound: { fetch, call: () => Promise.reject(new Error('no calls')) },
    clock: webClock,
    pauses: new Pauses(webClock),
    platform: createPlatform('kubernetes'),
    sendsUid: () => true,
    connect: async () => ({ origin: new URL('https://10.0.0.9:8443'), options: {} }),
    rejectRedirects: true,
  })
}

function exchangeOf(path: string, more: Partial<Exchange> = {}) {
  const url = new URL(`https://front${path}`)
  let left = 0
  const ends: (() => void)[] = []
  const exchange = {
    request: new Request(url),
    connection: { remoteAddress: '192.0.2.1', remotePort: 1, protocol: 'h2' },
    query: url.searchParams,
    info: requestInfo('GET', url.pathname, url.searchParams),
    user: { name: 'a', groups: [] },
    auditId: 'id',
    signal: new AbortController().signal,
    seat: { leave: () => left++, take() {} },
    onShutdown(end: () => void) {
      ends.push(end)
      return () => void ends.splice(ends.indexOf(end), 1)
    },
    ...more,
  } as unknown as Exchange
  return { exchange, left: () => left, ends }
}

test('no request keeps its seat', async () => {
  const forward = forwarding(async () => new Response('{}'))
  for (const path of ['things?watch=1', 'things', 'things/one']) {
    const { exchange, left } = exchangeOf(`/apis/example.com/v1/${path}`)
    await forward(exchange, registration())
    assert.equal(left(), 1, path)
  }
})

test('a server that is not available gets no request', async () => {
  const forward = forwarding(() => assert.fail('it was asked'))
  for (const status of ['False', 'Unknown']) {
    await assert.rejects(forward(exchangeOf('/apis/example.com/v1/things').exchange, registration(status)), {
      code: 503,
      message: 'service unavailable',
    })
  }
})

test('a request ends at its deadline, and a watch when the server shuts down', async () => {
  const forward = forwarding(
    ({ signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
  )
  const refused = (why: string) => ({ code: 503, message: `error trying to reach service: ${why}` })
  const soon = exchangeOf('/apis/example.com/v1/things', { deadline: webClock.monotonic() + 20 })
  await assert.rejects(forward(soon.exchange, registration()), refused('context deadline exceeded'))
  const watch = exchangeOf('/apis/example.com/v1/things?watch=1')
  const answer = forward(watch.exchange, registration())
  const ended = assert.rejects(answer, refused('the server is shutting down'))
  while (watch.ends.length === 0) await new Promise((resolve) => setImmediate(resolve))
  for (const end of watch.ends) end()
  await ended
  assert.equal(watch.ends.length, 0, 'it is forgotten')
})
