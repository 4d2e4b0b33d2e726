import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FrameReader, frame, opcodes, WebSocketError } from '../../../../core/outgoing/websocket/frames.ts'
import { randomNumbers } from '../../../support/random.ts'

/** A frame of a client. */
function masked(
  opcode: number,
  payload: Uint8Array,
  { fin = true, long = payload.length }: { fin?: boolean; long?: number } = {},
): Uint8Array {
  const size =
    long < 126
      ? [long]
      : long < 65_536
        ? [126, long >> 8, long & 255]
        : [127, 0, 0, 0, 0, long >>> 24, (long >> 16) & 255, (long >> 8) & 255, long & 255]
  const mask = [11, 22, 33, 44]
  const [first = 0, ...rest] = size
  return Uint8Array.from([
    (fin ? 0x80 : 0) | opcode,
    0x80 | first,
    ...rest,
    ...mask,
    ...payload.map((byte, i) => byte ^ (mask[i & 3] as number)),
  ])
}

interface Message {
  readonly opcode: number
  readonly bytes: readonly number[]
}

/** The messages in bytes that arrive in pieces of these sizes. */
function read(bytes: Uint8Array, size: () => number): Message[] {
  const reader = new FrameReader()
  const messages: Message[] = []
  const held = new Map<number, number[]>()
  for (let at = 0; at < bytes.length; ) {
    const next = Math.max(1, size())
    for (const piece of reader.push(bytes.slice(at, at + next))) {
      const all = held.get(piece.opcode) ?? []
      all.push(...piece.bytes)
      held.set(piece.opcode, all)
      if (!piece.last) continue
      messages.push({ opcode: piece.opcode, bytes: all })
      held.delete(piece.opcode)
    }
    at += next
  }
  return messages
}

const bytesOf = (size: number) => Uint8Array.from({ length: size }, (_, i) => (i * 7) & 255)
const joined = (parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]))

test('messages arrive whole, whatever their size and that of the pieces in which they come', () => {
  const { integer } = randomNumbers(1)
  const sizes = [0, 1, 3, 125, 126, 127, 4096, 65_535, 65_536]
  const messages = sizes.map((size) => ({ opcode: opcodes.binary, bytes: [...bytesOf(size)] }))
  const stream = joined(sizes.map((size) => masked(opcodes.binary, bytesOf(size))))
  for (const most of [1, 2, 7, 100, 65_000, stream.length]) {
    assert.deepEqual(
      read(stream, () => 1 + integer(most)),
      messages,
    )
  }
})

test('control frames come between the fragments of a message', () => {
  const stream = joined([
    masked(opcodes.text, bytesOf(5), { fin: false }),
    masked(opcodes.ping, bytesOf(3)),
    masked(opcodes.continuation, bytesOf(0), { fin: false }),
    masked(opcodes.continuation, bytesOf(2)),
    masked(opcodes.close, new Uint8Array(0)),
  ])
  assert.deepEqual(
    read(stream, () => 1),
    [
      { opcode: opcodes.ping, bytes: [...bytesOf(3)] },
      { opcode: opcodes.text, bytes: [...bytesOf(5), ...bytesOf(2)] },
      { opcode: opcodes.close, bytes: [] },
    ],
  )
})

test('what violates the protocol is refused', () => {
  const violations: readonly (readonly [what: string, bytes: Uint8Array])[] = [
    ['no mask', Uint8Array.of(0x82, 0x01, 0x00)],
    ['reserved bits', Uint8Array.of(0xc2, 0x80)],
    ['an unknown opcode', Uint8Array.of(0x83, 0x80)],
    ['a fragmented control frame', Uint8Array.of(0x09, 0x80)],
    ['a long control frame', Uint8Array.of(0x89, 0xfe)],
    ['a continuation of nothing', masked(opcodes.continuation, bytesOf(1))],
    ['a message in a message', joined([masked(opcodes.binary, bytesOf(1), { fin: false }), masked(opcodes.binary, bytesOf(1))])],
    ['a length that no number has', Uint8Array.of(0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4)],
  ]
  for (const [what, bytes] of violations) assert.throws(() => read(bytes, () => 1), WebSocketError, what)
})

test('frames of the server have the shortest length and no mask', () => {
  const heads: readonly (readonly [size: number, head: readonly number[]])[] = [
    [0, [0x82, 0]],
    [125, [0x82, 125]],
    [126, [0x82, 126, 0, 126]],
    [65_535, [0x82, 126, 255, 255]],
    [65_536, [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
  ]
  for (const [size, head] of heads) {
    const bytes = frame(opcodes.binary, bytesOf(size).subarray(0, 1), bytesOf(size).subarray(1))
    assert.deepEqual([...bytes.subarray(0, head.length)], head)
    assert.deepEqual([...bytes.subarray(head.length)], [...bytesOf(size)])
  }
})
