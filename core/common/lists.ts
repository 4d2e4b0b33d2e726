/** Long lists without spread arguments, each of which takes room on the stack. */

/** Adds items to a list. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item)
}

/** The greatest value, and `least` at least. */
export function greatest(values: Iterable<number>, least = Number.NEGATIVE_INFINITY): number {
  let found = least
  for (const value of values) if (value > found) found = value
  return found
}

/** The least value; infinity for none. */
export function least(values: Iterable<number>): number {
  let found = Number.POSITIVE_INFINITY
  for (const value of values) if (value < found) found = value
  return found
}
