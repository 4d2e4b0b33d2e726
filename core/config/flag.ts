/** What a command-line flag is: a row of data that reads its own values. */

import type { Platform, PlatformName } from '../platform.ts'
import { DecodeError } from '../schema/decode-error.ts'

/** A command line that can't be used. The message is one line and names the flag. */
export class FlagError extends Error {
  override readonly name = 'FlagError'
}

/** What the default of a flag may depend on. */
export interface FlagContext {
  readonly platform: Platform
  readonly platformName: PlatformName
  /** The texts given for another flag, none when it is not set. */
  given(name: string): readonly string[]
}

/** How one text becomes a value, and what the words around it are. */
export interface FlagType<T> {
  /** Stands after the name in the help. */
  readonly label: string
  /** The text that a flag without a value stands for; absent: a value is needed. */
  readonly bare?: string
  /** @throws DecodeError with the reason. */
  read(text: string, platform: Platform): T
  /** One value of all that were given, at least one; absent: the last one wins. */
  join?(values: readonly T[]): T
  show(value: T): string
}

/** One row: `V` is what a program gets for it, `undefined` included when it has no default. */
export interface Flag<V = unknown> {
  readonly type: FlagType<unknown>
  readonly short?: string
  /** In words of our own, without the default. */
  readonly help: string
  /** False: accepted, but without effect in this version. */
  readonly built: boolean
  /** What to use instead; setting the flag warns. */
  readonly deprecated?: string
  /** The value when the flag is not set. */
  initial(context: FlagContext): V
  /** @throws FlagError, with `name` as the user spells it. */
  read(name: string, texts: readonly string[], platform: Platform): V
}

export interface FlagOptions<T> {
  readonly help: string
  readonly default?: T | ((context: FlagContext) => T)
  readonly built?: true
  readonly short?: string
  readonly deprecated?: string
  /** Replaces the type's word in the help. */
  readonly label?: string
  /** Why a value can't be, or undefined. */
  readonly check?: (value: T) => string | undefined
}

/** The value of a flag: with a default it is always there. */
export type FlagValueOf<T, O> = O extends { readonly default: unknown } ? T : T | undefined

function isFunction<T>(value: T | ((context: FlagContext) => T)): value is (context: FlagContext) => T {
  return typeof value === 'function'
}

/** A row of the given type. */
export function flag<T, O extends FlagOptions<T>>(type: FlagType<T>, options: O): Flag<FlagValueOf<T, O>> {
  const { help, short, deprecated, label = type.label, check } = options
  const initial = options.default
  const readOne = (name: string, text: string, platform: Platform): T => {
    try {
      return type.read(text, platform)
    } catch (error) {
      if (error instanceof DecodeError) throw new FlagError(`--${name}: invalid value ${JSON.stringify(text)}: ${error.message}`)
      throw error
    }
  }
  return {
    type: { ...type, label },
    help,
    built: options.built ?? false,
    ...(short !== undefined && { short }),
    ...(deprecated !== undefined && { deprecated }),
    initial: (context) => (isFunction<T | undefined>(initial) ? initial(context) : initial) as FlagValueOf<T, O>,
    read: (name, texts, platform) => {
      const values = texts.map((text) => readOne(name, text, platform))
      const value = type.join === undefined ? values[values.length - 1]! : type.join(values)
      const reason = check?.(value)
      if (reason !== undefined) throw new FlagError(`--${name}: invalid value ${JSON.stringify(texts.join(','))}: ${reason}`)
      return value as FlagValueOf<T, O>
    },
  }
}
