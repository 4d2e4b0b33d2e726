/** Bounds the time for compiling the patterns of a schema, which grows with their length and largest repetition. */
import { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { everyNode, type SchemaNode } from './schema-nodes.ts'

/**
 * Maximum sum of characters times repetitions of all distinct patterns: half a second of compiling. The maximum of 386 published versions is 8,020.
 */
const maxWork = 1_000_000

function workOf(pattern: string): number {
  let repeats = 1
  for (const [, min = '', max = ''] of pattern.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g))
    repeats = Math.max(repeats, Number(min), Number(max))
  return pattern.length * repeats
}

/** Why the patterns of a schema may not be compiled; undefined: they may. */
export function patternErrors(schema: SchemaNode, path: FieldPath): FieldErrors | undefined {
  const patterns = new Set<string>()
  for (const { pattern } of everyNode(schema)) if (pattern) patterns.add(pattern)
  let work = 0
  for (const pattern of patterns) work += workOf(pattern)
  if (work <= maxWork) return undefined
  const errors = new FieldErrors()
  errors.forbidden(
    path,
    'patterns of the schema are too long, or repeat too much, to be compiled: shorten them, or lower their repetitions',
  )
  return errors
}
