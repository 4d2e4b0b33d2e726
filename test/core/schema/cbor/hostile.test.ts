/** CBOR of clients that attack: bodies full of each initial byte, and recorded items that are damaged. Each is read or refused, in time. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { decodeCbor } from '../../../../core/schema/cbor/decode.ts'
import { slowness } from '../../../support/cost.ts'
import { randomNumbers } from '../../../support/random.ts'
import { root } from '../../../support/root.ts'
import { trials } from '../../../support/soak.ts'

/** Reads or refuses; other errors are defects. */
function attempt(bytes: Uint8Array): void {
  try {
    decodeCbor(bytes)
  } catch (error) {
    assert.equal((error as Error).name, 'DecodeError', `${Buffer.from(bytes).toString('hex').slice(0, 200)}: ${(error as Error).stack}`)
  }
}

function processorTime(bytes: Uint8Array): number {
  const before = process.cpuUsage()
  attempt(bytes)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const size = trials(128, 1024) * 1024
/** Milliseconds of an idle machine: 250 for each MiB, and what small work may take. */
const limit = 20 + (250 * size) / 2 ** 20

/** Around the bytes: nothing, an array or map without an end, a member before them, and texts that are no UTF-8 before and behind them. */
const arounds: { readonly [what: string]: readonly [before: string, behind: string] } = {
  'at the root': ['', ''],
  'in an array': ['9f', 'ff'],
  'in a map': ['bf', 'ff'],
  'behind many texts that are no UTF-8': [`9f${'61ff'.repeat(1_000)}`, 'ff'],
  'before many texts that are no UTF-8': ['9f', `${'61ff'.repeat(1_000)}ff`],
  'as a member behind one that is no UTF-8': ['bf616161ff61629f', 'ffff'],
}

for (const [what, [before, behind]] of Object.entries(arounds))
  test(`${size / 1024} KiB of each initial byte ${what}`, async (t) => {
    let longest = 0
    for (let byte = 0; byte < 256; byte++) {
      const body = Buffer.concat([Buffer.from(before, 'hex'), Buffer.alloc(size, byte), Buffer.from(behind, 'hex')])
      let least = Number.POSITIVE_INFINITY
      for (let look = 0; look < 4 && least >= limit; look++)
        least = Math.min(least, processorTime(body) / (look === 0 ? 1 : await slowness()))
      longest = Math.max(longest, least)
      assert.ok(least < limit, `0x${byte.toString(16)}: ${Math.round(least)} ms`)
    }
    t.diagnostic(`${Math.round(longest)} ms at most`)
  })

test('recorded items that are cut, joined, repeated and changed', () => {
  const rows = readFileSync(join(root, 'test/core/schema/cbor/cbor.tsv'), 'utf8').split('\n')
  const items = rows.map((row) => /^[0-9a-f]{2,}$/.exec(row.split('\t').find((cell) => /^[0-9a-f]{2,}$/.test(cell)) ?? '')?.[0] ?? '')
  const samples = items.filter((hex) => hex !== '' && hex.length % 2 === 0).map((hex) => Buffer.from(hex, 'hex'))
  assert.ok(samples.length > 100, `${samples.length} items`)
  const random = randomNumbers(0xcb04)
  const damage: readonly ((bytes: Buffer) => Buffer)[] = [
    (bytes) => bytes.subarray(0, random.integer(bytes.length + 1)),
    (bytes) => Buffer.concat([bytes, random.pick(samples)]),
    (bytes) => Buffer.concat(Array.from({ length: 1 + random.integer(50) }, () => bytes)),
    (bytes) => Buffer.concat([Buffer.from([random.integer(256)]), bytes]),
    (bytes) => {
      const changed = Buffer.from(bytes)
      changed[random.integer(changed.length)] = random.integer(256)
      return changed
    },
    (bytes) => Buffer.concat([Buffer.from('9f61ff', 'hex'), bytes, Buffer.from('ff', 'hex')]),
  ]
  for (let trial = 0; trial < trials(5_000, 1_000_000); trial++) {
    let bytes: Buffer = random.pick(samples)
    for (let step = 1 + random.integer(4); step > 0 && bytes.length > 0 && bytes.length < 65_536; step--) bytes = random.pick(damage)(bytes)
    attempt(bytes)
  }
})
