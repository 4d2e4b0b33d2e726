/** Arrays and maps in CBOR with an error in each item: the first one is the answer, and the others are not looked for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeCbor } from '../../../../core/schema/cbor/decode.ts'

const items = 64 * 1024
const [array, map] = ['9f', 'bf']
const holding = (head: string, item: string) => Buffer.from(`${head}${item.repeat(items)}ff`, 'hex')

for (const [what, head, item, message] of [
  ['texts that are no UTF-8', array, '61ff', 'cbor: invalid UTF-8 string'],
  ['times that are none', array, 'c060', /^cbor: cannot set .* for time\.Time/],
  ['integers beyond 64 bits', array, '3bffffffffffffffff', /overflows Go's int64/],
  ['arrays with texts that are no UTF-8', array, '8161ff', 'cbor: invalid UTF-8 string'],
  ['members that are no UTF-8', map, '616161ff', 'cbor: invalid UTF-8 string'],
  ['keys that are none', map, '0000', /^cbor: cannot unmarshal positive integer/],
  ['maps with members that are no UTF-8', map, '6161a1616161ff', 'cbor: invalid UTF-8 string'],
] as const)
  test(`${items} ${what} take a quarter of a second of processor time at most`, (t) => {
    const before = process.cpuUsage()
    assert.throws(() => decodeCbor(holding(head, item)), { name: 'DecodeError', message })
    const { user, system } = process.cpuUsage(before)
    t.diagnostic(`${Math.round((user + system) / 1000)} ms`)
    assert.ok(user + system < 250_000, `${(user + system) / 1000} ms`)
  })
