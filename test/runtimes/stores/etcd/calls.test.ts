/** Calls of our HTTP/2 client to a server on Node's HTTP/2. */
import assert from 'node:assert/strict'
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { test } from 'node:test'
import type { Channel } from '../../../../runtimes/wire/client/channel.ts'
import { deadlineExceeded, internal, unavailable, unknown } from '../../../../runtimes/wire/client/codes.ts'
import { seeded } from '../../../support/mutate.ts'
import { eventually, within } from '../../../support/wait.ts'
import { answer, echo, grpcServer, message, requestOf } from './grpc-server.ts'

const path = '/service/Method'
const call = (channel: Channel, request: Uint8Array | string = 'request', timeout = 60_000) =>
  within('a call', channel.call(path, Buffer.from(request), performance.now() + timeout))
/** Bytes in which every position differs from its neighbours, so that misplaced parts show. */
const content = (length: number) => Buffer.from(Uint32Array.from({ length: length / 4 }, (_, index) => index * 2_654_435_761).buffer)

test('a call: the request at the server, and the response', async () => {
  let received: IncomingHttpHeaders = {}
  await using server = await grpcServer(async (stream, headers) => {
    received = headers
    answer(stream, [`answer to ${await requestOf(stream)}`])
  })
  assert.equal(String(await call(server.channel)), 'answer to request')
  const { 'grpc-timeout': timeout, ...headers } = received
  const left = Number(/^(\d+)m$/.exec(String(timeout))?.[1])
  assert.ok(left > 6_000 && left <= 60_000, `${timeout}`)
  assert.deepEqual(Object.fromEntries(Object.entries(headers)), {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': new URL(server.url).host,
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  assert.equal((await call(server.channel, '')).length, 'answer to '.length, 'an empty message')
  assert.equal(server.sessions.length, 1, 'one connection')
})

test('failures', async (t) => {
  const failures: Record<string, [(stream: ServerHttp2Stream, cut: () => void) => void, { code: number; message: string | RegExp }]> = {
    'in the head': [
      (stream) => stream.respond({ 'grpc-status': 9, 'grpc-message': 'no %E2%82%AC%' }, { endStream: true }),
      { code: 9, message: 'no %E2%82%AC%' },
    ],
    'in the head, encoded': [
      (stream) => stream.respond({ 'grpc-status': 9, 'grpc-message': 'no %E2%82%AC' }, { endStream: true }),
      { code: 9, message: 'no €' },
    ],
    'after a message': [
      (stream) => answer(stream, ['half'], { 'grpc-status': '10', 'grpc-message': 'aborted' }),
      { code: 10, message: 'aborted' },
    ],
    // Errors quote a bounded part of what another program says.
    'with a long text': [
      (stream) => answer(stream, [], { 'grpc-status': '10', 'grpc-message': 'x'.repeat(40_000) }),
      { code: 10, message: 'x'.repeat(2_048) },
    ],
    'HTTP status': [
      (stream) => stream.respond({ ':status': 503 }, { endStream: true }),
      { code: unknown, message: 'Received HTTP status code 503' },
    ],
    'trailers without grpc-status': [
      (stream) => stream.respond({ ':status': 200 }, { endStream: true }),
      { code: unavailable, message: 'the connection ended before the response was complete' },
    ],
    'a grpc-status that is no number': [(stream) => answer(stream, ['x'], { 'grpc-status': 'fine' }), { code: unknown, message: '' }],
    'without a message': [(stream) => answer(stream, []), { code: internal, message: 'the response is not a single message' }],
    'with two messages': [(stream) => answer(stream, ['a', 'b']), { code: internal, message: 'the response is not a single message' }],
    'stream reset': [
      (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
      { code: unavailable, message: 'the server reset the stream: INTERNAL_ERROR' },
    ],
    'of a stream that was refused': [
      (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM),
      { code: unavailable, message: 'No connection established: the server reset the stream: REFUSED_STREAM' },
    ],
    'connection closed': [
      (stream) => stream.session?.destroy(undefined, constants.NGHTTP2_NO_ERROR),
      { code: unavailable, message: /^the server (reset the stream|closed the connection)/ },
    ],
    'of the socket in the middle of the answer': [
      (stream, cut) => {
        stream.respond({ ':status': 200 })
        stream.write(message('x').subarray(0, 3), cut)
      },
      { code: unavailable, message: /^(the server closed the connection|read ECONNRESET)$/ },
    ],
    'with a message that is compressed': [
      (stream) => {
        stream.respond({ ':status': 200 })
        stream.write(Buffer.of(1, 0, 0, 0, 0))
      },
      { code: internal, message: 'the response is compressed' },
    ],
    'with a message that is too large': [
      (stream) => {
        stream.respond({ ':status': 200 })
        stream.write(Buffer.of(0, 0xff, 0xff, 0xff, 0xff))
      },
      { code: 8, message: 'the response has 4294967295 bytes' },
    ],
  }
  for (const [what, [fail, expected]] of Object.entries(failures))
    await t.test(what, async () => {
      let failing = true
      await using server = await grpcServer((stream, _headers, cut) => (failing ? fail(stream, cut) : echo(stream)))
      await assert.rejects(call(server.channel), { name: 'CallError', ...expected })
      failing = false
      assert.equal(String(await call(server.channel)), 'request', 'the next call')
    })
})

test('a deadline resets the stream, and the connection stays open', async () => {
  const resets: number[] = []
  let answering = false
  await using server = await grpcServer((stream) => {
    stream.on('close', () => resets.push(stream.rstCode))
    return answering ? echo(stream) : undefined
  })
  // On a busy machine the deadline may pass before the request is sent.
  await eventually('a reset', async () => {
    await assert.rejects(call(server.channel, 'x', 50), { code: deadlineExceeded, message: 'Deadline exceeded' })
    return resets.length > 0
  })
  assert.deepEqual(new Set(resets), new Set([constants.NGHTTP2_CANCEL]))
  answering = true
  assert.equal(String(await call(server.channel)), 'request')
  assert.equal(server.sessions.length, 1)
})

test('messages of 8 MiB in both directions through small windows', async () => {
  const large = content(8 * 1024 * 1024)
  await using server = await grpcServer(echo, { settings: { initialWindowSize: 1_000 } })
  const answers = await Promise.all([call(server.channel, large), call(server.channel, 'small'), call(server.channel, large)])
  assert.deepEqual(
    answers.map((bytes, index) => bytes.equals(index === 1 ? Buffer.from('small') : large)),
    [true, true, true],
  )
})

test('messages of 8 MiB in both directions in large padded frames', async () => {
  const large = content(8 * 1024 * 1024)
  await using server = await grpcServer(echo, {
    settings: { initialWindowSize: 2 ** 24, maxFrameSize: 2 ** 20 },
    paddingStrategy: constants.PADDING_STRATEGY_MAX,
  })
  const [first, second] = await Promise.all([call(server.channel, large), call(server.channel, large)])
  assert(first.equals(large) && second.equals(large), 'both are unchanged')
})

test('SETTINGS change the window of open streams', async () => {
  const large = content(1024 * 1024)
  await using server = await grpcServer(echo, { settings: { initialWindowSize: 0 } })
  const answering = call(server.channel, large)
  await eventually('the stream', async () => server.sessions[0])
  server.sessions[0]?.settings({ initialWindowSize: 10_000 })
  assert((await answering).equals(large), 'unchanged')
})

test('each of many concurrent calls gets its own response, in any order', async () => {
  const random = seeded(11)
  await using server = await grpcServer(async (stream) => {
    const request = await requestOf(stream)
    setTimeout(() => answer(stream, [request]), random.below(50))
  })
  const requests = Array.from({ length: 500 }, (_, index) => `${index} ${'x'.repeat(random.below(2_000))}`)
  const answers = await Promise.all(requests.map((request) => call(server.channel, request)))
  assert.deepEqual(answers.map(String), requests)
  assert.equal(server.sessions.length, 1)
})

test('calls wait while the server allows two streams; a call whose deadline passes meanwhile is never sent', async () => {
  let open = 0
  let most = 0
  const seen: string[] = []
  await using server = await grpcServer(
    async (stream) => {
      most = Math.max(most, ++open)
      stream.on('close', () => open--)
      const request = await requestOf(stream)
      seen.push(String(request))
      setTimeout(() => answer(stream, [request]), 20)
    },
    { settings: { maxConcurrentStreams: 2 } },
  )
  const requests = Array.from({ length: 20 }, (_, index) => `request ${index}`)
  const answers = requests.map((request) => call(server.channel, request))
  const late = assert.rejects(call(server.channel, 'late', 30), { code: deadlineExceeded })
  assert.deepEqual((await Promise.all(answers)).map(String), requests)
  await late
  assert.deepEqual([most, seen.toSorted()], [2, requests.toSorted()])
})

test('after GOAWAY accepted calls complete, and the next call opens a new connection', async () => {
  const streams: ServerHttp2Stream[] = []
  let answering = false
  await using server = await grpcServer((stream) => (answering ? echo(stream) : streams.push(stream)))
  const [seen, unseen] = [call(server.channel, 'seen'), call(server.channel, 'unseen')]
  await eventually('both streams', async () => streams.length === 2)
  answering = true
  const [first] = server.sessions
  assert(first, 'a connection')
  const rejected = assert.rejects(unseen, {
    code: unavailable,
    message: 'No connection established: the server ends the connection: ENHANCE_YOUR_CALM too many pings?',
  })
  first.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 1, Buffer.from('too many pings\n'))
  await rejected
  assert.equal(String(await call(server.channel)), 'request')
  assert.equal(server.sessions.length, 2, 'another connection')
  for (const stream of streams)
    if (stream.id === 1) void echo(stream)
    else stream.destroy()
  assert.equal(String(await seen), 'seen')
})

test('a stream delivers messages one by one until it is cancelled', async () => {
  let serving: ServerHttp2Stream | undefined
  let received: IncomingHttpHeaders = {}
  await using server = await grpcServer((stream, headers) => {
    serving = stream
    received = headers
    stream.respond({ ':status': 200 })
    const messages = Array.from({ length: 100 }, (_, index) => message(`${index}:`.padEnd(1 + index * 500, '.')))
    for (const each of messages) stream.write(each)
  })
  const lengths: number[] = []
  await within(
    'a hundred messages',
    new Promise<void>((resolve, reject) => {
      server.channel.stream(path, { hasleader: 'true' }, Buffer.from('watch'), {
        message: (bytes) => {
          assert.equal(Number.parseInt(String(bytes), 10), lengths.length)
          lengths.push(bytes.length)
          if (lengths.length === 100) resolve()
        },
        end: reject,
      })
    }),
  )
  assert.deepEqual(
    lengths.slice(10),
    Array.from({ length: 90 }, (_, index) => 1 + (index + 10) * 500),
  )
  assert.deepEqual([received['hasleader'], received['grpc-timeout']], ['true', undefined])
  assert.equal(serving?.readableEnded, false, 'the stream stays open')
})

test('a handler that cancels gets no more messages', async () => {
  let code: number | undefined
  await using server = await grpcServer((stream) => {
    stream.on('close', () => {
      code = stream.rstCode
    })
    stream.respond({ ':status': 200 })
    stream.write(Buffer.concat([message('a'), message('b'), message('c')]))
  })
  const heard: string[] = []
  const cancel = server.channel.stream(path, {}, Buffer.from('watch'), {
    message(bytes) {
      heard.push(String(bytes))
      cancel()
    },
    end: () => heard.push('end'),
  })
  await eventually('the reset', async () => code !== undefined)
  assert.deepEqual([heard, code], [['a'], constants.NGHTTP2_CANCEL])
})

test('a stream ended by the server', async (t) => {
  const ends: Record<string, [(stream: ServerHttp2Stream, cut: () => void) => void, { code: number; message: string | RegExp }]> = {
    'with success': [(stream) => answer(stream, ['a']), { code: unavailable, message: 'the stream ended' }],
    'with a failure': [
      (stream) => answer(stream, [], { 'grpc-status': '14', 'grpc-message': 'no leader' }),
      { code: unavailable, message: 'no leader' },
    ],
    'with its connection': [(_stream, cut) => cut(), { code: unavailable, message: /closed the connection|ECONNRESET/ }],
    'with an invalid message': [
      (stream) => {
        stream.respond({ ':status': 200 })
        stream.write(Buffer.from('nonsense'))
      },
      { code: internal, message: 'the response is compressed' },
    ],
  }
  for (const [what, [end, expected]] of Object.entries(ends))
    await t.test(what, async () => {
      let closed = false
      await using server = await grpcServer((stream, _headers, cut) => {
        stream.on('close', () => {
          closed = true
        })
        end(stream, cut)
      })
      const ended = new Promise<never>((_resolve, end) => {
        server.channel.stream(path, {}, Buffer.from('watch'), { message() {}, end })
      })
      await assert.rejects(within('the end', ended), { name: 'CallError', ...expected })
      await eventually('the end at the server', async () => closed)
    })
})

test('closing waits for calls, then ends the connection', async () => {
  const streams: ServerHttp2Stream[] = []
  await using server = await grpcServer((stream) => streams.push(stream))
  const calling = call(server.channel)
  await eventually('the stream', async () => streams.length === 1)
  server.channel.close()
  for (const stream of streams) void echo(stream)
  assert.equal(String(await calling), 'request')
  await eventually('the end of the connection', async () => server.sessions[0]?.destroyed)
})
