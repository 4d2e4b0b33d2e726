/** Servers that violate the protocol: every call ends in time, with a CallError or a response. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { CallError } from '../../../../core/ports.ts'
import { createChannel } from '../../../../runtimes/wire/client/channel.ts'
import { frameHeader } from '../../../../runtimes/wire/frames.ts'
import { encodedHeaders } from '../../../../runtimes/wire/hpack/write.ts'
import { mutate, type Random, seeded } from '../../../support/mutate.ts'
import { progress, trials } from '../../../support/soak.ts'
import { within } from '../../../support/wait.ts'
import { message } from '../../stores/etcd/grpc-server.ts'
import { hostClock } from '../../stores/helpers.ts'
import { answerOn, frame, head, rawPeer, settings, trailers } from './raw-peer.ts'

const path = '/service/Method'
const types = { data: 0, headers: 1, resetStream: 3, settings: 4, pushPromise: 5, ping: 6, goAway: 7, windowUpdate: 8, continuation: 9 }
const number = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const setting = (id: number, value: number) => Buffer.concat([Buffer.of(0, id), number(value)])
const textOf = (error: unknown) => (error instanceof CallError ? `${error.code} ${error.message}` : `not a CallError: ${error}`)

/** Result of a call to a server that responds like this. */
async function outcomeOf(answer: (socket: Socket) => void, begin = settings): Promise<string> {
  await using peer = await rawPeer((socket) => socket.write(begin))
  const channel = createChannel(peer.url, {}, hostClock)
  try {
    const calling = channel.call(path, Buffer.from('request'), performance.now() + 60_000)
    calling.catch(() => {})
    if (begin === settings) await peer.frame(types.headers)
    const [socket] = peer.sockets
    if (socket) answer(socket)
    return await within('the call', calling.then(String, textOf), 120_000)
  } finally {
    channel.close()
  }
}

test('violations of the protocol by a server', async (t) => {
  const rules: Record<string, [said: Buffer, outcome: string]> = {
    'a frame that is too large': [frameHeader(16_385, 0, 0, 1), 'a frame has 16385 bytes'],
    'data on an idle stream': [frame(types.data, 0, 3), 'stream 3 was never opened'],
    'DATA on stream 0': [frame(types.data, 0, 0), 'stream 0 was never opened'],
    'a stream opened by the server': [frame(types.headers, 4, 2, head), 'stream 2 was never opened'],
    'DATA before HEADERS': [frame(types.data, 0, 1, message('x')), 'DATA before response headers'],
    'more padding than content': [
      Buffer.concat([frame(types.headers, 4, 1, head), frame(types.data, 8, 1, Buffer.of(2, 0))]),
      'a frame has more padding than content',
    ],
    'headers without a status': [frame(types.headers, 4, 1, trailers), 'malformed response headers'],
    'two response headers': [
      Buffer.concat([frame(types.headers, 4, 1, head), frame(types.headers, 4, 1, head)]),
      'malformed response headers',
    ],
    'headers with an index of the dynamic table': [
      frame(types.headers, 4, 1, Buffer.of(0xbe)),
      'a header has index 62, which is not in the table',
    ],
    'a header block interrupted by another frame': [
      Buffer.concat([frame(types.headers, 0, 1, head), frame(types.ping, 0, 0, Buffer.alloc(8))]),
      'a header block is interrupted',
    ],
    'CONTINUATION without HEADERS': [frame(types.continuation, 4, 1, head), 'CONTINUATION without HEADERS'],
    'CONTINUATION on another stream': [
      Buffer.concat([frame(types.headers, 0, 1, head), frame(types.continuation, 4, 3, head)]),
      'CONTINUATION without HEADERS',
    ],
    'an endless header block': [
      Buffer.concat([frame(types.headers, 0, 1), ...Array<Buffer>(7).fill(frame(types.continuation, 0, 1, Buffer.alloc(10_000)))]),
      'headers have more than 65536 bytes',
    ],
    'endless empty CONTINUATION frames': [
      Buffer.concat([frame(types.headers, 0, 1), ...Array<Buffer>(10_000).fill(frame(types.continuation, 0, 1))]),
      'headers have more than 65536 bytes',
    ],
    PUSH_PROMISE: [frame(types.pushPromise, 4, 1, Buffer.concat([number(2), head])), 'PUSH_PROMISE from the server'],
    'SETTINGS that enable push': [frame(types.settings, 0, 0, setting(2, 1)), 'SETTINGS of a server enable push'],
    'SETTINGS on a stream': [frame(types.settings, 0, 1), 'SETTINGS on a stream'],
    'truncated SETTINGS': [frame(types.settings, 0, 0, Buffer.alloc(5)), 'SETTINGS are truncated'],
    'an initial window that is too large': [frame(types.settings, 0, 0, setting(4, 2 ** 31)), "a window can't have 2147483648 bytes"],
    'a maximum frame size that is too small': [frame(types.settings, 0, 0, setting(5, 100)), "a frame can't have 100 bytes"],
    'a connection window update of 0': [frame(types.windowUpdate, 0, 0, number(0)), 'WINDOW_UPDATE of 0'],
    'a stream window update of 0': [frame(types.windowUpdate, 0, 1, number(0)), 'WINDOW_UPDATE of 0'],
    'a connection window overflow': [frame(types.windowUpdate, 0, 0, number(2 ** 31 - 1)), 'flow control window overflow'],
    'a stream window overflow': [frame(types.windowUpdate, 0, 1, number(2 ** 31 - 1)), 'flow control window overflow'],
    'a truncated WINDOW_UPDATE': [frame(types.windowUpdate, 0, 0, Buffer.alloc(3)), 'a frame has 3 bytes instead of 4'],
    'a truncated RST_STREAM': [frame(types.resetStream, 0, 1), 'a frame has 0 bytes instead of 4'],
    'a truncated PING': [frame(types.ping, 0, 0, Buffer.alloc(7)), 'malformed PING'],
    'a truncated GOAWAY': [frame(types.goAway, 0, 0, Buffer.alloc(7)), 'malformed GOAWAY'],
  }
  for (const [what, [said, outcome]] of Object.entries(rules))
    await t.test(what, async () => assert.equal(await outcomeOf((socket) => socket.write(said)), `14 ${outcome}`))
})

test('a server that speaks another protocol', async (t) => {
  const others = {
    'HTTP/1.1': 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n',
    'unknown bytes': Buffer.alloc(100, 7),
    'frames before SETTINGS': frame(types.ping, 0, 0, Buffer.alloc(8)),
    'an acknowledgement before SETTINGS': frame(types.settings, 1, 0),
  }
  for (const [what, said] of Object.entries(others))
    await t.test(what, async () => assert.match(await outcomeOf(() => {}, Buffer.from(said)), /^14 No connection established: /))
})

test('unusual but valid frames', async (t) => {
  const strange: Record<string, Buffer> = {
    'unknown frames': Buffer.concat([frame(42, 0xff, 1, Buffer.alloc(100)), answerOn(1, 'answer')]),
    'unknown settings': Buffer.concat([frame(types.settings, 0, 0, setting(99, 7)), answerOn(1, 'answer')]),
    priorities: Buffer.concat([frame(2, 0, 1, Buffer.alloc(5)), answerOn(1, 'answer')]),
    'an unsolicited PING acknowledgement': Buffer.concat([frame(types.ping, 1, 0, Buffer.alloc(8)), answerOn(1, 'answer')]),
    'frames on a closed stream': Buffer.concat([
      answerOn(1, 'answer'),
      answerOn(1, 'again'),
      frame(types.resetStream, 0, 1, number(0)),
      frame(types.windowUpdate, 0, 1, number(0)),
    ]),
    'empty DATA frames': Buffer.concat([
      frame(types.headers, 4, 1, head),
      frame(types.data, 0, 1),
      frame(types.data, 8, 1, Buffer.of(0)),
      answerOn(1, 'answer').subarray(frame(types.headers, 4, 1, head).length),
    ]),
  }
  for (const [what, said] of Object.entries(strange))
    await t.test(what, async () => assert.equal(await outcomeOf((socket) => socket.write(said)), 'answer'))
})

test('a server that sends pings and never reads', async () => {
  const pings = Buffer.concat(Array<Buffer>(1_000).fill(frame(types.ping, 0, 0, Buffer.alloc(8))))
  const outcome = await outcomeOf((socket) => {
    socket.pause()
    const write = () => {
      if (!socket.destroyed) socket.write(pings, write)
    }
    write()
  })
  assert.match(outcome, /^14 the peer does not read$/)
})

/** Frames of a server, well formed but for random values. */
function saying(random: Random): Buffer {
  const id = random.pick([0, 1, 1, 1, 2, 3])
  const payload = random.pick([
    head,
    trailers,
    message('x'),
    number(random.below(2 ** 31)),
    Buffer.alloc(random.below(40), random.below(256)),
  ])
  return random.pick([
    () => answerOn(1, 'answer'),
    () => frame(types.headers, random.below(64), id, head),
    () => frame(types.data, random.below(16), id, message('x')),
    () => frame(types.settings, 0, 0, setting(1 + random.below(6), random.below(2 ** 31))),
    () => frame(types.windowUpdate, 0, id, number(random.below(2 ** 31))),
    () => frame(random.below(11), random.below(256), id, payload),
    () => frame(types.headers, 5, 1, encodedHeaders([['grpc-status', String(random.below(20))]])),
  ])()
}

function mutated(bytes: Buffer, random: Random): Buffer {
  const words = ['\0\0\0', '\xff\xff\xff\xff', frame(types.headers, 0, 1).toString('latin1'), settings.toString('latin1')]
  return Buffer.from(mutate(bytes.toString('latin1'), random, words), 'latin1')
}

test('random and mutated frames', async (t) => {
  const seed = 20
  const cases = trials(3_000, 200_000)
  t.diagnostic(`${cases} cases, seed ${seed}`)
  const random = seeded(seed)
  let next = 0
  let answered = 0
  const say = progress('frames for the client', cases)
  await using peer = await rawPeer((socket) => {
    const said = Buffer.concat([settings, ...Array.from({ length: 1 + random.below(5) }, () => saying(random))])
    const bytes = random.below(3) === 0 ? said : mutated(said, random)
    const half = random.below(bytes.length)
    socket.write(bytes.subarray(0, half))
    // The rest is sent after the call, with or without closing the connection.
    socket.once('data', () => {
      if (random.below(4) > 0) return socket.end(bytes.subarray(half))
      socket.write(bytes.subarray(half))
      return setTimeout(() => socket.destroy(), 200)
    })
  }, false)
  const before = process.memoryUsage().rss
  async function tryCases(): Promise<void> {
    while (next++ < cases) {
      const channel = createChannel(peer.url, {}, hostClock)
      const outcome = channel.call(path, Buffer.from('request'), performance.now() + 60_000).then(() => 'answered', textOf)
      const text = await within('a call', outcome)
      assert.doesNotMatch(text, /^not a CallError/)
      if (text === 'answered') answered++
      channel.close()
      say(Math.min(next, cases), () => `${answered} answered`)
    }
  }
  await Promise.all(Array.from({ length: 32 }, tryCases))
  assert.equal(peer.connections, cases, 'each case made a connection')
  assert(answered > cases / 100, `some calls succeed: ${answered}`)
  const grown = (process.memoryUsage().rss - before) / 2 ** 20
  assert(grown < 200, `memory grew by ${Math.round(grown)} MiB`)
})
