/** Arrays in CBOR with an error in each item: the first one is the answer, and the others are not looked for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeCbor } from '../../../../core/schema/cbor/decode.ts'

const items = 64 * 1024
const arrayOf = (item: string, count = items) => Buffer.from(`9f${item.repeat(count)}ff`, 'hex')

for (const [what, item, message] of [
  ['texts that are no UTF-8', '61ff', 'cbor: invalid UTF-8 string'],
  ['times that are none', 'c060', /^cbor: cannot set .* for time\.Time/],
  ['integers beyond 64 bits', '3bffffffffffffffff', /overflows Go's int64/],
  ['arrays with texts that are no UTF-8', '8161ff', 'cbor: invalid UTF-8 string'],
] as const)
  test(`${items} ${what} take a quarter of a second of processor time at most`, (t) => {
    const before = process.cpuUsage()
    assert.throws(() => decodeCbor(arrayOf(item)), { name: 'DecodeError', message })
    const { user, system } = process.cpuUsage(before)
    t.diagnostic(`${Math.round((user + system) / 1000)} ms`)
    assert.ok(user + system < 250_000, `${(user + system) / 1000} ms`)
  })
