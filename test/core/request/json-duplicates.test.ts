import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeDuplicates } from '../../../core/request/json-duplicates.ts'
import { Pod } from '../../../core/resources/core/pod.ts'
import type { Schema } from '../../../core/schema/model.ts'
import fc from '../../support/fast-check.ts'

const merge = (text: string) => JSON.parse(mergeDuplicates(text, Pod as Schema)) as unknown

test('duplicate members are merged as Go decodes them', () => {
  const rows: readonly (readonly [text: string, expected: unknown])[] = [
    [
      '{"metadata":{"name":"a","labels":{"a":"1"}},"metadata":{"labels":{"b":"2","a":"3"}}}',
      { metadata: { name: 'a', labels: { a: '3', b: '2' } } },
    ],
    ['{"metadata":{"labels":{"a":"1","a":"2"}},"kind":"x", "kind" : "y"}', { metadata: { labels: { a: '2' } }, kind: 'y' }],
    [
      '{"spec":{"containers":[{"name":"a","image":"b"},{"name":"c"}]},"spec":{"containers":[{"image":"d"}]}}',
      { spec: { containers: [{ name: 'a', image: 'd' }] } },
    ],
    ['{"metadata":{"finalizers":["a","b"]},"metadata":{"finalizers":["c"]}}', { metadata: { finalizers: ['c'] } }],
    ['{"metadata":{"labels":{"a":"1"}},"metadata":{"labels":null}}', { metadata: { labels: null } }],
    ['{"unknown":{"a":1},"unknown":{"b":2}}', { unknown: { b: 2 } }],
    [' { "metadata" : { } , "metadata" : [ ] } ', { metadata: [] }],
    ['{"metadata":{"name":"\\"}{\\\\"},"metadata":{"generation":99999999999999999999}}', { metadata: { name: '"}{\\', generation: 1e20 } }],
  ]
  for (const [text, expected] of rows) assert.deepEqual(merge(text), expected, text)
})

test('a text without duplicate members keeps its value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify({ metadata: value, spec: value }, null, 1)
      assert.deepEqual(merge(text), JSON.parse(text))
    }),
  )
})
