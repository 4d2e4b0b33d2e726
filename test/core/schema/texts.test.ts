/**
 * Texts of Time, MicroTime, Duration, Quantity and IntOrString as Go's decoders take and refuse them. `texts.tsv` has recorded rows of type, text in
 * JSON, and the canonical value or error of apimachinery 1.36.2 (built with Go 1.26): well-known forms, and random changes of them.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DecodeError } from '../../../core/schema/decode-error.ts'
import type { ScalarType } from '../../../core/schema/model.ts'
import { scalarRules } from '../../../core/schema/scalars.ts'
import { assertCheap } from '../../support/cost.ts'
import { root } from '../../support/root.ts'

const rows = readFileSync(join(root, 'test/core/schema/texts.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t') as [ScalarType, string, string])

function read(type: ScalarType, text: string): string {
  try {
    return JSON.stringify(scalarRules[type].read(text))
  } catch (error) {
    if (error instanceof DecodeError) return `error: ${error.message.replaceAll('\n', ' ')}`
    throw error
  }
}

test('recorded texts are taken and refused with the same values and errors', () => {
  assert(rows.length > 800)
  const wrong = rows.flatMap(([type, text, expected]) => {
    const found = read(type, JSON.parse(text))
    const wanted = expected.startsWith('error: ') ? expected : JSON.stringify(JSON.parse(expected))
    return found === wanted ? [] : [{ type, text, found, wanted }]
  })
  assert.deepEqual(wrong, [])
})

test('long texts take time in proportion to their length', async () => {
  const digits = '9'.repeat(1_000_000)
  await assertCheap('reading them', 5_000, () => {
    for (const text of [`${digits}h`, `0.${digits}h`, '1h'.repeat(300_000)]) read('duration', text)
    for (const type of ['time', 'microTime'] as const)
      for (const text of [`2024-01-01T00:00:00.${digits}Z`, `2024-01-01T00:00:00Z${digits}`]) read(type, text)
  })
})
