import type { JsonObject } from './model.ts'

const none: readonly string[] = []

/**
 * Pushes the positions of the given fields onto a stack, ascending, and returns the keys that are not fields. Walkers of values within
 * each other share the stack; each takes off what was pushed for it.
 */
export function pushPositions(positions: ReadonlyMap<string, number>, value: JsonObject, stack: number[]): readonly string[] {
  const start = stack.length
  let rest = none as string[]
  for (const key in value) {
    const position = positions.get(key)
    if (position === undefined) {
      if (rest === none) rest = []
      rest.push(key)
      continue
    }
    let at = stack.length
    while (at > start && (stack[at - 1] as number) > position) {
      stack[at] = stack[at - 1] as number
      at--
    }
    stack[at] = position
  }
  return rest
}
