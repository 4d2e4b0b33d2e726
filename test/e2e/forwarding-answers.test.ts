/**
 * What backends can make of the requests that this server passes on: every route × every answer, with bytes on both ends. The client gets one
 * well-formed response or the end of its connection, and nothing of an answer reaches another request.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { plainAnswer } from '../support/forwarding/raw-backend.ts'
import { exchangeRaw, type RawResponse, responsesOf } from '../support/forwarding/raw-client.ts'
import { cannotForward, type Forwarding, type Route, startForwarding } from '../support/forwarding/routes.ts'
import { residentMiB } from '../support/memory.ts'

interface Trick {
  /** Bytes of the answer. */
  readonly answer: string
  /** The backend ends the connection after it; default: it stays open. */
  readonly ends?: boolean
  /** The body that a client gets; undefined: an error of this server or a cut response. */
  readonly body?: string
  readonly sees?: (response: RawResponse) => void
}

const poison = plainAnswer('poison')
const good = (fields: readonly string[], more: Partial<Trick> = {}): Trick => ({
  answer: plainAnswer('good', 'Content-Type: text/plain', ...fields),
  body: 'good',
  ...more,
})
const bad = (head: string, ends = true): Trick => ({ answer: `HTTP/1.1 ${head}\r\n\r\n`, ends })
const valuesOf = ({ fields }: RawResponse, name: string) => fields.filter(([each]) => each === name).map(([, value]) => value)
const without =
  (...names: readonly string[]) =>
  (response: RawResponse) => {
    for (const name of names) assert.deepEqual(valuesOf(response, name), [], name)
  }

const tricks: { readonly [name: string]: Trick } = {
  'a length': good([]),
  chunks: { answer: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\ngood\r\n0\r\n\r\n', body: 'good' },
  'no length': { answer: 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ngood', ends: true, body: 'good' },
  'HTTP/1.0': { answer: 'HTTP/1.0 200 OK\r\n\r\ngood', ends: true, body: 'good' },
  'no reason': { answer: plainAnswer('good').replace(' OK', ''), body: 'good' },
  'an early hint': { answer: `HTTP/1.1 103 Early Hints\r\nLink: </evil>\r\nX-Evil: evil\r\n\r\n${plainAnswer('good')}`, body: 'good' },
  'many interim answers': { answer: 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000) + plainAnswer('good'), body: 'good' },
  'a continuation nobody asked for': { answer: `HTTP/1.1 100 Continue\r\n\r\n${plainAnswer('good')}`, body: 'good' },
  'hop-by-hop fields': good(
    [
      'Connection: x-a, keep-alive',
      'X-A: evil',
      'Keep-Alive: timeout=evil',
      'Proxy-Authenticate: evil',
      'Proxy-Connection: evil',
      'Trailer: evil',
    ],
    { sees: without('x-a', 'keep-alive', 'proxy-authenticate', 'proxy-connection', 'trailer') },
  ),
  'an upgrade nobody asked for': good(['Upgrade: evil', 'Connection: Upgrade'], { sees: without('upgrade') }),
  trailers: {
    answer:
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x-a\r\n\r\n4\r\ngood\r\n0\r\nX-A: evil\r\nContent-Length: 99\r\n\r\n',
  },
  '101 without a request': { answer: 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: evil\r\n\r\n', ends: true },
  'a status above 599': { answer: 'HTTP/1.1 600 Odd\r\nContent-Length: 4\r\n\r\nodd!' },
  '101 without an upgrade': { answer: `HTTP/1.1 101 Switching Protocols\r\n\r\n${poison}` },
  'an answer after the answer': { answer: plainAnswer('good') + poison, body: 'good' },
  'two lengths': {
    ...bad('200 OK\r\nContent-Length: 4\r\nContent-Length: 6'),
    answer: `HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 6\r\n\r\ngood${poison}`,
  },
  'a length and chunks': {
    answer: `HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nevil\r\n0\r\n\r\n${poison}`,
    ends: true,
  },
  'a length that is no number': bad('200 OK\r\nContent-Length: 4x'),
  'a negative length': bad('200 OK\r\nContent-Length: -4'),
  'a longer length': { answer: 'HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\nshort', ends: true },
  'a chunk without size': { answer: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nevil\r\n', ends: true },
  'chunks that end early': { answer: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n', ends: true },
  'a folded field': bad('200 OK\r\nX-A: a\r\n b\r\nContent-Length: 0'),
  'a space before the colon': bad('200 OK\r\nX-A : a\r\nContent-Length: 0'),
  'no name': bad('200 OK\r\n: a\r\nContent-Length: 0'),
  ...Object.fromEntries(
    [...'\0\r\x01\x7f\x0b'].map((each) => [`${JSON.stringify(each)} in a value`, bad(`200 OK\r\nX-A: a${each}b\r\nContent-Length: 0`)]),
  ),
  'a status of two digits': bad('20 OK\r\nContent-Length: 0'),
  'a status of four digits': bad('2000 OK\r\nContent-Length: 0'),
  'a status of letters': bad('abc OK\r\nContent-Length: 0'),
  'an unknown version': { answer: 'HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n', ends: true },
  'no HTTP': { answer: 'SSH-2.0-evil\r\n', ends: true },
  nothing: { answer: '', ends: true },
  'a head without an end': { answer: 'HTTP/1.1 200 OK\r\nX-A: a', ends: true },
  'a field of 64 MiB': { answer: `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(64 * 1024 * 1024)}\r\n\r\n`, ends: true },
  'a million fields': { answer: `HTTP/1.1 200 OK\r\n${'X-A: a\r\n'.repeat(1_000_000)}\r\n`, ends: true },
  'a redirect to another host': {
    answer: 'HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest\r\nContent-Length: 0\r\n\r\n',
  },
}

const high = 'gr\xf6\xdfe \xff \xc3\xa4'

const follower = 'GET /version HTTP/1.1\r\nHost: front\r\nConnection: close\r\n\r\n'

describe('answers that are passed on', {
  skip: cannotForward,
  timeout: 600_000,
}, () => {
  let forwarding: Forwarding
  before(async () => {
    forwarding = await startForwarding()
  })
  after(() => forwarding?.close())

  const ask = async (route: Route) => {
    const upgrade = route.upgrades ? '\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1' : ''
    const received = await exchangeRaw(
      forwarding.daemon,
      `GET ${route.target('x')} HTTP/1.1\r\nHost: front${upgrade}\r\n\r\n${route.upgrades ? '' : follower}`,
      false,
    )
    return { received, ...responsesOf(received) }
  }

  async function attempt(route: Route, trick: Trick): Promise<void> {
    const { backend } = route
    const usual = backend.answer
    backend.answer = (_request, socket) => {
      socket.write(Buffer.from(trick.answer, 'latin1'))
      if (trick.ends) socket.end()
      return undefined
    }
    const { received, responses, faults } = await ask(route).finally(() => {
      backend.answer = usual
    })
    try {
      assert.deepEqual(faults, [], 'well-formed responses')
      assert.ok(!/poison|x-evil/i.test(received), 'one answer')
      const [first, second] = responses
      if (second !== undefined) assert.match(second.body, /gitVersion/)
      assert.ok(first === undefined || first.status >= 200 || (route.upgrades && first.status === 101), `status ${first?.status}`)
      if (!route.upgrades && trick.body !== undefined) {
        assert.deepEqual([first?.status, first?.body], [200, trick.body])
        if (first && route.relays) trick.sees?.(first)
      }
      // The connection to the backend is not used again when something else is on it.
      const next = await ask(route)
      assert.ok(!next.received.includes('poison'))
      assert.equal(next.responses[0]?.status, route.upgrades ? 403 : 200, next.received.slice(0, 400))
      assert.equal(next.responses[0]?.body, 'ok')
    } catch (error) {
      throw new Error(`${(error as Error).message}\nreceived ${JSON.stringify(received.slice(0, 600))}`, { cause: error })
    }
  }

  test('bytes above ASCII in a field reach the client as they are', async () => {
    for (const route of forwarding.routes.filter(({ relays }) => relays))
      for (const status of route.upgrades ? ['403 Forbidden', '101 Switching Protocols'] : ['200 OK']) {
        const { backend } = route
        const usual = backend.answer
        const switches = status.startsWith('101')
        backend.answer = (_request, socket) => {
          const fields = switches ? 'Connection: Upgrade\r\nUpgrade: SPDY/3.1' : 'Content-Length: 2'
          socket.end(Buffer.from(`HTTP/1.1 ${status}\r\nX-High: ${high}\r\n${fields}\r\n\r\n${switches ? '' : 'ok'}`, 'latin1'))
          return switches
        }
        const { received } = await ask(route).finally(() => {
          backend.answer = usual
        })
        assert.ok(received.includes(`x-high: ${high}\r\n`), `${route.name}: ${received.slice(0, 400)}`)
      }
  })

  test('every route, every answer', async () => {
    const before = residentMiB(forwarding.daemon.pid)
    const problems: string[] = []
    const walk = async (route: Route) => {
      for (const [name, trick] of Object.entries(tricks))
        await attempt(route, trick).catch((error: Error) => problems.push(`${route.name}: ${name}: ${error.message}`))
    }
    await Promise.all(forwarding.routes.map(walk))
    assert.equal(problems.length, 0, `${problems.length}:\n${problems.slice(0, 20).join('\n')}`)
    assert.ok(residentMiB(forwarding.daemon.pid) - before < 256, 'long heads are not kept')
  })
})
