/** Bounds of values, as functions that return why a value is not allowed. */

/** Bounds, both inclusive. */
export interface Range {
  readonly min?: number
  readonly max?: number
}

/** Why a number is out of range, or undefined. */
export function rangeProblem(
  value: number,
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Range,
  show: (value: number) => string = String,
): string | undefined {
  if (value >= min && value <= max) return undefined
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? 'must not be negative' : `must be at least ${show(min)}`
  return `must be between ${show(min)} and ${show(max)}`
}

/** Why a word is not allowed, or undefined. */
export function choiceProblem(text: string, allowed: readonly string[]): string | undefined {
  return allowed.includes(text) ? undefined : `must be one of ${allowed.join(', ')}`
}

/** Error of a store server's address, which may be a Unix socket such as `unix:///run/etcd.sock`; undefined: valid. */
export const serverProblem = (text: string) =>
  /^(?:https?:\/\/[^\s/]|unixs?:\/\/\S)/.test(text) ? undefined : 'must be scheme://host:port'
