/** Options as rows: type with bounds, default, description. What sets an option (a flag, the test server, a program) points at its row. */
import type { Platform } from '../platform.ts'
import type { OptionRows, OptionType } from './types.ts'

/** An option of a server. `D` is the type of its default; undefined: it has none. */
export interface Option<T, D = T | undefined> {
  readonly type: OptionType<T>
  /** Sentences with full stops, without type, unit and default. */
  readonly description: string
  /** The default; `platform` has the server's product names. */
  initial(platform: Platform): D
}

/** Options by name. */
export interface OptionTable {
  readonly [name: string]: Option<unknown>
}

interface Described {
  readonly description: string
}

/** A row with a default, with one that is made for each server, or without. */
export function option<T>(type: OptionType<T>, row: Described & { readonly default: NoInfer<T> }): Option<T, T>
export function option<T>(type: OptionType<T>, row: Described & { make(platform: Platform): NoInfer<T> }): Option<T, T>
export function option<T>(type: OptionType<T>, row: Described): Option<T, undefined>
export function option<T>(
  type: OptionType<T>,
  { description, default: value, make }: Described & { readonly default?: T; make?(platform: Platform): T },
): Option<T> {
  return { type, description, initial: make ?? (() => value) }
}

export type ValueOf<O> = O extends Option<infer T> ? T : never

/** Names of the options without a default. */
type Bare<R> = { [K in keyof R]: R[K] extends { initial(platform: Platform): undefined } ? K : never }[keyof R]

/** Values of some options of a table. */
export type Given<R> = { readonly [K in keyof R]?: ValueOf<R[K]> }

/** Values of all options of a table; only those without a default may be absent. */
export type Complete<R> = { readonly [K in keyof R as K extends Bare<R> ? never : K]: ValueOf<R[K]> } & {
  readonly [K in keyof R as K extends Bare<R> ? K : never]?: ValueOf<R[K]>
}

/** A combination of valid values that is not allowed; the message follows the name of the option `at`, or its name and value. */
export interface Conflict<Name = string> {
  readonly at: Name
  readonly value?: unknown
  readonly message: string
}

/** An option of a table, or a member of its value. */
type OptionPath<R> = (keyof R & string) | `${keyof R & string}.${string}`

/** Finds conflicts; `named` is how messages name another option. */
export type Conflicts<R> = (options: Complete<R>, named: (option: OptionPath<R>) => string) => readonly Conflict<OptionPath<R>>[]

/** The type of each option of a table. */
export const typesOf = <R extends OptionTable>(table: R) =>
  Object.fromEntries(Object.entries(table).map(([name, { type }]) => [name, type])) as OptionRows & {
    readonly [K in keyof R]: R[K]['type']
  }

/** The given values, and the defaults of the others. Options that are undefined count as absent. */
export function complete<R extends OptionTable>(table: R, given: Given<R>, platform: Platform): Complete<R> {
  const values = Object.entries(table).map(([name, { initial }]) => [name, given[name] ?? initial(platform)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Complete<R>
}
