import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CheckedValues, requestHead } from '../../../../runtimes/wire/server/head.ts'

const pseudo = [':method', 'GET', ':scheme', 'https', ':path', '/', ':authority', 'host']
const long = 'x'.repeat(1_000)

test('a long value that was valid before is not validated again', () => {
  const checked: CheckedValues = new Map()
  const read = (name: string, value: string) => requestHead([...pseudo, name, value], checked).fields
  for (const value of [long, long, `${long}y`, long]) assert.deepEqual(read('authorization', value), ['authorization', value])
  for (const wrong of [`${long}\n`, `${long}\0y`, ` ${long}`, `${long}\n`])
    assert.throws(() => read('authorization', wrong), /authorization has (a control character|surrounding space)/)
  assert.deepEqual(read('authorization', long), ['authorization', long])
  assert.throws(() => read('connection', long), /connection is not allowed/)
  assert.throws(() => read('connection', long), /connection is not allowed/)
  assert.throws(() => read('Authorization', long), /is no valid field name/)
})

test('few long values are remembered', () => {
  const checked: CheckedValues = new Map()
  for (let i = 0; i < 100; i++) requestHead([...pseudo, `x-${i}`, long], checked)
  assert(checked.size <= 4)
})
