/**
 * What clients can make of the requests that this server passes on: every route × every trick, with bytes on both ends. A backend gets one
 * well-formed request or none, without credentials of the client; and the client's connection stays in step.
 */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { RawRequest } from '../support/forwarding/raw-backend.ts'
import { exchangeRaw, openRaw, responsesOf } from '../support/forwarding/raw-client.ts'
import { cannotForward, type Forwarding, type Route, startForwarding } from '../support/forwarding/routes.ts'
import { switched } from '../support/forwarding/states.ts'
import { eventually, within } from '../support/wait.ts'

interface Trick {
  /** Default: POST, or GET where nothing else is served. */
  readonly method?: string
  /** What follows the route's prefix; default `x`. */
  readonly rest?: string
  /** Instead of the route's target. */
  readonly target?: (route: Route) => string
  readonly version?: string
  /** Lines of fields, without a host if one of them is it. */
  readonly fields?: readonly string[]
  /** Bytes after the head. */
  readonly body?: string
  /** The server would wait for more: the client ends its side. */
  readonly ends?: boolean
  /** The body that a backend gets; undefined: the request is refused. */
  readonly passes?: string
  /** What a backend gets otherwise: more assertions. */
  readonly sees?: (request: RawRequest, route: Route) => void
}

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: evil\r\n\r\n'
const chunked = 'Transfer-Encoding: chunked'
const end = '0\r\n\r\n'

const refused = (fields: readonly string[], body = smuggled): Trick => ({ fields, body })
const passed = (fields: readonly string[], body = '', passes = body): Trick => ({ fields, body, passes })
const valuesOf = ({ fields }: RawRequest, name: string) => fields.filter(([each]) => each === name).map(([, value]) => value)
const targetOf = ({ line }: RawRequest) => line.split(' ')[1] ?? ''

/** Framing: a request has one length, by one rule. */
const framing: { readonly [name: string]: Trick } = {
  'content-length': passed(['Content-Length: 3'], 'abc'),
  chunked: passed([chunked], `3\r\nabc\r\n${end}`, 'abc'),
  'content-length before transfer-encoding': refused([`Content-Length: ${smuggled.length + end.length}`, chunked], end + smuggled),
  'transfer-encoding before content-length': refused([chunked, 'Content-Length: 4'], `${end}${smuggled}`),
  'two equal lengths': refused(['Content-Length: 3', 'Content-Length: 3'], `abc${smuggled}`),
  'two lengths': refused(['Content-Length: 0', `Content-Length: ${smuggled.length}`]),
  'a list of equal lengths': refused(['Content-Length: 3, 3'], `abc${smuggled}`),
  'a list of lengths': refused([`Content-Length: 0, ${smuggled.length}`]),
  ...Object.fromEntries(
    ['+3', '-3', '0x3', '3a', '3 3', '1e0', '3.0', '', '"3"', '\xb3', '3\x00', '3\x0b', '99999999999999999999', '9'.repeat(400)].map(
      (length) => [`the length ${JSON.stringify(length.slice(0, 30))}`, refused([`Content-Length: ${length}`], `abc${smuggled}`)],
    ),
  ),
  'a length with a space before': passed(['Content-Length:\t 3'], 'abc'),
  'a space before the colon': refused(['Content-Length : 3'], `abc${smuggled}`),
  'a space before the colon of transfer-encoding': refused(['Transfer-Encoding : chunked'], end + smuggled),
  ...Object.fromEntries(
    [
      ...[
        'identity',
        'chunked, identity',
        'identity, chunked',
        'gzip, chunked',
        'chunked, chunked',
        'xchunked',
        'chunkedx',
        '"chunked"',
        'chunke',
      ],
      ...['chunked\x0b', '\x0bchunked', 'chunked\x00', 'chunked;q=1', ',chunked', 'chunked,', 'cHuNkEd, x', 'deflate', ''],
    ].map((coding) => [`the coding ${JSON.stringify(coding)}`, refused([`Transfer-Encoding: ${coding}`], end + smuggled)]),
  ),
  'the coding in another case': passed(['Transfer-Encoding: CHUNKED'], `3\r\nabc\r\n${end}`, 'abc'),
  'two codings': refused([chunked, 'Transfer-Encoding: identity'], end + smuggled),
  'two equal codings': refused([chunked, chunked], end + smuggled),
  'a folded coding': refused(['Transfer-Encoding:', ' chunked'], end + smuggled),
  'a folded field': refused(['X-A: a', ' Content-Length: 3'], `abc${smuggled}`),
  'a folded field after the request line': refused([' X-A: a'], smuggled),
  'an underscore for the dash': passed(['Content_Length: 44', 'Content-Length: 3'], 'abc'),
  'HTTP/1.0 with chunks': { version: 'HTTP/1.0', fields: [chunked], body: `${end}${smuggled}` },
}

/** Chunks. */
const chunk = (body: string, passes?: string): Trick => ({ fields: [chunked], body, ...(passes !== undefined && { passes }) })
const chunks: { readonly [name: string]: Trick } = {
  'an extension': chunk(`3;a=b\r\nabc\r\n${end}`, 'abc'),
  'a quoted extension': chunk(`3;a="b;c"\r\nabc\r\n${end}`, 'abc'),
  'an extension with a line feed': chunk(`3;a\nabc\r\n${end}${smuggled}`),
  'an extension with a carriage return': chunk(`3;a\rb\r\nabc\r\n${end}${smuggled}`),
  'an endless extension': chunk(`3;${'a'.repeat(100_000)}\r\nabc\r\n${end}${smuggled}`),
  'a size with a space': chunk(`3 \r\nabc\r\n${end}${smuggled}`),
  'a size after a space': chunk(` 3\r\nabc\r\n${end}${smuggled}`),
  'a size with a prefix': chunk(`0x3\r\nabc\r\n${end}${smuggled}`),
  'a size with a sign': chunk(`+3\r\nabc\r\n${end}${smuggled}`),
  'a negative size': chunk(`-3\r\nabc\r\n${end}${smuggled}`),
  'a size of more than 64 bits': chunk(`10000000000000003\r\nabc\r\n${end}${smuggled}`),
  'no size': chunk(`\r\nabc\r\n${end}${smuggled}`),
  'a size that ends with a line feed': chunk(`3\nabc\r\n${end}${smuggled}`),
  'a size that ends with a carriage return': chunk(`3\rabc\r\n${end}${smuggled}`),
  'data that ends with a line feed': chunk(`3\r\nabc\n${end}${smuggled}`),
  'data that is longer': chunk(`3\r\nabcd\r\n${end}${smuggled}`),
  'data that is shorter': chunk(`3\r\nab\r\n${end}${smuggled}`),
  'an end without a line': chunk('3\r\nabc\r\n0\r\n'),
  'an end that is missing': chunk('3\r\nabc\r\n'),
  trailers: chunk('3\r\nabc\r\n0\r\nX-Remote-User: evil\r\nAuthorization: evil\r\nX-A: evil\r\n\r\n', 'abc'),
  'a length as a trailer': chunk(`3\r\nabc\r\n0\r\nContent-Length: 9\r\n\r\n${smuggled}`),
}

/** Fields that other hops read. */
const kept = (...fields: readonly string[]) => passed(fields)
const fields: { readonly [name: string]: Trick } = {
  'fields that connection names': passed(['Connection: x-a, X-B', 'X-A: evil', 'X-B: evil', 'X-C: c']),
  'several connection fields': passed(['Connection: x-a', 'Connection: x-b', 'X-A: evil', 'X-B: evil']),
  ...Object.fromEntries(
    [
      ...[
        'x-remote-user',
        'x-remote-group',
        'x-remote-extra-scopes',
        'x-remote-uid',
        'host',
        'content-length',
        'transfer-encoding',
        'authorization',
      ],
      ...[
        'x-forwarded-for',
        'x-forwarded-uri',
        'x-forwarded-host',
        'audit-id',
        'te',
        'connection',
        'user-agent',
        ' ',
        '"',
        'x-stream-protocol-version',
      ],
    ].map((name) => [`connection names ${name}`, passed([`Connection: ${name}`, 'Content-Length: 3'], 'abc')]),
  ),
  'an identity': kept('X-Remote-User: evil', 'X-Remote-Group: evil', 'X-Remote-Extra-A: evil', 'X-Remote-Uid: evil'),
  'an identity that connection names': kept('Connection: x-remote-user', 'X-Remote-User: evil'),
  'a token among subprotocols': passed(
    ['Sec-WebSocket-Protocol: a, base64url.bearer.authorization.k8s.io.c2VjcmV0, b', 'Cookie: a=b'],
    '',
    '',
  ),
  credentials: kept('Authorization: Bearer evil', 'Proxy-Authorization: Basic evil', 'Impersonate-Anything: evil'),
  'hop-by-hop fields': kept(...['Keep-Alive', 'Proxy-Connection', 'Proxy-Authenticate', 'Trailer'].map((name) => `${name}: evil`)),
  'transfer codings that it takes': kept('TE: gzip, trailers', 'Trailer: evil'),
  'settings of h2c': kept('HTTP2-Settings: evil', 'Connection: HTTP2-Settings'),
  'an expectation': { fields: ['Expect: evil'] },
  'two hosts': { fields: ['Host: front', 'Host: evil'] },
  'a host with a path': { fields: ['Host: evil/path'] },
  'a host with an escape': { fields: ['Host: evil%0d%0aX: y'] },
  'a name with a space': refused(['X A: evil']),
  'no name': refused([': evil']),
  'no colon': refused(['evil']),
  ...Object.fromEntries(
    [...'\0\r\n\x01\x08\x0b\x0c\x0e\x1f\x7f'].flatMap((each) => [
      [`${JSON.stringify(each)} in a value`, refused([`X-A: a${each}Content-Length: 3`])],
      [`${JSON.stringify(each)} in a name`, refused([`X-A${each}B: evil`])],
    ]),
  ),
  'bytes above ASCII': {
    ...kept('X-C: gr\xf6\xdfe \xff'),
    sees: (request) => assert.deepEqual(valuesOf(request, 'x-c'), ['gr\xf6\xdfe \xff']),
  },
  'a field of 64 KiB': kept(`X-C: ${'c'.repeat(65_536)}`),
  'a thousand fields': kept(...Array.from({ length: 1000 }, (_, at) => `X-${at}: c`)),
  'bare line feeds': { fields: ['X-A: a\nX-Remote-User: evil\nX-B: b'], body: smuggled },
}

/** Targets and lines. */
const atHost = (request: RawRequest, route: Route) =>
  assert.deepEqual(valuesOf(request, 'host'), route.aggregated ? [valuesOf(request, 'x-forwarded-host')[0]] : ['other'])
const line = (target: (route: Route) => string, more: Trick = {}): Trick => ({ ...more, target })
const rest = (given: string, more: Trick = {}): Trick => ({ ...more, rest: given })
const lines: { readonly [name: string]: Trick } = {
  'absolute form': line((route) => `http://other${route.target('x')}`, { passes: '', sees: atHost }),
  'absolute form with a user': line((route) => `http://evil@other${route.target('x')}`, { passes: '', sees: atHost }),
  'absolute form without a path': line(() => 'http://evil'),
  'no slash': line(() => 'evil'),
  'an asterisk': line(() => '*'),
  'an authority': line(() => 'evil:443', { method: 'CONNECT' }),
  'CONNECT with a path': line((route) => route.target('x'), { method: 'CONNECT' }),
  'two slashes': line((route) => `/${route.target('x')}`),
  'an unknown version': { version: 'HTTP/1.2', body: smuggled },
  'the version of HTTP/2': { version: 'HTTP/2.0', body: smuggled },
  'no version': { version: '', body: smuggled },
  'a version in another case': { version: 'http/1.1', body: smuggled },
  'two spaces': { version: ' HTTP/1.1', passes: '' },
  'a method in lower case': { method: 'post' },
  'a method of the parser': { method: 'PRI', body: smuggled },
  'a line feed in the target': line((route) => `${route.target('x')}\nX-Remote-User: evil`),
  'a carriage return in the target': line((route) => `${route.target('x')}\rX-Remote-User: evil`),
  'a NUL in the target': line((route) => `${route.target('x')}\0`),
  'a tab in the target': line((route) => `${route.target('x')}\tHTTP/1.1`),
}

/** Paths and queries of routes that have them. The backend's path starts with the prefix. */
const paths: { readonly [name: string]: Trick } = {
  'an encoded request line': rest('x%20HTTP/1.1%0d%0aX-Remote-User:%20bad%0d%0a%0d%0aGET%20/other', {
    passes: '',
    sees: (request) => assert.match(targetOf(request), /x%20HTTP\/1\.1%0D%0AX-Remote-User:%20bad%0D%0A%0D%0AGET%20\/other$/),
  }),
  'an encoded NUL': rest('x%00y', { passes: '', sees: (request) => assert.match(targetOf(request), /x%00y$/) }),
  'encoded marks': rest('x%3fy%23z', { passes: '', sees: (request) => assert.match(targetOf(request), /x%3Fy%23z$/) }),
  'a double escape': rest('x%250d%250a', { passes: '', sees: (request) => assert.match(targetOf(request), /x%250d%250a$/) }),
  'line feeds in the query': rest('x?a=%0d%0aX-Remote-User:%20bad', {
    passes: '',
    sees: (request) => assert.match(targetOf(request), /x\?a=%0[dD]%0[aA]X-Remote-User(:|%3A)(%20|\+)bad$/),
  }),
  'a fragment': rest('x#/y', { passes: '', sees: (request) => assert.match(targetOf(request), /x%23\/y$/) }),
  'an incomplete escape': rest('x%zz'),
  'bytes above ASCII': rest('x\xff'),
}

describe('requests that are passed on', {
  skip: cannotForward,
  timeout: 600_000,
}, () => {
  let forwarding: Forwarding
  let user = ''
  before(async () => {
    forwarding = await startForwarding()
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const { body } = await forwarding.api.send<{ status: { userInfo: { username: string } } }>('POST', path, review)
    user = body.status.userInfo.username
  })
  after(() => forwarding?.close())

  const headOf = (route: Route, trick: Trick): string => {
    const { method = route.relays ? 'POST' : 'GET', version = 'HTTP/1.1', fields: own = [] } = trick
    const target = trick.target?.(route) ?? route.target(trick.rest ?? 'x')
    const has = (name: string) => own.some((each) => each.toLowerCase().startsWith(`${name}:`))
    const all = [
      ...(has('host') ? [] : ['Host: front']),
      ...(route.upgrades ? ['Connection: Upgrade', 'Upgrade: SPDY/3.1', 'X-Stream-Protocol-Version: v4.channel.k8s.io'] : []),
      ...own,
    ]
    return `${method} ${target}${version === '' ? '' : ` ${version}`}\r\n${all.join('\r\n')}\r\n\r\n`
  }
  const follower = 'GET /version HTTP/1.1\r\nHost: front\r\nConnection: close\r\n\r\n'

  /** What no backend gets, whatever the client sends. */
  function check(request: RawRequest, route: Route): void {
    assert.deepEqual(request.faults, [])
    const { line: sent, fields: got } = request
    assert.ok(!/evil|smuggled/.test(got.map((each) => each.join(': ')).join('\n')), JSON.stringify(got))
    assert.ok(!/^\S+ \/smuggled/.test(sent) && sent.split(' ').length === 3, sent)
    for (const name of ['authorization', 'proxy-authorization', 'keep-alive', 'trailer', 'expect', 'http2-settings'])
      assert.deepEqual(valuesOf(request, name), [], name)
    assert.ok(!valuesOf(request, 'sec-websocket-protocol').some((value) => value.includes('bearer')))
    assert.deepEqual(valuesOf(request, 'x-remote-user'), route.aggregated ? [user] : [])
    assert.ok(
      valuesOf(request, 'connection').every((value) => /^(close|keep-alive|upgrade)$/i.test(value)),
      String(valuesOf(request, 'connection')),
    )
    assert.ok(!valuesOf(request, 'te').some((value) => value !== 'trailers'))
  }

  /**
   * A safe request that a backend has not answered before its connection was gone is sent again, once, on another (RFC 9110 9.2.2): without the
   * first of two such.
   */
  function onceEach(got: readonly RawRequest[]): readonly RawRequest[] {
    const [first, second] = got
    const isSafe = first !== undefined && /^(?:GET|HEAD) /.test(first.line)
    const isRepeated = isSafe && got.length === 2 && second?.line === first.line && second.connection > first.connection
    if (isRepeated) repeated++
    return isRepeated ? got.slice(1) : got
  }
  let repeated = 0

  /**
   * A route whose backend tells attempts apart. What is passed on before its body is read may arrive when the client has gone and the next attempt
   * began. The limit on bytes is larger than what the backend answers.
   */
  function marked(route: Route): { readonly route: Route; readonly isOther: (request: RawRequest) => boolean } {
    if (route.relays) return { route, isOther: () => false }
    const mark = /limitBytes=(\d+)/
    const id = `${1_000_000 + attempts++}`
    const target = `${route.target('x')}${route.target('x').includes('?') ? '&' : '?'}limitBytes=${id}`
    return { route: { ...route, target: () => target }, isOther: ({ line }) => (mark.exec(line)?.[1] ?? id) !== id }
  }
  let attempts = 0

  async function attempt(unmarked: Route, trick: Trick): Promise<void> {
    const { route, isOther } = marked(unmarked)
    const { requests } = route.backend
    const before = requests.length
    const received = await exchangeRaw(forwarding.daemon, headOf(route, trick) + (trick.body ?? '') + follower, trick.ends === true)
    const { responses, faults } = responsesOf(received)
    const got = onceEach(requests.slice(before).filter((request) => !isOther(request)))
    try {
      assert.deepEqual(faults, [], 'well-formed responses')
      // A GET is passed on before its body is read, and may arrive after the client has gone.
      if (route.relays) assert.ok(got.length <= 1, `${got.length} requests`)
      for (const request of got) check(request, route)
      const [first, second, ...more] = responses
      assert.equal(more.length, 0, 'at most two responses')
      if (first?.status === 501) assert.equal(second, undefined, 'nothing follows a request without a known end')
      // What follows a refused request may be answered as malformed.
      if (second !== undefined && !(trick.passes === undefined && second.status === 400))
        assert.match(second.body, /gitVersion/, 'the next request is answered by itself')
      // A route that switches protocols has requests without a body; a fixed one ignores the body.
      const isPassed = trick.passes !== undefined && !(route.upgrades && trick.passes !== '')
      if (!isPassed) {
        // A GET does not wait for the body, which ends it.
        if (route.relays) assert.equal(got.length, 0, 'it is refused')
        assert.ok(first === undefined || first.status >= 400, `status ${first?.status}`)
        return
      }
      assert.equal(got.length, 1, received.slice(0, 500))
      assert.equal(first?.status, route.upgrades ? 403 : 200, received.slice(0, 500))
      if (!route.relays) return
      assert.equal(got[0]?.body, trick.passes)
      if (route.prefix !== undefined) trick.sees?.(got[0] as RawRequest, route)
    } catch (error) {
      throw new Error(
        `${(error as Error).message}\nsent ${JSON.stringify(headOf(route, trick).slice(0, 400))}\nreceived ${JSON.stringify(received.slice(0, 600))}\ngot ${JSON.stringify(got).slice(0, 600)}`,
        { cause: error },
      )
    }
  }

  const groups = { framing, chunks, fields, lines, paths }
  for (const [group, tricks] of Object.entries(groups))
    test(`${group}: every route`, async () => {
      const problems: string[] = []
      let count = 0
      // Each route has its own backend.
      const walk = async (route: Route) => {
        for (const [name, trick] of Object.entries(tricks)) {
          if (group === 'paths' && route.prefix === undefined) continue
          count++
          await attempt(route, trick).catch((error: Error) => problems.push(`${route.name}: ${name}: ${error.message}`))
        }
      }
      await Promise.all(forwarding.routes.map(walk))
      assert.ok(count >= Object.keys(tricks).length)
      assert.equal(problems.length, 0, `${problems.length} of ${count}:\n${problems.slice(0, 20).join('\n')}`)
      assert.ok(repeated <= 3, `${repeated} requests were sent twice: only those that meet the end of a connection may be`)
    })

  test('an upgrade behind a request whose response has not ended', async () => {
    const [slow, upgraded] = ['pods/proxy', 'pods/exec'].map((name) => forwarding.routes.find((route) => route.name === name))
    if (slow === undefined || upgraded === undefined) throw new Error('no route')
    const usual = [slow.backend.answer, upgraded.backend.answer] as const
    const request = (route: Route, ...more: readonly string[]) =>
      `${[`GET ${route.target('x')} HTTP/1.1`, 'Host: front', ...more].join('\r\n')}\r\n\r\n`
    let first: Socket | undefined
    let second: Socket | undefined
    let sent = ''
    slow.backend.answer = (_request, socket) => {
      first = socket
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\nfirst')
      return true
    }
    upgraded.backend.answer = (_request, socket) => {
      second = socket.on('data', (bytes: Buffer) => {
        sent += bytes
      })
      socket.write(`${switched}second`)
      return true
    }
    const upgrade = request(upgraded, 'Connection: Upgrade', 'Upgrade: SPDY/3.1')
    const open = async () => {
      first = undefined
      second = undefined
      const client = await openRaw(forwarding.daemon)
      client.socket.write(`${request(slow)}${upgrade}more`)
      await eventually('the first part', async () => client.received().endsWith('first'))
      for (let i = 0; i < 20; i++) assert.equal((await forwarding.daemon.fetch('/version')).status, 200)
      assert.equal(second, undefined, 'it waits for its turn')
      assert.ok(client.received().endsWith('first'))
      return client
    }
    try {
      const ordered = await open()
      first?.write('final')
      await eventually('the second answer', async () => ordered.received().endsWith('second'))
      assert.match(ordered.received(), /firstfinalHTTP\/1\.1 101 /)
      ordered.socket.write(' and more')
      await eventually('what followed the request', async () => sent === 'more and more')
      ordered.socket.destroy()
      // A response that breaks, and a client that leaves, end the connection.
      const broken = await open()
      first?.destroy()
      await within('the end', broken.closed)
      const left = await open()
      left.socket.end()
      await eventually('the end at the backend', async () => first?.resume().readableEnded || first?.destroyed)
      assert.equal(second, undefined)
    } finally {
      ;[slow.backend.answer, upgraded.backend.answer] = usual
    }
  })
})
