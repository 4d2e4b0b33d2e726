/** Two fields of one message set together: unions, and fields that exclude or need each other. */
import type { JsonObject, Message } from '../../../core/schema/model.ts'
import { nodesOf, TriedFields } from './nodes.ts'
import { plausible } from './plausible.ts'

/** Each pair of optional fields of each message, once for all kinds. `paired`: messages of earlier kinds; grows. */
export function* pairsOf(message: Message, base: JsonObject, paired: Set<string>): Generator<{ at: string; object: JsonObject }> {
  for (const node of nodesOf(message, base, new TriedFields())) {
    const { schema } = node
    if (schema.type !== 'message' || paired.has(schema.name) || schema.name === 'ObjectMeta') continue
    paired.add(schema.name)
    const fields = [...schema.json].filter(([name]) => node.path !== '' || name === 'spec' || !['metadata', 'status'].includes(name))
    const least = node.path === '' ? base : (plausible(schema) as JsonObject)
    for (const [index, [one, first]] of fields.entries())
      for (const [other, second] of fields.slice(index + 1)) {
        const value = {
          ...least,
          [one]: least[one] ?? plausible(first.schema, one),
          [other]: least[other] ?? plausible(second.schema, other),
        }
        yield { at: `${node.path}: ${one} and ${other}`, object: node.put(value) }
      }
  }
}
