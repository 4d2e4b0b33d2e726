/**
 * Random, mutated and truncated frames and header blocks: in soak runs 1,000,000 connections and four times as many
 * blocks. Only the connection concerned may fail.
 */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Buffers } from '../../../../runtimes/wire/buffers.ts'
import { ConnectionError, errorCodes } from '../../../../runtimes/wire/errors.ts'
import { FrameReader, preface } from '../../../../runtimes/wire/frames.ts'
import { Holdings } from '../../../../runtimes/wire/holdings.ts'
import { Decoder } from '../../../../runtimes/wire/hpack/decoder.ts'
import { OutputScheduler } from '../../../../runtimes/wire/output-scheduler.ts'
import { ServerConnection } from '../../../../runtimes/wire/server/connection.ts'
import { Intake } from '../../../../runtimes/wire/server/intake.ts'
import { limits } from '../../../../runtimes/wire/server/limits.ts'
import type { ServerStream } from '../../../../runtimes/wire/server/stream.ts'
import { mutate, type Random, seeded } from '../../../support/mutate.ts'
import { progress, trials } from '../../../support/soak.ts'
import { frame, get, headerBlock, number, setting, settings, types } from './raw-client.ts'

const cases = trials(15_000, 1_000_000)

/** A socket without a network that records what is written. */
class Wire extends EventEmitter {
  writable = true
  destroyed = false
  readonly sent: Buffer[] = []

  write(bytes: Buffer, taken: () => void): void {
    this.sent.push(bytes)
    setImmediate(taken)
  }

  end(): void {
    this.writable = false
  }

  pause(): void {}

  resume(): void {}

  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.writable = false
    this.emit('close')
  }
}

const words = ['\0\0\0', '\xff\xff\xff\xff', '\x82\x84\x86', '\x7f\xa1\x1e', '\xbe', frame(types.headers, 5, 1).toString('latin1')]
const random31 = (random: Random) => random.pick([0, 1, 2, 100, 16_384, 65_535, 2 ** 31 - 1, random.below(2 ** 31)])
const noise = (random: Random) => Buffer.from(Array.from({ length: random.below(40) }, () => random.below(256)))

/** One frame, well formed but for its values. */
function saying(random: Random): Buffer {
  const id = random.pick([0, 1, 1, 3, 5, 7, 9, 2, 2 * random.below(50) + 1])
  const block = random.pick([
    headerBlock('GET', '/'),
    headerBlock('POST', '/', ['content-length', String(random.below(30))]),
    Buffer.concat([headerBlock('GET', '/'), Buffer.from('400161026263', 'hex'), Buffer.of(0xbe)]),
    noise(random),
  ])
  return random.pick([
    () => get(id),
    () => Buffer.concat([get(1), get(3), get(5)]),
    () => frame(types.headers, random.below(64), id, block),
    () => frame(types.headers, 4, id, block),
    () => frame(types.data, random.below(16), id, Buffer.alloc(random.below(50), random.below(256))),
    () => frame(types.data, 1, id),
    () => frame(types.settings, 0, 0, Buffer.concat([setting(random.below(10), random31(random)), setting(4, random31(random))])),
    () => frame(types.windowUpdate, 0, id, number(random31(random))),
    () => frame(types.resetStream, 0, id, number(random.below(20))),
    () => frame(types.ping, random.below(2), 0, Buffer.alloc(8)),
    () => frame(types.continuation, random.below(8), id, block),
    () => frame(random.below(12), random.below(256), id, noise(random)),
    () => frame(types.goAway, 0, 0, number(0, 0)),
  ])()
}

const mutated = (bytes: Buffer, random: Random) => Buffer.from(mutate(bytes.toString('latin1'), random, words), 'latin1')

/** Reads the output of a connection as a client would. */
function checkSent(wire: Wire): void {
  const decoder = new Decoder()
  const reader = new FrameReader((type, flags, stream, payload) => {
    if (type !== types.headers) return
    assert.ok((flags & 4) !== 0 && stream > 0)
    assert.equal(decoder.decode(payload).fields[0], ':status')
  })
  for (const bytes of wire.sent) reader.take(bytes)
  assert.equal(reader.partial, false, 'whole frames')
}

test('frames', async (t) => {
  const seed = 5
  t.diagnostic(`${cases} connections, seed ${seed}`)
  const random = seeded(seed)
  const holdings = new Holdings(limits.heldInAll)
  const intake = new Intake()
  const buffers = new Buffers()
  const turns = new OutputScheduler()
  const body = new Uint8Array(1_000)
  let answered = 0
  const say = progress('connections', cases)
  const before = process.memoryUsage().rss
  for (let done = 0; done < cases; ) {
    const wires: Wire[] = []
    for (let batch = 0; batch < 250 && done < cases; batch++, done++) {
      const wire = new Wire()
      wires.push(wire)
      const open = new Set<ServerStream>()
      let now = 0
      const connection = new ServerConnection(wire as unknown as Socket, {
        maxConcurrentStreams: 10,
        holdings,
        intake,
        buffers,
        turns,
        request(stream) {
          open.add(stream)
          assert.ok(open.size <= 20, 'too many handlers')
          const answer = () => {
            if (!open.delete(stream)) return
            stream.handled()
            stream.respond([':status', '200', 'x-n', String(answered++ % 7)], body, random.below(2) === 0)
          }
          stream.user = { data: (bytes) => stream.consumed(bytes.length), end: answer, sent() {}, closed: answer, reading: true }
          if (stream.ended || random.below(3) === 0) answer()
        },
        tooLarge(stream) {
          stream.handled()
          stream.respond([':status', '431'], undefined, true)
        },
        failed: (error) => assert.ok(error instanceof ConnectionError, `a defect of ours: ${error.stack}`),
        now: () => now,
      })
      const frames = Array.from({ length: 1 + random.below(8) }, () => saying(random))
      const said = frames.map((each) => (random.below(8) === 0 ? mutated(each, random) : each))
      const bytes = Buffer.concat([preface, settings, ...said])
      const cut = random.below(bytes.length)
      wire.emit('data', bytes.subarray(0, cut))
      wire.emit('data', bytes.subarray(cut))
      assert.ok(connection.held <= limits.held)
      if (random.below(4) === 0)
        for (let seconds = 0; seconds < 200; seconds += 20) {
          now += 20_000
          connection.sweep()
        }
      if (random.below(4) === 0) connection.drain()
    }
    for (let count = 0; count < 3; count++) await turn()
    for (const wire of wires) {
      checkSent(wire)
      wire.destroy()
    }
    say(done, () => `${answered} requests answered`)
  }
  assert.deepEqual([holdings.total, intake.total], [0, 0], 'closed connections hold nothing')
  assert.ok(answered > cases / 10, `some requests succeed: ${answered}`)
  const grown = (process.memoryUsage().rss - before) / 2 ** 20
  assert.ok(grown < 300, `memory grew by ${Math.round(grown)} MiB`)
})

test('header blocks', (t) => {
  const seed = 6
  t.diagnostic(`${4 * cases} blocks, seed ${seed}`)
  const random = seeded(seed)
  let decoder = new Decoder({ fields: 100, bytes: 10_000 })
  let whole = 0
  const say = progress('header blocks', 4 * cases)
  for (let done = 0; done < 4 * cases; done++) {
    const block = random.pick([
      () => headerBlock('GET', '/', ['x-long', 'v'.repeat(random.below(300))]),
      () => Buffer.concat([noise(random), headerBlock('GET', '/')]),
      () => Buffer.concat([Buffer.from('400161026263', 'hex'), Buffer.alloc(random.below(300), 0xbe)]),
      () => noise(random),
    ])()
    try {
      const { fields, tooLarge } = decoder.decode(random.below(2) === 0 ? block : mutated(block, random))
      assert.ok(fields.length <= 200 && fields.join('').length <= 10_000 && (!tooLarge || fields.length === 0))
      whole++
    } catch (error) {
      assert.ok(error instanceof ConnectionError && error.code === errorCodes.compressionError, String(error))
      decoder = new Decoder({ fields: 100, bytes: 10_000 })
    }
    say(done + 1, () => `${whole} whole`)
  }
  assert.ok(whole > cases / 4, `some blocks are valid: ${whole}`)
})
