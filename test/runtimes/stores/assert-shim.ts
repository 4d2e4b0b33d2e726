/** In place of node:assert/strict where that is missing: as much of it as the store suite uses. */

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  const [keys, others] = [Object.keys(a), Object.keys(b)]
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  return keys.length === others.length && keys.every((key) => Object.hasOwn(b, key) && isSame(left[key], right[key]))
}

const printed = (value: unknown) => JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? `${each}n` : (each as unknown)))

function assert(value: unknown, message = 'not true'): asserts value {
  if (!value) throw new Error(message)
}

/** A class of errors, or a function. */
type ErrorTest = ((error: unknown) => boolean) | (abstract new (...values: never[]) => Error)

export default Object.assign(assert, {
  equal(actual: unknown, expected: unknown, message = ''): void {
    assert(Object.is(actual, expected), `${message} ${printed(actual)} is not ${printed(expected)}`)
  },
  deepEqual(actual: unknown, expected: unknown, message = ''): void {
    assert(isSame(actual, expected), `${message} ${printed(actual)} is not ${printed(expected)}`)
  },
  async rejects(promise: Promise<unknown> | (() => Promise<unknown>), is?: ErrorTest): Promise<void> {
    const rejected = await (typeof promise === 'function' ? promise() : promise).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    assert(rejected !== undefined, 'it has not rejected')
    const isExpected =
      is === undefined ||
      (is.prototype instanceof Error ? rejected.error instanceof is : (is as (error: unknown) => boolean)(rejected.error))
    assert(isExpected, String(rejected.error))
  },
})
