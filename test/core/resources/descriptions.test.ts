/** Descriptions of fields and messages, as `kubectl explain` shows them: the field's, then that of its message. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import type { Message, Schema } from '../../../core/schema/model.ts'

/** The message that a schema contains, directly or as list items or map values. */
function messageIn(schema: Schema): Message | undefined {
  if (schema.type === 'list') return messageIn(schema.items)
  if (schema.type === 'map') return messageIn(schema.values)
  return schema.type === 'message' ? schema : undefined
}

/** A description without articles, possessives and punctuation. */
const plainWords = (text: string) =>
  text
    .toLowerCase()
    .replace(/\b(the|an?|its|this|s)\b/g, ' ')
    .replace(/[^a-z]+/g, ' ')
    .trim()

test('no field repeats the description of its message', () => {
  const repeated = new Set<string>()
  const seen = new Set<Message>()
  const visit = (message: Message) => {
    if (seen.has(message)) return
    seen.add(message)
    for (const [name, field] of message.json) {
      const inner = messageIn(field.schema)
      if (inner === undefined) continue
      if (inner.doc !== '' && plainWords(inner.doc) === plainWords(field.doc)) repeated.add(`${message.name}.${name}: ${field.doc}`)
      visit(inner)
    }
  }
  for (const { schema } of builtInResources) visit(schema)
  assert.ok(seen.size > 500)
  assert.deepEqual([...repeated], [])
})
