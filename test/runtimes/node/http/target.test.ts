/**
 * The path and the query that are served are the bytes of the request line, whatever the host: every byte at every position, and random
 * combinations, over HTTP/1.1 and HTTP/2 on the listener, and in-process. The model here is written apart from the code.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Pauses } from '../../../../core/common/slices.ts'
import { createExchange } from '../../../../core/filters/receive.ts'
import type { Connection } from '../../../../core/ports.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'
import { randomNumbers } from '../../../support/random.ts'
import { progress, trials } from '../../../support/soak.ts'
import { within } from '../../../support/wait.ts'
import { frame, rawClient, types } from '../../wire/server/raw-client.ts'
import { type Opened, open, socket } from '../support.ts'

/** What RequestInfo says about a request. */
interface Seen {
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
}

const lifetime = { closing: new AbortController().signal, isClosing: false, pauses: new Pauses(webClock), onShutdown: () => () => {} }
const infoOf = (request: Request, connection: Connection): Seen => {
  const { info, query } = createExchange(request, connection, lifetime, () => 'id', 0)
  return { path: info.path, query: [...query] }
}
const capture = () =>
  open((request, connection) => {
    const text = JSON.stringify(infoOf(request, connection))
    return new Response(text, { headers: { 'content-length': String(Buffer.byteLength(text)) } })
  })

interface Sent {
  readonly target: string
  readonly host: string
}

// ── The model ─────────────────────────────────────────────────────────────────────────────────────

const hexadecimal = '0123456789abcdefABCDEF'
const escapeAt = (text: string, at: number) => text[at] === '%' && [1, 2].every((next) => hexadecimal.includes(text[at + next] ?? ' '))

function decoded(text: string): string {
  const bytes: number[] = []
  for (let at = 0; at < text.length; at++) {
    if (escapeAt(text, at)) {
      bytes.push(Number.parseInt(text.slice(at + 1, at + 3), 16))
      at += 2
    } else bytes.push(text.charCodeAt(at))
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes))
}

const isMalformed = (text: string) => [...text].some((character, at) => character === '%' && !escapeAt(text, at))
const isVisible = (text: string) => [...text].every((character) => character > ' ' && character !== '\x7f')
const hostCharacters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!$%&()*+,-.:;=[]'_~"

/** What a request has to be served as; undefined: it is refused. */
function expected({ target, host }: Sent): Seen | undefined {
  if (!isVisible(target) || [...host].some((character) => !hostCharacters.includes(character))) return undefined
  if (target === '*') return { path: '*', query: [] }
  if (!target.startsWith('/')) return undefined
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  if (isMalformed(path)) return undefined
  const pairs = mark === -1 ? [] : target.slice(mark + 1).split('&')
  const query = pairs
    .filter((pair) => pair !== '' && !pair.includes(';') && !isMalformed(pair))
    .map((pair) => {
      const [name = '', ...value] = pair.replaceAll('+', ' ').split('=')
      return [decoded(name), decoded(value.join('='))] as const
    })
  return { path: decoded(path), query }
}

/** `same` asserts; over HTTP/1.1 the parser also refuses bytes from 0x80 on. */
function judge(protocol: string, sent: Sent, answer: string | undefined): void {
  const wanted = expected(sent)
  const told = `${protocol} ${JSON.stringify(sent)}`
  if (answer === undefined && protocol === 'HTTP/1.1' && /[^\0-\x7f]/.test(sent.target)) return
  if (wanted === undefined) assert.equal(answer, undefined, `${told} has to be refused`)
  else assert.deepEqual(answer === undefined ? undefined : JSON.parse(answer), wanted, told)
}

// ── Clients of bytes ──────────────────────────────────────────────────────────────────────────────

interface Http1Connection {
  readonly socket: Awaited<ReturnType<typeof socket>>
  /** Received and not yet read. */
  text: string
  ended: boolean
  wake: () => void
}

async function http1Connection(port: number): Promise<Http1Connection> {
  const connection: Http1Connection = { socket: await socket(port), text: '', ended: false, wake: () => {} }
  connection.socket.setEncoding('latin1').on('data', (chunk: string) => {
    connection.text += chunk
    connection.wake()
  })
  for (const event of ['end', 'close', 'error'])
    connection.socket.on(event, () => {
      connection.ended = true
      connection.wake()
    })
  return connection
}

/** The response at the start of the text, once it is complete. */
function response(text: string): { readonly status: string; readonly body: string; readonly length: number } | undefined {
  const end = text.indexOf('\r\n\r\n') + 4
  const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(0, end)) ?? []
  if (end < 4 || length === undefined || text.length < end + Number(length)) return undefined
  return { status: text.slice(9, 12), body: text.slice(end, end + Number(length)), length: end + Number(length) }
}

/** Sends request after request on a connection, and opens another one when the server closes it. Resolves to the body of a 200. */
function http1Client({ port }: Opened) {
  let connection: Http1Connection | undefined
  return {
    async ask({ target, host }: Sent): Promise<string | undefined> {
      const current = connection ?? (await http1Connection(port))
      connection = current
      current.socket.write(Buffer.from(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 'latin1'))
      while (response(current.text) === undefined && !current.ended)
        await within(`the answer to ${JSON.stringify({ target, host })}`, new Promise<void>((resolve) => (current.wake = resolve)))
      const answer = response(current.text)
      if (answer?.status === '200') {
        current.text = current.text.slice(answer.length)
        return Buffer.from(answer.body, 'latin1').toString()
      }
      assert.match(current.text, /^HTTP\/1\.1 400 /, JSON.stringify({ target, host }))
      current.socket.destroy()
      connection = undefined
      return undefined
    },
    close: () => connection?.socket.destroy(),
  }
}

/** A literal field with an indexed name (RFC 7541 6.2.2), of any bytes. */
function literal(index: number, text: string): Buffer {
  const value = Buffer.from(text, 'latin1')
  assert.ok(value.length < 127)
  return Buffer.concat([Buffer.of(index, value.length), value])
}

function http2Client({ port }: Opened) {
  let client: Awaited<ReturnType<typeof rawClient>> | undefined
  let id = -1
  return {
    async ask({ target, host }: Sent): Promise<string | undefined> {
      if (id > 300) client?.socket.destroy()
      if (client === undefined || id > 300) {
        client = await rawClient(port)
        id = -1
      }
      id += 2
      // :method GET, :scheme https, :path, :authority
      const block = Buffer.concat([Buffer.of(0x82, 0x87), literal(4, target), literal(1, host)])
      const from = client.frames.length
      await client.send(frame(types.headers, 5, id, block))
      const stream = id
      const next = (type: number) => client?.next((each) => each.stream === stream && [type, types.resetStream].includes(each.type), from)
      const head = await within(`the answer to ${JSON.stringify({ target, host })}`, next(types.headers) as Promise<unknown>)
      const { type, payload } = head as { type: number; payload: Buffer }
      if (type === types.resetStream) return undefined
      if (payload[0] !== 0x88) return undefined
      return String(((await next(types.data)) as { payload: Buffer }).payload)
    },
    close: () => client?.socket.destroy(),
  }
}

// ── Inputs ────────────────────────────────────────────────────────────────────────────────────────

const everyByte = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte))
const plain: Sent = { target: '/api/v1/namespaces', host: 'localhost:6443' }
/** Each byte in each part of the request line and of the host. */
const positions: readonly ((byte: string) => Sent)[] = [
  (byte) => ({ ...plain, target: byte }),
  (byte) => ({ ...plain, target: `${byte}/readyz` }),
  (byte) => ({ ...plain, target: `/${byte}` }),
  (byte) => ({ ...plain, target: `/a${byte}b` }),
  (byte) => ({ ...plain, target: `/a/${byte}/b` }),
  (byte) => ({ ...plain, target: `/a/..${byte}..b` }),
  (byte) => ({ ...plain, target: `/healthz${byte}..${byte}version` }),
  (byte) => ({ ...plain, target: `/a%${byte}0` }),
  (byte) => ({ ...plain, target: `/a%2${byte}` }),
  (byte) => ({ ...plain, target: `/a%${byte.charCodeAt(0).toString(16).padStart(2, '0')}b` }),
  (byte) => ({ ...plain, target: `/a?${byte}` }),
  (byte) => ({ ...plain, target: `/a?b${byte}c=d` }),
  (byte) => ({ ...plain, target: `/a?b=c${byte}d&e=f` }),
  (byte) => ({ ...plain, target: `/a?b=%${byte}0&e=f` }),
  (byte) => ({ ...plain, target: `/a?b=%${byte.charCodeAt(0).toString(16).padStart(2, '0')}` }),
  (byte) => ({ target: '/readyz', host: `${byte}x` }),
  (byte) => ({ target: '/readyz', host: `x${byte}api/v1/namespaces`.replace('/', byte) }),
  (byte) => ({ target: '/readyz', host: `x${byte}y` }),
  (byte) => ({ target: '/readyz', host: `x:${byte}1` }),
  (byte) => ({ target: '/readyz', host: `[::1${byte}` }),
  (byte) => ({ target: '/readyz', host: `x${byte}..${byte}y` }),
]

const pieces =
  '/ // . .. a A %2e %2E %2f %5c %00 %0a %ff %c3%a9 % %zz %4 \\ ; ? # & = + @ : * [ ] { } | ^ ` " < > \' ~ ! $ ( ) , \x80 \xff \xc3\xa9 é \t'
    .split(' ')
    .flatMap((piece) => [piece, '/'])
const randomSent = (random: ReturnType<typeof randomNumbers>): Sent => ({
  target: `/${Array.from({ length: random.integer(12) }, () => random.pick(pieces)).join('')}`,
  host: random.chance(0.8)
    ? random.pick(['x', 'x:1', '127.0.0.1:6443', '[::1]:6443', '', 'x:99999', 'xn--', '%'])
    : `x${random.pick(pieces)}`,
})

const clients = { 'HTTP/1.1': http1Client, 'HTTP/2': http2Client } as const
/** In HTTP/1.1 surrounding whitespace is part of neither target nor host, and line breaks end them. */
const isSendable = (protocol: string, { target, host }: Sent) =>
  protocol === 'HTTP/2' ? target !== '' : host.trim() === host && !/[\r\n]/.test(host + target) && target.trim() === target

for (const [protocol, connect] of Object.entries(clients)) {
  test(`${protocol}: every byte in every part of target and host`, async (t) => {
    await using server = await capture()
    const client = connect(server)
    let done = 0
    for (const position of positions)
      for (const byte of everyByte) {
        const sent = position(byte)
        if (!isSendable(protocol, sent)) continue
        judge(protocol, sent, await client.ask(sent))
        done++
      }
    client.close()
    t.diagnostic(`${done} requests`)
  })

  test(`${protocol}: random targets and hosts`, async () => {
    await using server = await capture()
    const client = connect(server)
    const random = randomNumbers(protocol.length)
    const count = trials(1_000, 300_000)
    const say = progress(`${protocol} targets`, count)
    for (let done = 0; done < count; done++) {
      const sent = randomSent(random)
      if (isSendable(protocol, sent)) judge(protocol, sent, await client.ask(sent))
      say(done + 1)
    }
    client.close()
  })
}

test('in-process: the path is that of the URL', () => {
  const connection: Connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process' }
  const random = randomNumbers(3)
  const count = trials(5_000, 1_000_000)
  for (let done = 0; done < count; done++) {
    const { target } = randomSent(random)
    const url = new URL(`https://x${target.startsWith('//') ? '' : ''}${target}`)
    const sent = { target: `${url.pathname}${url.search}`, host: 'x' }
    // A '%' without digits stays in a URL's path, and has no meaning there.
    const path = decoded(url.pathname)
    assert.deepEqual(infoOf(new Request(url), connection).path, path, url.href)
    if (!isMalformed(url.pathname)) assert.deepEqual(infoOf(new Request(url), connection), expected(sent), url.href)
  }
  for (const [url, path] of [
    ['https://x', '/'],
    ['https://x?limit=1', '/'],
    ['https://x/readyz#/version', '/readyz'],
    ['https://x/readyz?a#?b', '/readyz'],
  ] as const)
    assert.equal(infoOf(new Request(url), connection).path, path, url)
})

/** Answers of kube-apiserver 1.36 to the same bytes. */
const answers: readonly (readonly [lines: string, status: number, path?: string])[] = [
  ['GET /readyz HTTP/1.1\r\nHost: x/api/v1/namespaces?', 400],
  ['GET /version HTTP/1.1\r\nHost:', 200, '/version'],
  ['GET /version HTTP/1.1\r\nX-None: 1', 400],
  ['GET /version HTTP/1.0\r\nX-None: 1', 200, '/version'],
  ['GET /version HTTP/2.0\r\nHost: x', 505],
  ['GET /version HTTP/1.1\r\nHost: a\r\nHost: a', 400],
  ['GET /version HTTP/1.1\r\nHost: [::1', 200, '/version'],
  ['GET https://y/version HTTP/1.1\r\nHost: x', 200, '/version'],
  ['GET https://y HTTP/1.1\r\nHost: x', 200, ''],
  ['GET https://a@b/version HTTP/1.1\r\nHost: x', 200, '/version'],
  ['GET https://y/a/../b?c HTTP/1.1\r\nHost: x', 200, '/a/../b'],
  ['GET https://y/version HTTP/1.1\r\nHost: x?', 400],
  ['GET * HTTP/1.1\r\nHost: x', 200, '*'],
  ['OPTIONS * HTTP/1.1\r\nHost: x', 200],
  ['GET version HTTP/1.1\r\nHost: x', 400],
  ['GET /version#x HTTP/1.1\r\nHost: x', 200, '/version#x'],
]

test('HTTP/1.1: forms of the target', async () => {
  await using server = await capture()
  for (const [lines, status, path] of answers) {
    const opened = await socket(server.port)
    opened.write(`${lines}\r\nConnection: close\r\n\r\n`)
    let text = ''
    opened.on('data', (bytes) => (text += bytes))
    await within(lines, once(opened, 'close'))
    assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), lines)
    if (path !== undefined) assert.equal(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)).path, path, lines)
  }
})
