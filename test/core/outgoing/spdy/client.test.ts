/** The client against the server of the tests, which compresses headers with zlib and the dictionary of the protocol. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { Pauses } from '../../../../core/common/slices.ts'
import { SpdyClient, type SpdyReceiver } from '../../../../core/outgoing/spdy/client.ts'
import { headerBlock } from '../../../../core/outgoing/spdy/frames.ts'
import { byteStream } from '../../../../runtimes/node/network/byte-stream.ts'
import { webClock } from '../../../../runtimes/web/ports.ts'
import { SpdyConnection, type SpdyStream } from '../../../support/node-agent/spdy.ts'
import { eventually } from '../../../support/wait.ts'

async function pair(t: { after(end: () => void): void }, opened: (stream: SpdyStream) => void) {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const socket = connect((listener.address() as { port: number }).port, '127.0.0.1')
  const [[accepted]] = (await Promise.all([once(listener, 'connection'), once(socket, 'connect')])) as [[Socket], unknown]
  const server = new SpdyConnection(accepted, false, opened)
  const served = server.serve().catch(() => undefined)
  const client = new SpdyClient(
    byteStream(socket, new Uint8Array(0)),
    webClock,
    new Pauses(webClock).slices(() => new AbortController().signal),
  )
  const ended = client.serve()
  t.after(() => {
    listener.close()
    socket.destroy()
    accepted.destroy()
  })
  return { client, server, accepted, ended, served }
}

const collecting = () => {
  const received: { bytes: number[]; ended: boolean } = { bytes: [], ended: false }
  const receiver: SpdyReceiver = {
    data: (bytes) => void received.bytes.push(...bytes),
    end: () => {
      received.ended = true
    },
  }
  return { received, receiver }
}

test('streams have headers, data in both directions, and ends', async (t) => {
  const names: string[] = []
  const { client } = await pair(t, (stream) => {
    names.push(JSON.stringify(stream.headers))
    stream.data = (bytes) => stream.write(bytes)
    stream.ended = () => stream.end()
  })
  const streams: { id: number; received: ReturnType<typeof collecting>['received'] }[] = []
  for (const streamtype of ['error', 'stdin', 'x'.repeat(60_000)]) {
    const { received, receiver } = collecting()
    streams.push({ id: await client.open({ streamtype, empty: '' }, receiver), received })
  }
  assert.deepEqual(
    streams.map(({ id }) => id),
    [1, 3, 5],
  )
  assert.deepEqual(
    names,
    ['error', 'stdin', 'x'.repeat(60_000)].map((streamtype) => JSON.stringify({ streamtype, empty: '' })),
  )
  for (const { id } of streams) {
    await client.write(id, Uint8Array.of(id, 2, 3))
    await client.write(id, new Uint8Array(100_000))
    await client.end(id)
  }
  await eventually('the ends', async () => streams.every(({ received }) => received.ended))
  for (const { id, received } of streams) {
    assert.equal(received.bytes.length, 100_003)
    assert.deepEqual(received.bytes.slice(0, 3), [id, 2, 3])
  }
})

test('a block of headers ends with a flush, for which readers wait', () => {
  for (const first of [true, false]) {
    const block = headerBlock({ streamtype: 'stdin' }, first)
    assert.deepEqual([...block.subarray(-4)], [0, 0, 0xff, 0xff])
  }
})

test('a reset ends a stream, pings are answered, and the end of the connection ends all streams', async (t) => {
  const opened: SpdyStream[] = []
  const { client, server, accepted, ended } = await pair(t, (stream) => void opened.push(stream))
  const [one, other] = [collecting(), collecting()]
  await client.open({ streamtype: 'a' }, one.receiver)
  await client.open({ streamtype: 'b' }, other.receiver)
  opened[0]?.reset()
  await eventually('the end of the stream', async () => one.received.ended)
  assert.equal(other.received.ended, false)
  server.ping(2)
  await eventually('the answer', async () => server.pings.includes(2))
  accepted.destroy()
  await ended
  assert.equal(other.received.ended, true)
})

test('a receiver that waits holds the server back', async (t) => {
  let sent = 0
  const { client, accepted } = await pair(t, (stream) => {
    void (async () => {
      while (!accepted.destroyed) {
        await stream.write(Buffer.alloc(65_536))
        sent += 65_536
      }
    })()
  })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let got = 0
  const data = (bytes: Uint8Array) => {
    got += bytes.length
    return got > 1_000_000 ? held : undefined
  }
  await client.open({ streamtype: 'a' }, { data, end: () => undefined })
  let before = -1
  await eventually('a standstill', async () => {
    const still = got > 1_000_000 && accepted.writableNeedDrain && sent === before
    before = sent
    return still
  })
  assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes`)
  release()
  await eventually('more', async () => sent > before)
})
