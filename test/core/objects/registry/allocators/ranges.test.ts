import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressRange } from '../../../../../core/objects/registry/allocators/address-range.ts'
import { PortSet } from '../../../../../core/objects/registry/allocators/port-set.ts'
import { printPorts, readPorts } from '../../../../../core/objects/registry/allocators/range-allocation.ts'
import { RangeAllocation } from '../../../../../core/resources/core/rangeallocation.ts'
import type { Json, Message } from '../../../../../core/schema/model.ts'
import { encodeEnvelope, encodeProtobuf } from '../../../../../core/schema/protobuf/protobuf.ts'
import fc from '../../../../support/fast-check.ts'

function firstOf(text: string, count: number): string[] {
  const range = addressRange(text)
  assert(range, text)
  const first: string[] = []
  for (const address of range.candidates()) {
    if (first.length === count) break
    first.push(address)
  }
  return first
}

test('candidates are all usable addresses once, the lower part last', () => {
  const all = [...(addressRange('10.0.0.0/27')?.candidates() ?? [])]
  const last = (address: string) => Number(address.split('.')[3])
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const ascending = (list: number[]) => list.toSorted((a, b) => a - b)
  assert.deepEqual(ascending(all.slice(0, 14).map(last)), numbers(17, 30))
  assert.deepEqual(ascending(all.slice(14).map(last)), numbers(1, 16))
})

test('large and tiny ranges', () => {
  assert.match(firstOf('fd00:1:2:3::/64', 1)[0] ?? '', /^fd00:1:2:3:/)
  assert.deepEqual(firstOf('10.0.0.4/30', 4).sort(), ['10.0.0.5', '10.0.0.6'])
  assert.deepEqual(firstOf('10.0.0.4/32', 4), [])
  assert.equal(addressRange('10.0.0.77/24')?.text, '10.0.0.0/24')
  assert.equal(addressRange('nonsense'), undefined)
})

test('stored ports are read back', () => {
  const range = { from: 30_000, to: 32_767 }
  const ports = fc.uniqueArray(fc.integer({ min: range.from, max: range.to }))
  fc.assert(
    fc.property(ports, (taken) => {
      assert.deepEqual(
        [...readPorts(printPorts(new PortSet(range, taken)), range).taken],
        taken.toSorted((a, b) => a - b),
      )
    }),
  )
})

test('the first port is the lowest bit, as in kube-apiserver, also in protobuf', () => {
  const range = { from: 30_000, to: 32_767 }
  const stored = JSON.parse(new TextDecoder().decode(printPorts(new PortSet(range, [30_000, 30_009])))) as { range: string; data: string }
  assert.deepEqual([stored.range, stored.data], ['30000-32767', 'AgE='])
  const object = { metadata: {}, range: '30000-32767', data: 'AgE=' } as unknown as Json
  const raw = encodeProtobuf(RangeAllocation as Message, object as never)
  assert.deepEqual([...readPorts(encodeEnvelope('v1', 'RangeAllocation', raw), range).taken], [30_000, 30_009])
})

test('a changed range keeps the ports that it still contains', () => {
  const stored = printPorts(new PortSet({ from: 30_000, to: 32_767 }, [30_000, 31_000, 32_000]))
  assert.deepEqual([...readPorts(stored, { from: 30_500, to: 31_500 }).taken], [31_000])
})
