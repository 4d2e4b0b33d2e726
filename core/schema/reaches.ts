import type { Field, Schema } from './model.ts'

/** Whether schemas may be below this one. The results of others, most schemas, are not cached: the test itself takes less. */
const isContainer = ({ type }: Schema) => type === 'list' || type === 'map' || type === 'message'

const elementOf = (schema: Schema): Schema | undefined =>
  schema.type === 'list' ? schema.items : schema.type === 'map' ? schema.values : schema.type === 'message' ? schema.additional : undefined

/** Whether nothing is below this container, or an element that is no container. */
function isFlat(schema: Schema): boolean {
  if (schema.type === 'message') for (const _name in schema.fields) return false
  const element = elementOf(schema)
  return element === undefined || !isContainer(element)
}

/**
 * Returns a function that tells whether the test is true for a schema or any schema or field below it. Supports recursive schemas
 * and caches results by schema.
 */
export function reaching(test: (schema: Schema, field?: Field) => boolean): (schema: Schema) => boolean {
  const known = new WeakMap<Schema, boolean>()

  /** `visited` gets the schemas that are known to be false unless there is a match. */
  function holds(root: Schema, visited: Schema[]): boolean {
    const open: Schema[] = [root]
    /** What is flat takes less to look at than to remember. */
    const matches = (schema: Schema, field?: Field): boolean => {
      if (test(schema, field)) return true
      if (!isContainer(schema)) return false
      if (isFlat(schema)) {
        const element = elementOf(schema)
        return element !== undefined && test(element)
      }
      open.push(schema)
      return false
    }
    if (test(root)) return true
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const answer = known.get(next)
      if (answer) return true
      if (answer === false) continue
      known.set(next, false)
      visited.push(next)
      const element = elementOf(next)
      if (element && matches(element)) return true
      if (next.type !== 'message') continue
      for (const name in next.fields) {
        const field = next.fields[name] as Field
        if (matches(field.schema, field)) return true
      }
    }
    return false
  }

  return (schema) => {
    if (!isContainer(schema)) return test(schema)
    const answer = known.get(schema)
    if (answer !== undefined) return answer
    const visited: Schema[] = []
    const result = holds(schema, visited)
    // With a match, what was visited before it may be above it.
    if (result) for (const each of visited) known.delete(each)
    known.set(schema, result)
    return result
  }
}
