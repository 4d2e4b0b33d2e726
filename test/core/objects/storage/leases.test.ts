import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLeases } from '../../../../core/objects/storage/leases.ts'
import type { KeyValueStore } from '../../../../core/ports.ts'
import { memoryStore } from '../../../../runtimes/stores/memory.ts'
import { ManualClock } from '../../../support/clock.ts'

function setUp(reuse: number) {
  const clock = new ManualClock()
  const granted: number[] = []
  let failing = false
  const store: KeyValueStore = {
    ...memoryStore({ clock }),
    grantLease(seconds) {
      if (failing) return Promise.reject(new Error('down'))
      granted.push(seconds)
      return Promise.resolve(BigInt(granted.length))
    },
  }
  return {
    clock,
    granted,
    leases: createLeases(store, clock, reuse),
    fail: (value: boolean) => {
      failing = value
    },
  }
}

test('writes close in time share one lease that outlives them all', async () => {
  const { clock, granted, leases } = setUp(60)
  const first = await leases.grant(3600, undefined)
  clock.advance(59_999)
  assert.equal(await leases.grant(3600, undefined), first)
  clock.advance(1)
  assert.notEqual(await leases.grant(3600, undefined), first)
  assert.deepEqual(granted, [3660, 3660])
})

test('a short lease is shared for a twentieth of its TTL', async () => {
  const { clock, granted, leases } = setUp(60)
  await leases.grant(100, undefined)
  clock.advance(4_999)
  await leases.grant(100, undefined)
  clock.advance(1)
  await leases.grant(100, undefined)
  assert.deepEqual(granted, [105, 105])
})

test('different TTLs share no lease, and a lease holds at most 1,000 objects', async () => {
  const { granted, leases } = setUp(60)
  const of = await Promise.all(Array.from({ length: 1001 }, () => leases.grant(3600, undefined)))
  assert.equal(new Set(of).size, 2)
  await leases.grant(1800, undefined)
  assert.deepEqual(granted, [3660, 3660, 1860])
})

test('a failed grant is not shared', async () => {
  const { granted, leases, fail } = setUp(60)
  fail(true)
  await assert.rejects(leases.grant(3600, undefined))
  fail(false)
  await leases.grant(3600, undefined)
  assert.deepEqual(granted, [3660])
})
