/** Slow clients: stalled connections end, and memory held for them is bounded. With a manual clock. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { preface } from '../../../../runtimes/wire/frames.ts'
import { limits } from '../../../../runtimes/wire/server/limits.ts'
import { ManualClock } from '../../../support/clock.ts'
import { eventually, within } from '../../../support/wait.ts'
import { deferred, open, socket } from '../../node/support.ts'
import { frame, get, headerBlock, number, rawClient, setting, types } from './raw-client.ts'

type Handler = Parameters<typeof open>[0]

/** A listener, and a function that advances its clock, with a turn of the event loop per second. */
async function slowServer(handler: Handler = () => new Response('ok')) {
  const clock = new ManualClock()
  const server = await open(handler, { clock })
  const pass = async (milliseconds: number) => {
    for (let passed = 0; passed <= milliseconds; passed += 1_000) {
      clock.advance(1_000)
      await turn()
    }
  }
  return { server, pass, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const ended = (opened: Socket) => {
  opened.on('error', () => {})
  let text = ''
  opened.on('data', (bytes) => {
    text += bytes
  })
  return new Promise<string>((resolve) => opened.on('close', () => resolve(text)))
}
const greeted = async (port: number) => {
  const client = await rawClient(port)
  await client.next(({ type, flags }) => type === types.settings && flags === 1)
  return client
}

test('connections that never send a request are closed', async (t) => {
  await using slow = await slowServer()
  const { port } = slow.server
  const beginnings: Record<string, () => Promise<Socket>> = {
    'no TLS handshake': async () => {
      const opened = connectTcp(port, '127.0.0.1')
      await once(opened, 'connect')
      return opened
    },
    'half a TLS handshake': async () => {
      const opened = connectTcp(port, '127.0.0.1')
      opened.write(Buffer.from('160301020001', 'hex'))
      await once(opened, 'connect')
      return opened
    },
    'HTTP/1.1 without a byte': () => socket(port),
    'HTTP/1.1 with half a header': async () => {
      const opened = await socket(port)
      await new Promise((resolve) => opened.write('GET / HTTP/1.1\r\nHost: x\r\nX-Half', resolve))
      return opened
    },
    'HTTP/2 without a byte': async () => (await rawClient(port, Buffer.alloc(0))).socket,
    'HTTP/2 with half a preface': async () => (await rawClient(port, preface.subarray(0, 10))).socket,
    'HTTP/2 without settings': async () => (await rawClient(port, preface)).socket,
    'HTTP/2 with half a header list': async () => {
      const client = await greeted(port)
      await client.send(frame(types.headers, 1, 1, headerBlock('GET', '/')))
      return client.socket
    },
    'HTTP/2 with half a frame': async () => {
      const client = await greeted(port)
      await client.send(get(1).subarray(0, 12))
      return client.socket
    },
  }
  for (const [what, begin] of Object.entries(beginnings))
    await t.test(what, async () => {
      const end = ended(await begin())
      // The bytes sent must have arrived.
      await new Promise((resolve) => setTimeout(resolve, 50))
      await slow.pass(limits.headers)
      await within('the end', end)
    })
})

test('a header that grows byte by byte gets no extra time', async () => {
  await using slow = await slowServer()
  const [first, second] = [await socket(slow.server.port), await greeted(slow.server.port)]
  const ends = [ended(first), ended(second.socket)]
  first.write('GET / HTTP/1.1\r\nHost: x\r\nX-Half: ')
  await second.send(frame(types.headers, 1, 1, headerBlock('GET', '/')))
  for (let count = 0; count < 8; count++) {
    first.write('a')
    await second.send(frame(types.continuation, 0, 1, Buffer.of(0x82)))
    await new Promise((resolve) => setTimeout(resolve, 10))
    await slow.pass(limits.headers / 8)
  }
  assert.match((await within('the ends', Promise.all(ends)))[0] ?? '', /^HTTP\/1\.1 408 /)
})

test('idle connections are closed after 90 seconds, used ones are not', async () => {
  await using slow = await slowServer()
  const [http1, http2] = [await socket(slow.server.port), await greeted(slow.server.port)]
  for (let minute = 0; minute < 3; minute++) {
    http1.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await within('the answer over HTTP/1.1', once(http1, 'data'))
    await http2.send(get(1 + 2 * minute))
    assert.ok(
      await within(
        'the answer over HTTP/2',
        http2.next(({ type, flags, stream }) => type === types.data && flags === 1 && stream === 1 + 2 * minute),
      ),
    )
    await slow.pass(60_000)
  }
  const ends = [ended(http1), ended(http2.socket)]
  await slow.pass(limits.idle)
  const goAway = await within(
    'the GOAWAY',
    http2.next(({ type }) => type === types.goAway),
  )
  assert.equal(goAway?.payload.readUInt32BE(4), 0)
  await slow.pass(limits.leaving)
  await within('the ends', Promise.all(ends))
})

test('an idle connection over HTTP/1.1 ends with close_notify', async () => {
  await using slow = await slowServer()
  // TLS 1.2 shows the types of its records to whoever carries them.
  const carried: Buffer[] = []
  const proxy = createServer((near) => {
    const far = connectTcp(slow.server.port, '127.0.0.1')
    far.on('data', (bytes) => carried.push(bytes)).pipe(near)
    near.pipe(far)
    for (const each of [near, far]) each.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const opened = await socket((proxy.address() as AddressInfo).port, { maxVersion: 'TLSv1.2' })
  const end = ended(opened)
  opened.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await within('the answer', once(opened, 'data'))
  await slow.pass(limits.idle)
  await within('the end', end)
  const bytes = Buffer.concat(carried)
  const records: number[] = []
  for (let at = 0; at < bytes.length; at += 5 + bytes.readUInt16BE(at + 3)) records.push(bytes[at] as number)
  const alert = 21
  assert.equal(records.at(-1), alert)
  proxy.close()
})

test('stalled bodies are answered with 408', async () => {
  const handled: string[] = []
  await using slow = await slowServer(async (request) => {
    handled.push(request.url)
    await request.arrayBuffer()
    return new Response('ok')
  })
  const { port } = slow.server
  const [http1, http2] = [await socket(port), await greeted(port)]
  const answer = ended(http1)
  http1.write('POST /http1 HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf')
  await http2.send(
    frame(types.headers, 4, 1, headerBlock('POST', '/small', ['content-length', '1000'])),
    frame(types.data, 0, 1, Buffer.from('half')),
    frame(types.headers, 4, 3, headerBlock('POST', '/large', ['content-length', '1000000'])),
    frame(types.data, 0, 3, Buffer.alloc(10_000)),
  )
  await eventually('the large request', async () => handled.length === 1)
  await slow.pass(limits.upload.milliseconds)
  // Too slow counts as stalled.
  await http2.send(frame(types.data, 0, 3, Buffer.alloc(1_000)))
  await slow.pass(limits.upload.milliseconds)
  for (const id of [1, 3]) {
    const head = await within(
      `a response on stream ${id}`,
      http2.next(({ type, stream }) => type === types.headers && stream === id),
    )
    assert.match(String(head?.payload.toString('latin1')), /408/)
  }
  assert.match(await within('the answer over HTTP/1.1', answer), /^HTTP\/1\.1 408 /)
  assert.deepEqual(handled, ['https://localhost/large'], 'a small request is not handled before it is complete')
  http2.socket.destroy()
})

test('a body that keeps arriving is not cut', async () => {
  await using slow = await slowServer(async (request) => new Response(String((await request.arrayBuffer()).byteLength)))
  const client = await greeted(slow.server.port)
  await client.send(frame(types.headers, 4, 1, headerBlock('POST', '/', ['content-length', '160000'])))
  for (let part = 1; part <= 10; part++) {
    await slow.pass(limits.upload.milliseconds / 2)
    await client.send(frame(types.data, part === 10 ? 1 : 0, 1, Buffer.alloc(16_000)))
    await client.send(frame(types.ping, 0, 0, Buffer.alloc(8, part)))
    await within(
      'a pong',
      client.next(({ type, payload }) => type === types.ping && payload[0] === part),
    )
  }
  const answer = await within(
    'the answer',
    client.next(({ type }) => type === types.data),
  )
  assert.equal(String(answer?.payload), '160000')
  client.socket.destroy()
})

const chunk = new Uint8Array(8 * 1024 * 1024)

test('unread responses time out', async (t) => {
  await using slow = await slowServer(({ url }) => {
    const cancelled = deferred()
    const stream = () => new ReadableStream({ pull: (controller) => controller.enqueue(chunk), cancel: () => cancelled.resolve() })
    return new Response(url.endsWith('/stream') ? stream() : chunk)
  })
  for (const path of ['/bytes', '/stream'])
    await t.test(`the window is not opened: ${path}`, async () => {
      const client = await greeted(slow.server.port)
      await client.send(get(1, path))
      await within(
        'bytes that fit the window',
        client.next(({ type }) => type === types.data),
      )
      await slow.pass(limits.download.milliseconds)
      await slow.pass(limits.download.milliseconds)
      assert.ok(
        await within(
          'the reset',
          client.next(({ type }) => type === types.resetStream),
        ),
      )
      client.socket.destroy()
    })
  for (const path of ['/bytes', '/stream'])
    await t.test(`the socket is not read: ${path}`, async () => {
      const [http1, http2] = [await socket(slow.server.port), await greeted(slow.server.port)]
      await http2.send(frame(types.settings, 0, 0, setting(4, 2 ** 31 - 1)), frame(types.windowUpdate, 0, 0, number(2 ** 30)), get(1, path))
      http1.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
      const closed = [http1, http2.socket].map((each) => new Promise<void>((resolve) => each.on('close', resolve).on('error', () => {})))
      for (const each of [http1, http2.socket]) each.pause()
      await new Promise((resolve) => setTimeout(resolve, 200))
      await slow.pass(limits.socket.milliseconds)
      await slow.pass(limits.socket.milliseconds)
      for (const each of [http1, http2.socket]) each.resume()
      await within('the ends', Promise.all(closed))
    })
})

test('a slow but steady reader gets the whole response', async () => {
  await using slow = await slowServer(() => new Response(new Uint8Array(1_000_000)))
  const client = await greeted(slow.server.port)
  await client.send(get(1))
  let got = 0
  for (let at = 0; got < 1_000_000; at++) {
    const { payload, type } =
      (await within(
        'more',
        client.next(() => true, at),
      )) ?? assert.fail('closed')
    if (type !== types.data) continue
    got += payload.length
    await slow.pass(1_000)
    await client.send(
      frame(types.windowUpdate, 0, 0, number(payload.length || 1)),
      frame(types.windowUpdate, 0, 1, number(payload.length || 1)),
    )
  }
  assert.equal(got, 1_000_000)
  client.socket.destroy()
})

test('unread responses are bounded per connection', async () => {
  await using slow = await slowServer(() => new Response(chunk))
  const client = await greeted(slow.server.port)
  const count = limits.held / chunk.length + 4
  await client.send(...Array.from({ length: count }, (_, i) => get(1 + 2 * i)))
  const resets = await eventually('resets', async () => {
    const found = client.frames.filter(({ type }) => type === types.resetStream).map(({ stream }) => stream)
    return found.length >= 3 && found
  })
  assert.deepEqual(resets.slice(0, 3), [1, 3, 5], 'the oldest are dropped')
  client.socket.destroy()
})

/**
 * Whether a promise stays pending without progress. Counts turns of the event loop instead of time, because the server
 * runs in this process.
 */
async function isStuck(sending: Promise<unknown>, progress: () => number): Promise<boolean> {
  let open = true
  void sending.then(() => {
    open = false
  })
  let last = progress()
  for (let still = 0; open && still < 50; still++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    if (progress() !== last) still = 0
    last = progress()
  }
  return open
}

test('unread short responses are bounded: further requests are not read', async () => {
  let answered = 0
  await using slow = await slowServer(() => {
    answered++
    return new Response(null, { headers: { 'x-long': 'v'.repeat(1_000) } })
  })
  const client = await greeted(slow.server.port)
  client.socket.pause()
  const requests = (from: number) =>
    Buffer.concat(Array.from({ length: 1_000 }, (_, i) => frame(types.headers, 5, from + 2 * i, headerBlock('HEAD', '/'))))
  let blocked = false
  for (let id = 1; id < 400_000 && !blocked; id += 2_000) {
    blocked = await isStuck(client.send(requests(id)), () => answered)
  }
  assert.ok(blocked, 'the client must wait')
  const before = answered
  await slow.pass(5_000)
  assert.equal(answered, before)
  assert.ok(answered < 100_000, `${answered} requests were answered`)
  client.socket.resume()
  await eventually('more answers', async () => answered > before)
  client.socket.destroy()
})
