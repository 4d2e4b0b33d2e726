import type { JsonObject } from './model.ts'

const none: readonly string[] = []

/** Positions of the given fields, ascending, and the keys that are not fields. */
export function positionsOf(
  positions: ReadonlyMap<string, number>,
  value: JsonObject,
): { readonly given: readonly number[]; readonly rest: readonly string[] } {
  const given: number[] = []
  let rest = none as string[]
  for (const key of Object.keys(value)) {
    const position = positions.get(key)
    if (position === undefined) {
      if (rest === none) rest = []
      rest.push(key)
      continue
    }
    let at = given.length
    while (at > 0 && (given[at - 1] as number) > position) {
      given[at] = given[at - 1] as number
      at--
    }
    given[at] = position
  }
  return { given, rest }
}
