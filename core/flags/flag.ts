/** Command-line flags as data: each row parses its own values. */

import type { Platform, PlatformName } from '../platform.ts'
import { DecodeError } from '../schema/decode-error.ts'
import type { FileKindName } from './file-kinds.ts'
import type { OptionOfFlag } from './option-flag.ts'

/** An invalid command line. The message is one line and names the flag. */
export class FlagError extends Error {
  override readonly name = 'FlagError'
}

/** Runs a parser of a flag's value. @throws FlagError that names the flag, where the parser throws a DecodeError. */
export function naming<T>(name: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw error instanceof DecodeError ? new FlagError(`--${name}: ${error.message}`) : error
  }
}

/** Input for defaults that depend on other settings. */
export interface FlagContext {
  readonly platform: Platform
  readonly platformName: PlatformName
  /** Unparsed values of another flag; empty when it is not set. */
  given(name: string): readonly string[]
}

/** Parsing and help label of a type. */
export interface FlagType<T> {
  /** Label after the name in the help. */
  readonly label: string
  /** Value of a flag without `=value`; absent: a value is required. */
  readonly bare?: string
  /** @throws DecodeError with the reason. */
  read(text: string, platform: Platform): T
  /** Returns why a value is out of bounds, or undefined. */
  problem?(value: T): string | undefined
  /** Combines the values of repeated flags; absent: the last one wins. */
  join?(values: readonly T[]): T
  show(value: T): string
}

/** A flag; `V` is its value type, which includes `undefined` without a default. */
export interface Flag<V = unknown> {
  readonly type: FlagType<unknown>
  readonly short?: string
  /** Description without the default. */
  readonly help: string
  /** Replacement of a deprecated flag; setting the flag gives a warning. */
  readonly deprecated?: string
  /** The value is the path of a file that is read at the start, or of a directory that the server writes to. */
  readonly path?: 'file' | 'directory'
  /** Kind of the file, if the runtime reads it: it is validated before anything is opened. */
  readonly kind?: FileKindName
  /** The default value. */
  initial(context: FlagContext): V
  /** @throws FlagError; `name` is the user's spelling. */
  read(name: string, texts: readonly string[], platform: Platform): V
  /** The option that the flag sets; absent: what it means is not in one option. */
  readonly option?: OptionOfFlag
}

export interface FlagOptions<T> {
  readonly help: string
  readonly default?: T | ((context: FlagContext) => T)
  readonly short?: string
  readonly deprecated?: string
  readonly path?: 'file' | 'directory'
  readonly kind?: FileKindName
  /** Replaces the type's label in the help. */
  readonly label?: string
  /** Returns why a value is invalid, or undefined. */
  readonly check?: (value: T) => string | undefined
  readonly option?: OptionOfFlag
  /** Bounds of the option. */
  bounds?(value: T): string | undefined
  itemBounds?(items: T): string | undefined
}

/** Value type of a flag: excludes undefined if there is a default. */
export type FlagValueOf<T, O> = O extends { readonly default: unknown } ? T : T | undefined

function isFunction<T>(value: T | ((context: FlagContext) => T)): value is (context: FlagContext) => T {
  return typeof value === 'function'
}

/** A flag of the given type. */
export function flag<T, O extends FlagOptions<T>>(type: FlagType<T>, options: O): Flag<FlagValueOf<T, O>> {
  const { help, short, deprecated, label = type.label, check = options.bounds } = options
  const initial = options.default
  const invalid = (name: string, text: string, reason: string) =>
    new FlagError(`--${name}: invalid value ${JSON.stringify(text)}: ${reason}`)
  const readOne = (name: string, text: string, platform: Platform): T => {
    try {
      const value = type.read(text, platform)
      const reason = type.problem?.(value)
      if (reason !== undefined) throw new DecodeError(reason)
      return value
    } catch (error) {
      throw error instanceof DecodeError ? invalid(name, text, error.message) : error
    }
  }
  return {
    type: { ...type, label },
    help,
    ...(short !== undefined && { short }),
    ...(deprecated !== undefined && { deprecated }),
    ...(options.path && { path: options.path }),
    ...(options.option && { option: options.option }),
    ...(options.kind && { kind: options.kind }),
    initial: (context) => (isFunction<T | undefined>(initial) ? initial(context) : initial) as FlagValueOf<T, O>,
    read: (name, texts, platform) => {
      const values = texts.map((text) => readOne(name, text, platform))
      const value = type.join === undefined ? values[values.length - 1]! : type.join(values)
      const reason = check?.(value)
      if (reason !== undefined) throw invalid(name, texts.join(','), reason)
      return value as FlagValueOf<T, O>
    },
  }
}
