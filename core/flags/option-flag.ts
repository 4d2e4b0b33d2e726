/** What a flag takes from the option that it sets: description, default and bounds. */

import { type OptionGroups, optionGroups } from '../options/index.ts'
import type { Option, ValueOf } from '../options/option.ts'
import type { FlagContext } from './flag.ts'

/** The option that a flag sets. */
export interface OptionOfFlag {
  readonly group: keyof OptionGroups
  readonly name: string
  /** The option's value for a flag's value; undefined: the option is not set. */
  of(value: unknown): unknown
}

interface Described {
  readonly help: string
}

interface Bounded<T> {
  bounds?(value: T): string | undefined
  itemBounds?(items: T): string | undefined
}

type Defaulted<T, D> = D extends undefined ? unknown : { default(context: FlagContext): T }

/** Milliseconds, which flags have, in one unit of an option. */
const scales = { milliseconds: 1, seconds: 1000 } as const

const scaleOf = ({ type: { unit } }: Option<unknown>) => scales[unit ?? 'milliseconds']

/** The value of a flag for one of its option; numbers change their unit. */
const toFlag = (value: unknown, row: Option<unknown>) => (typeof value === 'number' ? value * scaleOf(row) : value)
const toOption = (value: unknown, row: Option<unknown>) => (typeof value === 'number' ? value / scaleOf(row) : value)

/** Description and default. */
export function describedBy<T, D>(row: Option<T, D>): Described & Defaulted<T, D> {
  const described = {
    help: row.description,
    default: ({ platform }: FlagContext) => toFlag(row.initial(platform), row) as T,
  } as const
  return described as unknown as typeof described & Defaulted<T, D>
}

/** Bounds. */
export function boundedBy<T>(row: Option<T>): Bounded<T> {
  const { bounds, itemBounds } = row.type
  return {
    ...(bounds && { bounds: (value: T) => bounds(toOption(value, row) as T) }),
    ...(itemBounds && { itemBounds }),
  }
}

/** A flag with a syntax of its own for an option. `of` converts its values; undefined: the option is not set. */
export function becomes<V, G extends keyof OptionGroups, N extends keyof OptionGroups[G] & string>(
  group: G,
  name: N,
  of: (value: V) => ValueOf<OptionGroups[G][N]> | undefined,
): { readonly option: OptionOfFlag } {
  return { option: { group, name, of: of as (value: unknown) => unknown } }
}

type Sets<O> = O extends Option<infer T, infer D> ? Described & Bounded<T> & Defaulted<T, D> & { readonly option: OptionOfFlag } : never

/** A flag that sets an option, with its description, default and bounds. */
export function sets<G extends keyof OptionGroups, N extends keyof OptionGroups[G] & string>(group: G, name: N): Sets<OptionGroups[G][N]> {
  const row: Option<unknown> = (optionGroups[group] as { readonly [name: string]: Option<unknown> })[name]!
  const of = (value: unknown) => toOption(value, row)
  return { ...describedBy(row), ...boundedBy(row), option: { group, name, of } } as unknown as Sets<OptionGroups[G][N]>
}
