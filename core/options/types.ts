/** Types of options, as functions that return what is wrong with a value. */

import { choiceProblem, type Range, rangeProblem } from '../config/bounds.ts'
import { closest } from '../config/closest.ts'
import { formatDuration } from '../config/duration.ts'
import type { Platform } from '../platform.ts'
import { isObject } from '../schema/json/is-object.ts'

/** What is wrong with a value. `at` is the place below the value, such as `.user.name` or `[0]`; empty: the value itself. */
export interface OptionProblem {
  readonly at: string
  readonly message: string
}

/**
 * Returns what is wrong with a value that is not undefined. Messages never contain secrets. `OptionType<never>` does not say what it
 * accepts; the row that uses it does.
 */
export interface OptionType<out T = unknown> {
  (value: unknown, platform: Platform): readonly OptionProblem[]
  /** Never set: carries the type of the values. */
  readonly values?: T
  /** Unit of numbers. */
  readonly unit?: 'milliseconds' | 'seconds'
  /** Why a value is out of bounds, or undefined. */
  bounds?(value: T): string | undefined
  /** As `bounds`, for lists, by their items alone. */
  itemBounds?(items: T): string | undefined
}

/** The type of each option. */
export interface OptionRows {
  readonly [name: string]: OptionType
}

const problem = (message: string, at = ''): readonly OptionProblem[] => [{ at, message }]

const below = (problems: readonly OptionProblem[], place: string) => problems.map(({ at, message }) => ({ at: place + at, message }))

/** The kind of a value, without the value, which may be a secret. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return Number.isFinite(value) ? 'a number' : String(value)
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Values that a test accepts, described by a noun. */
export const simple =
  <T = never>(noun: string, test: (value: unknown) => boolean): OptionType<T> =>
  (value) =>
    test(value) ? [] : problem(`must be ${noun}, not ${kindOf(value)}`)

export const bool = simple<boolean>('true or false', (value) => typeof value === 'boolean')
export const text = simple<string>('a string', (value) => typeof value === 'string')
export const number = simple<number>('a number', Number.isFinite)
export const callable = simple('a function', (value) => typeof value === 'function')
export const object = simple('an object', isObject)

export const integer: OptionType<number> = (value, platform) =>
  Number.isFinite(value) && !Number.isSafeInteger(value) ? problem(`invalid value ${value}: must be an integer`) : number(value, platform)

/** Values of a type for which `why` returns undefined; otherwise it returns the message. */
export function refined<T>(type: OptionType<T>, why: (value: T, platform: Platform) => string | undefined): OptionType<T> {
  return (value, platform) => {
    const problems = type(value, platform)
    if (problems.length > 0) return problems
    const message = why(value as T, platform)
    return message === undefined ? [] : problem(message)
  }
}

export const filled = refined(text, (value) => (value === '' ? 'must not be empty' : undefined))

/** As `refined`, for values that are no secrets: the message contains the value. */
export function limited<T>(type: OptionType<T>, bounds: (value: T) => string | undefined): OptionType<T> {
  const limitedType = refined(type, (value: T) => {
    const reason = bounds(value)
    return reason === undefined ? undefined : `invalid value ${JSON.stringify(value)}: ${reason}`
  })
  return Object.assign(limitedType, { bounds, ...(type.itemBounds && { itemBounds: type.itemBounds }) })
}

/** Integers within bounds, both inclusive. */
export const within = (range: Range): OptionType<number> => limited(integer, (value) => rangeProblem(value, range))

/** A length of time, without negative ones unless `min` is negative. */
export const milliseconds = (range: Range = {}): OptionType<number> => lengthOfTime('milliseconds', 1, range)

/** As `milliseconds`, in seconds; `range` too is in milliseconds. */
export const seconds = (range: Range = {}): OptionType<number> => lengthOfTime('seconds', 1000, range)

function lengthOfTime(unit: 'milliseconds' | 'seconds', scale: number, range: Range): OptionType<number> {
  const bounds = (value: number) => rangeProblem(value * scale, { min: 0, ...range }, formatDuration)
  return Object.assign(limited(number, bounds), { unit })
}

/** Why items are out of bounds, or undefined. */
function itemsProblem(items: readonly string[], problemOf: (item: string) => string | undefined): string | undefined {
  for (const item of items) {
    const reason = problemOf(item)
    if (reason !== undefined) return items.length === 1 ? reason : `${item}: ${reason}`
  }
  return undefined
}

/** Lists of texts for which `problem` returns undefined; otherwise it returns why an item is not allowed. */
export function items(problem: (item: string) => string | undefined): OptionType<readonly string[]> {
  const itemBounds = (all: readonly string[]) => itemsProblem(all, problem)
  return Object.assign(limited(list(text), itemBounds), { itemBounds })
}

/** Lists of some of these words. */
export function words<const W extends string>(allowed: readonly W[]): OptionType<readonly W[]> {
  const itemBounds = (all: readonly string[]) => all.map((word) => choiceProblem(word, allowed)).find((problem) => problem !== undefined)
  return Object.assign(limited(list(text), itemBounds), { itemBounds }) as OptionType<readonly string[]> as OptionType<readonly W[]>
}

/** One of several words. */
export const oneOf = <const W extends string>(words: readonly W[]): OptionType<W> =>
  limited(text, (word) => choiceProblem(word, words)) as OptionType<W>

export function list<T>(item: OptionType<T>): OptionType<readonly T[]> {
  return (value, platform) => {
    if (!Array.isArray(value)) return problem(`must be a list, not ${kindOf(value)}`)
    return value.flatMap((each, index) => below(item(each, platform), `[${index}]`))
  }
}

/** Objects with any names. */
export function record<T>(item: OptionType<T>): OptionType<{ readonly [name: string]: T }> {
  return (value, platform) => {
    if (!isObject(value)) return object(value, platform)
    return Object.entries(value).flatMap(([name, each]) => below(item(each, platform), `.${name}`))
  }
}

/** The named members of an object; further ones are allowed. Objects may be instances of classes. */
export function having(rows: OptionRows, required: readonly string[] = Object.keys(rows)): OptionType<never> {
  return (value, platform) => {
    if (!isObject(value)) return object(value, platform)
    return Object.entries(rows).flatMap(([name, type]) => {
      const member = value[name]
      if (member !== undefined) return below(type(member, platform), `.${name}`)
      return required.includes(name) ? problem('required', `.${name}`) : []
    })
  }
}

/** Objects with these methods. */
export const methods = (...names: readonly string[]): OptionType<never> => having(Object.fromEntries(names.map((name) => [name, callable])))

function unknownName(name: string, known: readonly string[]): readonly OptionProblem[] {
  const similar = closest(name, known)
  return problem(
    `unknown option; ${similar === undefined ? `the options are ${known.toSorted().join(', ')}` : `did you mean ${similar}?`}`,
    `.${name}`,
  )
}

/** As `having`, without further members. */
export function shape(rows: OptionRows, required: readonly string[] = []): OptionType<never> {
  const members = having(rows, required)
  const known = Object.keys(rows)
  return (value, platform) => {
    if (!isObject(value)) return object(value, platform)
    const unknown = Object.keys(value).filter((name) => value[name] !== undefined && !Object.hasOwn(rows, name))
    return [...unknown.flatMap((name) => unknownName(name, known)), ...members(value, platform)]
  }
}

/** A type for every member of an interface. */
export type RowsOf<T> = { readonly [K in keyof Required<T>]: OptionType }

export const clockType = having({ now: callable, monotonic: callable, after: callable, pause: callable }, ['now', 'monotonic', 'after'])
export const loggerType = methods('debug', 'info', 'warn', 'error')
export const groupResources: OptionType<readonly { readonly group: string; readonly resource: string }[]> = list(
  shape({ group: text, resource: text }, ['group', 'resource']),
)
