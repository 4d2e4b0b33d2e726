import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Buffers, largeBuffer, smallBuffer } from '../../../runtimes/wire/buffers.ts'
import { Outbox } from '../../../runtimes/wire/outbox.ts'

type Taken = (error?: Error | null) => void

/** A socket that completes writes on demand; it copies what was written, as TLS does. */
class SlowSocket {
  readonly writable = true
  readonly writes: Buffer[] = []
  readonly buffers = new Set<ArrayBufferLike>()
  #taken: Taken | undefined

  write(bytes: Buffer, taken: Taken): void {
    assert.equal(this.#taken, undefined, 'one write at a time')
    this.writes.push(Buffer.from(bytes))
    this.buffers.add(bytes.buffer)
    this.#taken = taken
  }

  /** Completes writes until nothing is pending. */
  drain(): void {
    for (let taken = this.#taken; taken !== undefined; taken = this.#taken) {
      this.#taken = undefined
      taken()
    }
  }

  get content(): Buffer {
    return Buffer.concat(this.writes)
  }
}

const outboxOn = (socket: SlowSocket, buffers = new Buffers()) => new Outbox(socket as unknown as Socket, { buffers })

/** Bytes in which every position differs from its neighbours. */
const bytesOf = (size: number, from = 0) => Buffer.from(Array.from({ length: size }, (_, at) => (from + at * 31 + (at >> 8)) & 0xff))

test('pushed bytes are written in order, in any sizes', async () => {
  const socket = new SlowSocket()
  const outbox = outboxOn(socket)
  const pushed: Buffer[] = []
  for (const size of [1, 9, smallBuffer - 10, 1, 5, smallBuffer, largeBuffer - 3, 7, largeBuffer + 1, 0, 100, 3 * largeBuffer, 16_393]) {
    const bytes = bytesOf(size, pushed.length)
    pushed.push(bytes)
    outbox.push(bytes)
    if (size % 2 === 1) await turn()
    if (size % 3 === 1) socket.drain()
  }
  await turn()
  socket.drain()
  assert.ok(socket.content.equals(Buffer.concat(pushed)))
  assert.equal(outbox.pending, 0)
  assert.equal(outbox.written, socket.content.length)
})

test('reserved room that is not used is not written', async () => {
  const socket = new SlowSocket()
  const outbox = outboxOn(socket)
  outbox.reserve(100)
  outbox.reserve(2 * largeBuffer)
  outbox.reserve(largeBuffer)
  outbox.push(bytesOf(3))
  await turn()
  socket.drain()
  assert.deepEqual(socket.writes, [bytesOf(3)])
})

test('buffers are reused, also by other connections', async () => {
  const buffers = new Buffers()
  const seen = new Set<ArrayBufferLike>()
  for (let round = 0; round < 20; round++) {
    const socket = new SlowSocket()
    const outbox = outboxOn(socket, buffers)
    outbox.push(bytesOf(100), bytesOf(largeBuffer))
    await turn()
    socket.drain()
    for (const buffer of socket.buffers) seen.add(buffer)
  }
  assert.ok(seen.size <= 3, `${seen.size} buffers`)
})

test('a buffer is not reused during its write, nor after a failed write', async () => {
  const buffers = new Buffers()
  const socket = new SlowSocket()
  const outbox = outboxOn(socket, buffers)
  outbox.push(bytesOf(10))
  await turn()
  const [first] = socket.buffers
  outbox.push(bytesOf(10))
  assert.notEqual(outbox.reserve(1).buffer, first)
  assert.notEqual(buffers.take(1).buffer, first)

  let fail: Taken = () => {}
  const broken = { writable: true, write: (_bytes: Buffer, taken: Taken) => (fail = taken) }
  const other = outboxOn(broken as unknown as SlowSocket, buffers)
  const used = other.reserve(10).buffer
  other.grew(10)
  await turn()
  broken.writable = false
  fail(new Error('gone'))
  assert.notEqual(buffers.take(1).buffer, used)
})

test('writes grow while the socket completes them quickly', async () => {
  const quick = new SlowSocket()
  const long = bytesOf(4 * largeBuffer)
  outboxOn(quick).push(long)
  await turn()
  quick.drain()
  const sizes = quick.writes.map(({ length }) => length)
  assert.equal(sizes[0], 64 * 1024)
  assert.ok(Math.max(...sizes) > 128 * 1024, sizes.join(' '))

  const slow = new SlowSocket()
  const clock = performance.now.bind(performance)
  try {
    let passed = 0
    performance.now = () => (passed += 1_000)
    outboxOn(slow).push(long)
    await turn()
    slow.drain()
  } finally {
    performance.now = clock
  }
  assert.equal(Math.max(...slow.writes.map(({ length }) => length)), 64 * 1024)
})
