/**
 * Types of options, as functions that return what is wrong with a value. Those with the bounds of flags are in flag-option.ts,
 * which imports all flags, and with them most of the core.
 */
import type { Platform } from '../platform.ts'
import { DecodeError } from '../schema/decode-error.ts'
import { choiceProblem } from './bounds.ts'
import { closest } from './closest.ts'

/** What is wrong with a value. `at` is the place below the value, such as `.user.name` or `[0]`; empty: the value itself. */
export interface OptionProblem {
  readonly at: string
  readonly message: string
}

/** Returns what is wrong with a value that is not undefined. Messages never contain secrets. */
export type OptionType = (value: unknown, platform: Platform) => readonly OptionProblem[]

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
  (noun: string, test: (value: unknown) => boolean): OptionType =>
  (value) =>
    test(value) ? [] : problem(`must be ${noun}, not ${kindOf(value)}`)

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const bool = simple('true or false', (value) => typeof value === 'boolean')
export const text = simple('a string', (value) => typeof value === 'string')
export const number = simple('a number', Number.isFinite)
export const callable = simple('a function', (value) => typeof value === 'function')
export const object = simple('an object', isObject)

export const integer: OptionType = (value, platform) =>
  Number.isFinite(value) && !Number.isSafeInteger(value) ? problem(`invalid value ${value}: must be an integer`) : number(value, platform)

/** Values of a type for which `why` returns undefined; otherwise it returns the message. */
export function refined<T>(type: OptionType, why: (value: T, platform: Platform) => string | undefined): OptionType {
  return (value, platform) => {
    const problems = type(value, platform)
    if (problems.length > 0) return problems
    const message = why(value as T, platform)
    return message === undefined ? [] : problem(message)
  }
}

export const filled = refined(text, (value: string) => (value === '' ? 'must not be empty' : undefined))

/** As `refined`, for values that are no secrets: the message contains the value. */
export function limited<T>(type: OptionType, why: (value: T) => string | undefined): OptionType {
  return refined(type, (value: T) => {
    const reason = why(value)
    return reason === undefined ? undefined : `invalid value ${JSON.stringify(value)}: ${reason}`
  })
}

/** Values of a type that a parser accepts, which throws a DecodeError for others. */
export function parsed<T>(type: OptionType, parse: (value: T, platform: Platform) => unknown): OptionType {
  return refined(type, (value: T, platform) => {
    try {
      parse(value, platform)
    } catch (error) {
      if (error instanceof DecodeError) return error.message
      throw error
    }
    return undefined
  })
}

/** One of several words. */
export const oneOf = (words: readonly string[]): OptionType => limited(text, (word: string) => choiceProblem(word, words))

export function list(item: OptionType): OptionType {
  return (value, platform) => {
    if (!Array.isArray(value)) return problem(`must be a list, not ${kindOf(value)}`)
    return value.flatMap((each, index) => below(item(each, platform), `[${index}]`))
  }
}

/** Objects with any names. */
export function record(item: OptionType): OptionType {
  return (value, platform) => {
    if (!isObject(value)) return object(value, platform)
    return Object.entries(value).flatMap(([name, each]) => below(item(each, platform), `.${name}`))
  }
}

/** The named members of an object; further ones are allowed. Objects may be instances of classes. */
export function having(rows: OptionRows, required: readonly string[] = Object.keys(rows)): OptionType {
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
export const methods = (...names: readonly string[]): OptionType => having(Object.fromEntries(names.map((name) => [name, callable])))

function unknownName(name: string, known: readonly string[]): readonly OptionProblem[] {
  const similar = closest(name, known)
  return problem(
    `unknown option; ${similar === undefined ? `the options are ${known.toSorted().join(', ')}` : `did you mean ${similar}?`}`,
    `.${name}`,
  )
}

/** As `having`, without further members. */
export function shape(rows: OptionRows, required: readonly string[] = []): OptionType {
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
