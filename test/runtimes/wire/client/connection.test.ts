/** Connections of the HTTP/2 client, with a scripted server. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { createServer as createTlsServer, type Server } from 'node:tls'
import { issue, issueAuthority, newKey, type Pair } from '../../../../runtimes/node/pki/issue.ts'
import { createChannel } from '../../../../runtimes/wire/client/channel.ts'
import { deadlineExceeded, unavailable } from '../../../../runtimes/wire/client/codes.ts'
import { Connection } from '../../../../runtimes/wire/client/connection.ts'
import { addressOf } from '../../../../runtimes/wire/client/socket.ts'
import { FrameReader } from '../../../../runtimes/wire/frames.ts'
import { encodedHeaders } from '../../../../runtimes/wire/hpack/write.ts'
import { ManualClock } from '../../../support/clock.ts'
import { freePort } from '../../../support/free-port.ts'
import { root, rootUrl } from '../../../support/root.ts'
import { run } from '../../../support/run.ts'
import { eventually, within } from '../../../support/wait.ts'
import { echo, grpcServer, message } from '../../stores/etcd/grpc-server.ts'
import { hostClock } from '../../stores/helpers.ts'
import { answerOn, type Frame, frame, head, rawPeer, settings, trailers } from './raw-peer.ts'

const path = '/service/Method'
const request = Buffer.from('request')
const soon = () => performance.now() + 60_000
const types = { headers: 1, ping: 6, goAway: 7, windowUpdate: 8 }

test('nobody listens', async () => {
  const channel = createChannel(`http://127.0.0.1:${await freePort()}`, {}, hostClock)
  const refused = { code: unavailable, message: /^No connection established: connect ECONNREFUSED 127/ }
  await assert.rejects(channel.call(path, request, soon()), refused)
  await assert.rejects(new Promise<never>((_resolve, end) => void channel.stream(path, {}, request, { message() {}, end })), refused)
  channel.close()
})

test('a server that accepts the connection and stays silent', async () => {
  await using peer = await rawPeer()
  const clock = new ManualClock()
  const channel = createChannel(peer.url, {}, clock)
  const calls = [channel.call(path, request, clock.monotonic() + 10_000), channel.call(path, request, clock.now() + 3_000)]
  const outcomes = Promise.allSettled(calls)
  await eventually('the connection', async () => peer.sockets.length === 1)
  clock.advance(5_000)
  const reasons = (await outcomes).map((outcome) => outcome.status === 'rejected' && [outcome.reason.code, outcome.reason.message])
  assert.deepEqual(reasons, [
    [unavailable, 'No connection established: not ready after 5 s'],
    [deadlineExceeded, 'Deadline exceeded'],
  ])
  assert.equal(peer.frames.filter(({ type }) => type === types.headers).length, 0, 'no call was sent')
})

test('an unresponsive server is detected by pings, which are sent only during calls', async () => {
  await using peer = await rawPeer((socket) => socket.write(settings))
  const clock = new ManualClock()
  const channel = createChannel(peer.url, {}, clock)
  const pings = () => peer.frames.filter(({ type }) => type === types.ping)
  const first = channel.call(path, request, clock.monotonic() + 60_000)
  await peer.frame(types.headers)
  clock.advance(10_000)
  const ping = await peer.frame(types.ping)
  peer.sockets[0]?.write(Buffer.concat([frame(types.ping, 1, 0, ping.payload), answerOn(1, 'answer')]))
  assert.equal(String(await first), 'answer', 'the ping was answered')
  clock.advance(60_000)
  const second = assert.rejects(channel.call(path, request, clock.monotonic() + 60_000), {
    code: unavailable,
    message: 'the server does not acknowledge pings',
  })
  await eventually('the second call', async () => peer.frames.filter(({ type }) => type === types.headers).length === 2)
  assert.equal(pings().length, 1, 'no pings without calls')
  clock.advance(10_000)
  await eventually('the second ping', async () => pings().length === 2)
  clock.advance(5_000)
  await second
  await once(peer.sockets[0] ?? assert.fail('no socket'), 'close')
})

test('pings from the server are answered', async () => {
  await using peer = await rawPeer((socket) => socket.write(Buffer.concat([settings, frame(types.ping, 0, 0, Buffer.from('12345678'))])))
  const channel = createChannel(peer.url, {}, hostClock)
  channel.call(path, request, soon()).catch(() => {})
  const { flags, payload } = await peer.frame(types.ping)
  assert.deepEqual([flags, String(payload)], [1, '12345678'])
  channel.close()
})

test('the connection preface of the client', async () => {
  await using peer = await rawPeer((socket) => socket.write(settings))
  const channel = createChannel(peer.url, {}, hostClock)
  channel.call(path, request, soon()).catch(() => {})
  await peer.frame(types.headers)
  const [first, second] = peer.frames
  assert.equal(first?.payload.toString('hex'), '000100000000000200000000000400400000', 'no table, no push, 4 MiB')
  assert.deepEqual([second?.type, second?.stream, second?.payload.readUInt32BE(0)], [types.windowUpdate, 0, 4 * 1024 * 1024 - 65_535])
  channel.close()
})

test('windows are returned when half of them is used, also for cancelled calls', async () => {
  await using peer = await rawPeer((socket) => socket.write(settings))
  const channel = createChannel(peer.url, {}, hostClock)
  let cancel = () => {}
  const came = new Promise<void>((resolve) => {
    cancel = channel.stream(path, {}, request, { message: () => resolve(), end() {} })
  })
  await peer.frame(types.headers)
  const part = frame(0, 0, 1, Buffer.alloc(16_384))
  const half = Buffer.concat(Array.from({ length: 128 }, () => part))
  peer.sockets[0]?.write(Buffer.concat([frame(1, 4, 1, head), half]))
  const updates = (count: number) =>
    eventually(`${count} updates`, async () => {
      const found = peer.frames.filter(({ type }) => type === types.windowUpdate).slice(1)
      return found.length === count && found.map(({ stream, payload }) => [stream, payload.readUInt32BE(0)])
    })
  assert.deepEqual(await updates(2), [
    [0, 2 ** 21],
    [1, 2 ** 21],
  ])
  await came
  cancel()
  peer.sockets[0]?.write(half)
  assert.deepEqual((await updates(3)).at(-1), [0, 2 ** 21])
  channel.close()
})

test('a connection ends with its last call after GOAWAY', async () => {
  await using peer = await rawPeer((socket) => socket.write(settings))
  const channel = createChannel(peer.url, {}, hostClock)
  const answer = channel.call(path, request, soon())
  await peer.frame(types.headers)
  const [socket = assert.fail('no socket')] = peer.sockets
  const closed = once(socket, 'close')
  socket.write(Buffer.concat([frame(types.goAway, 0, 0, Buffer.from('7fffffff00000000', 'hex')), answerOn(1, 'answer')]))
  assert.equal(String(await answer), 'answer')
  await within('the end of the connection', closed)
})

test('when stream ids run out, open calls finish and the next call opens another connection', async () => {
  await using server = await grpcServer((stream) => void setTimeout(() => void echo(stream), 50), { settings: { maxConcurrentStreams: 2 } })
  const connection = new Connection(addressOf(server.url), {}, hostClock, 2 ** 31 - 3)
  const requestHead = encodedHeaders([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'localhost'],
  ])
  const outcomes = Array.from(
    { length: 3 },
    () =>
      new Promise((resolve) => {
        const receiver = { headers() {}, data() {}, end: (error?: Error) => resolve(error?.message ?? 'answered') }
        connection.open(requestHead, message('x'), true, receiver)
      }),
  )
  assert.deepEqual(await within('the calls', Promise.all(outcomes)), [
    'answered',
    'answered',
    'No connection established: the connection is used up',
  ])
  assert.equal(connection.ended, true)
})

test('a closed channel leaves nothing behind', async (t) => {
  await t.test('a channel that was never used', () => createChannel('http://127.0.0.1:1', {}, hostClock).close())
  await t.test('a channel without calls', async () => {
    await using peer = await rawPeer((socket) => socket.write(Buffer.concat([settings])))
    const channel = createChannel(peer.url, {}, hostClock)
    const answered = channel.call(path, request, soon())
    await peer.frame(types.headers)
    peer.sockets[0]?.write(answerOn(1, 'answer'))
    await answered
    const closed = once(peer.sockets[0] ?? assert.fail('no socket'), 'close')
    channel.close()
    await within('the end of the connection', closed)
    assert.deepEqual([...(await peer.frame(types.goAway)).payload], [0, 0, 0, 0, 0, 0, 0, 0])
  })
  await t.test('a channel whose last call is pending', async () => {
    await using peer = await rawPeer()
    const channel = createChannel(peer.url, {}, hostClock)
    const call = assert.rejects(channel.call(path, request, performance.now() + 50), { code: deadlineExceeded })
    await eventually('the connection', async () => peer.sockets.length === 1)
    const closed = once(peer.sockets[0] ?? assert.fail('no socket'), 'close')
    channel.close()
    await call
    await within('the end of the connection', closed)
  })
})

test('the process exits once its channel is closed', async () => {
  await using server = await grpcServer(echo)
  const module = (path: string) => JSON.stringify(new URL(path, rootUrl).href)
  const program = `
    import { createChannel } from ${module('runtimes/wire/client/channel.ts')}
    import { hostClock } from ${module('test/runtimes/stores/helpers.ts')}
    const channel = createChannel('${server.url}', {}, hostClock)
    const cancel = channel.stream('/watch', {}, Buffer.from('watch'), { message() {}, end() {} })
    const answer = await channel.call('/call', Buffer.from('request'), performance.now() + 60_000)
    cancel()
    channel.close()
    console.log(String(answer))
  `
  const argv = ['--import', 'tsx', '--input-type=module', '--eval', program]
  const { code, stdout } = await run(process.execPath, argv, { cwd: root })
  assert.deepEqual([code, stdout.trim()], [0, 'request'])
})

const authority = issueAuthority('etcd-ca', newKey(), Date.now())
const pem = ({ certPem, keyPem }: Pair) => ({ cert: certPem, key: keyPem })
const serving = pem(issue(authority, { commonName: 'etcd', names: ['127.0.0.1', 'localhost'] }, Date.now()))
const client = pem(issue(authority, { commonName: 'apiserver' }, Date.now()))

test('TLS', async (t) => {
  const secure = { ...serving, ca: authority.certPem, requestCert: true }
  await t.test('mutual TLS', async () => {
    await using server = await grpcServer(echo, { secure, tls: { ca: authority.certPem, ...client } })
    assert.equal(String(await server.channel.call(path, request, soon())), 'request')
    const byName = createChannel(server.url.replace('127.0.0.1', 'localhost'), { ca: authority.certPem, ...client }, hostClock)
    assert.equal(String(await byName.call(path, request, soon())), 'request', 'a server by name')
    byName.close()
  })
  await t.test('the client presents no certificate', async () => {
    await using server = await grpcServer(echo, { secure, tls: { ca: authority.certPem } })
    await assert.rejects(server.channel.call(path, request, soon()), { code: unavailable, message: /^No connection established: / })
  })
  await t.test('the server certificate is from another CA', async () => {
    const other = issueAuthority('other-ca', newKey(), Date.now())
    await using server = await grpcServer(echo, { secure, tls: { ca: other.certPem, ...client } })
    await assert.rejects(server.channel.call(path, request, soon()), {
      code: unavailable,
      message: /^No connection established: .*(certificate|signature)/,
    })
  })
  await t.test('the server does not speak HTTP/2', async () => {
    const server: Server = createTlsServer(serving, (socket) => void socket.on('error', () => {}))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const channel = createChannel(`https://127.0.0.1:${port}`, { ca: authority.certPem }, hostClock)
    await assert.rejects(channel.call(path, request, soon()), {
      code: unavailable,
      message: 'No connection established: the server does not speak HTTP/2',
    })
    server.close()
  })
})

test('frames can be split at any byte', async () => {
  const bytes = Buffer.concat([
    settings,
    answerOn(1, 'one'),
    frame(types.ping, 0, 0, Buffer.alloc(8)),
    frame(99, 7, 3, Buffer.from('unknown')),
  ])
  const framesOf = (parts: readonly Buffer[]) => {
    const frames: Frame[] = []
    const reader = new FrameReader((type, flags, stream, payload) => frames.push({ type, flags, stream, payload: Buffer.from(payload) }))
    for (const part of parts) reader.take(part)
    return frames
  }
  const whole = framesOf([bytes])
  assert.deepEqual(
    whole.map(({ type }) => type),
    [4, 1, 0, 1, 6, 99],
  )
  for (let at = 0; at <= bytes.length; at++) assert.deepEqual(framesOf([bytes.subarray(0, at), bytes.subarray(at)]), whole, `cut at ${at}`)
  assert.deepEqual(framesOf(Array.from(bytes, (byte) => Buffer.of(byte))), whole, 'byte by byte')
})

test('responses can be split at any byte', async () => {
  const content = message('the answer')
  const bytes = Buffer.concat([
    settings,
    // Headers in two frames, after an informational response.
    frame(types.headers, 4, 1, encodedHeaders([[':status', '103']])),
    frame(types.headers, 0, 1, head.subarray(0, 3)),
    frame(9, 4, 1, head.subarray(3)),
    // A message in two frames, the first of them padded.
    frame(0, 8, 1, Buffer.concat([Buffer.of(3), content.subarray(0, 7), Buffer.alloc(3)])),
    frame(0, 0, 1, content.subarray(7)),
    // Trailers with a priority.
    frame(types.headers, 0x25, 1, Buffer.concat([Buffer.alloc(5), trailers])),
  ])
  const settingsEnd = settings.length
  for (let at = settingsEnd; at <= bytes.length; at++) {
    await using peer = await rawPeer((socket) => socket.write(settings))
    const channel = createChannel(peer.url, {}, hostClock)
    const answer = channel.call(path, request, soon())
    await peer.frame(types.headers)
    peer.sockets[0]?.write(bytes.subarray(settingsEnd, at))
    await new Promise((resolve) => setImmediate(resolve))
    peer.sockets[0]?.write(bytes.subarray(at))
    assert.equal(String(await within(`the response split at ${at}`, answer)), 'the answer')
    channel.close()
  }
})
