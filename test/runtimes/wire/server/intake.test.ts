/** Memory of received requests: what counts, when, and who is closed when it is too much. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Reply } from '../../../../core/answers/reply.ts'
import { LightRequest } from '../../../../core/request/light-request.ts'
import { preface } from '../../../../runtimes/wire/frames.ts'
import { Intake, RequestIntake } from '../../../../runtimes/wire/server/intake.ts'
import { limits } from '../../../../runtimes/wire/server/limits.ts'
import { eventually, within } from '../../../support/wait.ts'
import { deferred, open, socket } from '../../node/support.ts'
import { frame, headerBlock, number, rawClient, setting, types } from './raw-client.ts'

const MiB = 1024 * 1024

test('over the bound, connections that hold the most are closed', () => {
  const intake = new Intake()
  const closed: string[] = []
  const connection = (name: string) => intake.open(() => closed.push(name))
  const [little, much, most] = [connection('little'), connection('much'), connection('most')]
  little.hold(MiB)
  much.hold(20 * MiB)
  most.hold(limits.unknownInAll - 21 * MiB)
  assert.deepEqual(closed, [])
  little.hold(1)
  assert.deepEqual(closed, ['most'])
  assert.equal(intake.total, 21 * MiB + 1)
  most.hold(MiB)
  assert.equal(intake.total, 21 * MiB + 1, 'a closed connection holds nothing')
})

test('requests of known users have a bound of their own', () => {
  const intake = new Intake()
  let closed = 0
  const request = () =>
    new RequestIntake(
      intake.open(() => closed++),
      0,
    )
  const [known, asked] = [request(), request()]
  known.identified()
  known.changed(limits.unknownInAll)
  asked.changed(limits.awaitedInAll + 1)
  assert.equal(intake.isCrowded, true)
  asked.asked()
  assert.equal(intake.isCrowded, false)
  assert.equal(closed, 0)
  known.end()
  asked.changed(-limits.awaitedInAll - 1)
  asked.end()
  asked.end()
  asked.changed(MiB)
  assert.equal(intake.total, 0)
})

test('output that clients do not read counts, with that of known users when the connection has one', () => {
  const intake = new Intake()
  const closed: string[] = []
  const connection = (name: string) => intake.open(() => closed.push(name))
  const [known, unknown] = [connection('known'), connection('unknown')]
  known.unread(limits.unknownInAll)
  known.identified()
  known.unread(2 * limits.unknownInAll)
  unknown.unread(MiB)
  assert.deepEqual(closed, [])
  assert.equal(intake.isCrowded, false)
  unknown.unread(limits.unknownInAll + 1)
  assert.deepEqual(closed, ['unknown'])
  known.unread(0)
  assert.equal(intake.total, 0)
})

test('connections of unknown users that read no answers are closed, those with the most first', async () => {
  const failed = deferred<unknown>()
  const silent = () => {}
  const logger = { debug: ({ err }: { err?: unknown }) => failed.resolve(err), info: silent, warn: silent, error: silent }
  await using server = await open(() => new Reply('~'.repeat(150_000)), { logger })
  const quiet = await rawClient(server.port)
  const attackers = await Promise.all(Array.from({ length: 20 }, () => socket(server.port, { ALPNProtocols: ['h2'] })))
  const heads = Buffer.concat(Array.from({ length: 100 }, (_, i) => frame(types.headers, 5, 2 * i + 1, headerBlock('GET', '/'))))
  const window = Buffer.concat([
    preface,
    frame(types.settings, 0, 0, setting(4, 0x7fff_ffff)),
    frame(types.windowUpdate, 0, 0, number(0x4000_0000)),
  ])
  for (const attacker of attackers) {
    attacker.on('error', () => {}).pause()
    attacker.write(Buffer.concat([window, heads]))
  }
  assert.match(String(await within('the end of one', failed.promise)), /take too much memory/)
  assert.equal(quiet.closed, false)
  quiet.socket.destroy()
  for (const attacker of attackers) attacker.destroy()
})

const length = String(limits.uploadWindow)
/** Streams with a body to the last KiB, until this many bytes are sent. */
async function unfinished(port: number, bytes: number) {
  const client = await rawClient(port)
  const piece = Buffer.alloc(16 * 1024)
  const each = Array.from({ length: 15 }, () => piece)
  for (let id = 1; bytes > 0; id += 2, bytes -= each.length * piece.length)
    await client.send(
      frame(types.headers, 4, id, headerBlock('POST', '/', ['content-length', length])),
      ...each.map((part) => frame(types.data, 0, id, part)),
    )
  return client
}

test('when much is awaited, handlers run at once: they refuse, or ask for the body', async () => {
  let handled = 0
  await using server = await open(async (request) => {
    handled++
    if (request.headers.get('authorization') === null) return new Response('no', { status: 401 })
    LightRequest.identified(request)
    return new Response(String((await request.arrayBuffer()).byteLength))
  })
  const attackers = await Promise.all(
    Array.from({ length: Math.ceil(limits.awaitedInAll / (20 * MiB)) }, () => unfinished(server.port, 20 * MiB)),
  )
  await eventually('handlers of incomplete requests', async () => handled > 0)
  const honest = await rawClient(server.port)
  await honest.send(frame(types.headers, 4, 1, headerBlock('POST', '/', ['content-length', '4'], ['authorization', 'x'])))
  await honest.send(frame(types.data, 0, 1, Buffer.from('ab')))
  await honest.send(frame(types.data, 1, 1, Buffer.from('cd')))
  const answer = await within(
    'the answer',
    honest.next(({ type }) => type === types.data),
  )
  assert.equal(String(answer?.payload), '4')
  for (const { socket } of [honest, ...attackers]) socket.destroy()
})

test('while users are not known, connections that hold the most end with ENHANCE_YOUR_CALM, or are closed; small ones stay', async () => {
  const users = deferred()
  await using server = await open(async () => {
    await users.promise
    return new Response('ok')
  })
  const honest = await unfinished(server.port, MiB)
  const [greedy, also] = await Promise.all([unfinished(server.port, 20 * MiB), unfinished(server.port, 20 * MiB)])
  const http1 = await socket(server.port)
  http1.on('error', () => {})
  http1.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n0123456789abcdef\r\n')
  const more = await unfinished(server.port, 24 * MiB)
  const ends = [greedy, also, more].map((each) => each.next(({ type, payload }) => type === types.goAway && payload.readUInt32BE(4) === 11))
  assert.ok(await within('a GOAWAY', Promise.race(ends)))
  assert.equal(honest.closed, false)
  assert.equal(http1.destroyed, false)
  for (const each of [honest, greedy, also, more]) each.socket.destroy()
  http1.destroy()
  users.resolve()
})

for (const refused of [true, false])
  test(`Expect: 100-continue over HTTP/1.1: ${refused ? 'refused at once, and the connection ends' : 'a 100 when the handler reads'}`, async () => {
    await using server = await open(async (request) =>
      refused ? new Response('no', { status: 401 }) : new Response(String((await request.arrayBuffer()).byteLength)),
    )
    const opened = await socket(server.port)
    let text = ''
    opened.on('data', (bytes) => {
      text += bytes
      if (text === 'HTTP/1.1 100 Continue\r\n\r\n') opened.write('1234')
    })
    const ended = new Promise((resolve) => opened.once('end', resolve))
    opened.write('POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 4\r\n\r\n')
    if (refused) {
      await within('the end', ended)
      assert.match(text, /^HTTP\/1\.1 401 [\s\S]*connection: close/i)
    } else {
      await eventually('the answer', async () => /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 [\s\S]*\r\n4\r\n/.test(text))
      opened.destroy()
    }
  })

test('Expect: 100-continue over HTTP/2: a 100 when the handler reads, and none when it refuses', async () => {
  await using server = await open(async (request) =>
    request.url.endsWith('/refused') ? new Response(null, { status: 401 }) : new Response(String((await request.arrayBuffer()).byteLength)),
  )
  const client = await rawClient(server.port)
  const post = (id: number, path: string) =>
    frame(types.headers, 4, id, headerBlock('POST', path, ['content-length', '4'], ['expect', '100-continue']))
  await client.send(post(1, '/refused'), post(3, '/'))
  await within(
    'the reset',
    client.next(({ type, stream }) => type === types.resetStream && stream === 1),
  )
  const heads = () => client.frames.filter(({ type }) => type === types.headers).map(({ stream, payload }) => [stream, String(payload)])
  await eventually('both heads', async () => heads().length === 2)
  assert.match(heads().find(([stream]) => stream === 1)?.[1] as string, /401/)
  assert.match(heads().find(([stream]) => stream === 3)?.[1] as string, /100/)
  await client.send(frame(types.data, 1, 3, Buffer.from('1234')))
  const answer = await within(
    'the answer',
    client.next(({ type, stream }) => type === types.data && stream === 3),
  )
  assert.equal(String(answer?.payload), '4')
  client.socket.destroy()
})

test('pipelined requests over HTTP/1.1 are handled one after the other', async () => {
  const waiting: (() => void)[] = []
  let running = 0
  await using server = await open(async (request) => {
    assert.equal(++running, 1)
    await new Promise<void>((resolve) => waiting.push(resolve))
    running--
    return new Response(`${request.method} ${(await request.text()).length}.`)
  })
  const opened = await socket(server.port)
  let text = ''
  opened.on('data', (bytes) => {
    text += bytes
  })
  const count = 200
  const pair = 'GET / HTTP/1.1\r\nHost: x\r\n\r\nPOST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc'
  opened.write(pair.repeat(count))
  for (let answered = 0; answered < 2 * count; answered++) {
    await eventually('the next', async () => waiting.length > 0)
    waiting.shift()?.()
  }
  await eventually('all answers', async () => text.match(/GET 0\.|POST 3\./g)?.length === 2 * count)
  opened.destroy()
})
