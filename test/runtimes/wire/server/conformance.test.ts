/** Rules of the HTTP/2 RFCs: the cases of a public conformance suite, as a table (conformance.txt). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { nameOf } from '../../../../runtimes/wire/errors.ts'
import { rootUrl } from '../../../support/root.ts'
import { within } from '../../../support/wait.ts'
import { open } from '../../node/support.ts'
import { type Frame, frame, type RawClient, rawClient, types } from './raw-client.ts'

interface Case {
  readonly title: string
  readonly steps: readonly string[]
}

const cases: Case[] = readFileSync(new URL('test/runtimes/wire/server/conformance.txt', rootUrl), 'utf8')
  .split('\n\n')
  .map((block) => block.split('\n').filter((line) => line !== '' && !line.startsWith('#')))
  .flatMap(([title, ...steps]) => (title === undefined ? [] : [{ title, steps }]))

const blocks: Record<string, string> = { get: '828784418b089d5c0b8170dc0bcd34cf', post: '838784418b089d5c0b8170dc0bcd34cf' }
const codes: Record<string, number> = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
}

function bytesOf(text = ''): Buffer {
  const hex = text
    .replace(/get|post/g, (name) => blocks[name] ?? '')
    .replace(/\(([0-9a-f]+)\*(\d+)\)/g, (_, part: string, times) => part.repeat(Number(times)))
  return Buffer.from(hex, 'hex')
}

function sent(step: string): Buffer {
  const [type = '', flags, ids = '', payload] = step.split(' ')
  if (type === 'RAW') return bytesOf(flags)
  const [first = 0, last = first] = ids.split('-').map(Number)
  const streams = Array.from({ length: (last - first) / 2 + 1 }, (_, at) => first + 2 * at)
  return Buffer.concat(streams.map((id) => frame(codes[type] ?? Number(type), Number(flags), id, bytesOf(payload))))
}

const endsStream = ({ type, flags, payload }: Frame) =>
  ([types.data, types.headers].includes(type) && (flags & 1) !== 0) || (type === types.resetStream && payload.readUInt32BE(0) === 0)
const fails = ({ type, payload }: Frame, names: readonly string[], types: readonly number[]) =>
  types.includes(type) && names.includes(nameOf(payload.readUInt32BE(payload.length === 4 ? 0 : 4)))

/** Checks of the expected frames; `undefined` passes where the connection may be closed instead. */
const expectations: Record<string, (parts: readonly string[]) => { accepts: (frame: Frame) => boolean; orClosed?: true }> = {
  CONNECTION: (names) => ({ accepts: (each) => fails(each, names, [types.goAway]), orClosed: true }),
  STREAM: (names) => ({ accepts: (each) => fails(each, names, [types.goAway, types.resetStream]), orClosed: true }),
  END: () => ({ accepts: endsStream }),
  HEADERS: ([id]) => ({ accepts: ({ type, stream }) => type === types.headers && stream === Number(id) }),
  DATA: ([size]) => ({ accepts: ({ type, payload }) => type === types.data && (size === undefined || payload.length === Number(size)) }),
  ACK: () => ({ accepts: ({ type, flags }) => type === types.settings && flags === 1 }),
  PONG: ([orClosed]) => ({ accepts: ({ type, flags }) => type === types.ping && flags === 1, ...(orClosed && { orClosed: true }) }),
  HELLO: () => ({ accepts: ({ type, flags }) => type === types.settings && flags === 0 }),
  CLOSED: () => ({ accepts: () => false, orClosed: true }),
}

async function run(client: RawClient, steps: readonly string[]): Promise<void> {
  for (const step of steps) {
    const rest = step.slice(2)
    if (step.startsWith('>')) await client.send(sent(rest))
    else {
      const [what = '', ...parts] = rest.split(' ')
      const expected = expectations[what]?.(parts)
      assert.ok(expected, `unknown expectation ${what}`)
      // Acknowledgements of the test's own SETTINGS follow that of the preface.
      const from = what === 'ACK' ? client.frames.findIndex(({ type, flags }) => type === types.settings && flags === 1) + 1 : 0
      const found = await within(rest, client.next(expected.accepts, from))
      assert.ok(found !== undefined || expected.orClosed, `${rest}: the connection was closed`)
    }
  }
}

test('every case of the suite is present', () => assert.equal(cases.length, 147))

const hello = () => new Response('hello', { headers: { 'content-length': '5' } })
/** An error of a stream is one whether its request is answered before or after. */
const handlers = {
  'requests are answered when they are complete': async (request: Request) => {
    await request.arrayBuffer()
    return hello()
  },
  'requests are answered at once': hello,
}

for (const [when, handler] of Object.entries(handlers))
  test(`rules of RFC 9113 and RFC 7541; ${when}`, async (t) => {
    await using server = await open(handler)
    for (const { title, steps } of cases)
      await t.test(title, async () => {
        const raw = steps[0]?.startsWith('> RAW') === true
        const client = await rawClient(server.port, raw ? Buffer.alloc(0) : undefined)
        if (!raw) {
          await client.next(({ type, flags }) => type === types.settings && flags === 1)
          await client.send(frame(types.settings, 1, 0))
        }
        await run(client, steps)
        client.socket.destroy()
      })
  })
