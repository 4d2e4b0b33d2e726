import type { Field, Schema } from './model.ts'

/** Whether schemas may be below this one. The results of others, most schemas, are not cached: the test itself takes less. */
const isContainer = ({ type }: Schema) => type === 'list' || type === 'map' || type === 'message'

/**
 * Returns a function that tells whether the test is true for a schema or any schema or field below it. Supports recursive schemas
 * and caches results by schema.
 */
export function reaching(test: (schema: Schema, field?: Field) => boolean): (schema: Schema) => boolean {
  const known = new WeakMap<Schema, boolean>()
  const holds = (root: Schema, seen: Set<Schema>): boolean => {
    const open: Schema[] = [root]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next) || known.get(next) === false) continue
      seen.add(next)
      if (known.get(next) || test(next)) return true
      if (next.type === 'list') open.push(next.items)
      else if (next.type === 'map') open.push(next.values)
      else if (next.type === 'message') {
        if (next.additional) open.push(next.additional)
        for (const field of Object.values(next.fields)) {
          const { schema } = field
          if (test(schema, field)) return true
          if (isContainer(schema)) open.push(schema)
        }
      }
    }
    return false
  }
  return (schema) => {
    if (!isContainer(schema)) return test(schema)
    const answer = known.get(schema)
    if (answer !== undefined) return answer
    const seen = new Set<Schema>()
    const result = holds(schema, seen)
    // Without a match, everything below was visited: no part matches.
    if (!result) for (const each of seen) known.set(each, false)
    known.set(schema, result)
    return result
  }
}
