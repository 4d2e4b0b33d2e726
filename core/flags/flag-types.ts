/** Constructors of flags by type, with the value syntax of Go's pflag. */

import { choiceProblem, type Range, rangeProblem } from '../config/bounds.ts'
import { formatDuration, parseDuration } from '../config/duration.ts'
import { ourWords } from '../config/words.ts'
import { items, words } from '../options/types.ts'
import type { Platform } from '../platform.ts'
import { DecodeError } from '../schema/decode-error.ts'
import { parseBool } from '../schema/formats/bool.ts'
import { parseQuantity, scaledQuantity } from '../schema/formats/quantity.ts'
import { parseCsv } from '../schema/go/csv-text.ts'
import { type Flag, type FlagOptions, type FlagType, type FlagValueOf, flag } from './flag.ts'

const boolType: FlagType<boolean> = {
  label: '',
  bare: 'true',
  read: (text) => {
    const value = parseBool(text)
    if (value === undefined) throw new DecodeError('must be true or false')
    return value
  },
  show: String,
}

/** A boolean; default false. */
export function bool(options: FlagOptions<boolean>): Flag<boolean> {
  return flag(boolType, { default: false, ...options })
}

const integer = /^[+-]?(?:0x[\da-f]+|0b[01]+|0o?[0-7]+|0|[1-9]\d*)$/i

/** The prefix gives the base; a leading zero alone means octal (Go, strconv.ParseInt with base 0). */
function parseInteger(text: string): number {
  if (!integer.test(text)) throw new DecodeError('must be an integer')
  const digits = text.replace(/^[+-]/, '').replace(/^0(?=\d)/, '0o')
  const value = text.startsWith('-') ? -Number(digits) : Number(digits)
  if (!Number.isSafeInteger(value)) throw new DecodeError('is out of range')
  return value + 0
}

/** The option's bounds, or the flag's own. */
function boundsOf(options: FlagOptions<number> & Range, show?: (value: number) => string): (value: number) => string | undefined {
  return options.bounds ?? ((value) => rangeProblem(value, options, show))
}

export function int<const O extends FlagOptions<number> & Range>(options: O): Flag<FlagValueOf<number, O>> {
  return flag({ label: 'int', read: parseInteger, problem: boundsOf(options), show: String }, options)
}

export function float<const O extends FlagOptions<number> & Range>(options: O): Flag<FlagValueOf<number, O>> {
  const read = (text: string) => {
    if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) throw new DecodeError('must be a number')
    return Number(text)
  }
  return flag({ label: 'float', read, problem: boundsOf(options), show: String }, options)
}

/** Milliseconds; negative values are only allowed with `min`. */
export function duration<const O extends FlagOptions<number> & Range>(options: O): Flag<FlagValueOf<number, O>> {
  const read = (text: string) => {
    try {
      return parseDuration(text)
    } catch (error) {
      throw error instanceof DecodeError ? new DecodeError('must be a duration such as 1m0s') : error
    }
  }
  const problem = boundsOf({ min: 0, ...options }, formatDuration)
  return flag({ label: 'duration', read, problem, show: formatDuration }, options)
}

/** Whole bytes given as resource quantity, such as `64Ki`. */
export function quantity<const O extends FlagOptions<number>>(options: O): Flag<FlagValueOf<number, O>> {
  const read = (text: string) => {
    try {
      const bytes = Number(scaledQuantity(parseQuantity(text.replace(/K$/, 'k')), 0))
      if (bytes >= 0) return bytes
    } catch {
      // Reported as below.
    }
    throw new DecodeError('must be a quantity of bytes such as 64Ki')
  }
  return flag({ label: 'quantity', read, show: String }, options)
}

export function string<const O extends FlagOptions<string>>(options: O): Flag<FlagValueOf<string, O>> {
  return flag({ label: 'string', read: (text) => text, show: (value) => value }, options)
}

/** One of several words. */
export function choice<const W extends string, const O extends FlagOptions<W> & { readonly oneOf: readonly W[] }>(
  options: O,
): Flag<FlagValueOf<O['oneOf'][number], O>> {
  type Word = O['oneOf'][number]
  const read = (text: string, platform: Platform) => ourWords(text, platform) as Word
  const problem = (word: Word) => choiceProblem(word, options.oneOf)
  return flag<Word, O & FlagOptions<Word>>({ label: 'string', read, problem, show: (value) => value }, options)
}

interface ListOptions extends FlagOptions<readonly string[]> {
  readonly oneOf?: readonly string[]
  /** False: commas are part of the value; the flag is repeated instead. */
  readonly split?: false
  readonly checkItem?: (item: string) => string | undefined
  /** Later uses of the flag replace earlier ones instead of adding to them. */
  readonly lastWins?: true
}

/** Parses one line of comma-separated values; an empty text has none. */
function oneRecord(text: string): readonly string[] {
  const records = parseCsv(text)
  if (records.length > 1) throw new DecodeError('must be one line')
  return records[0]?.fields ?? []
}

/** A list; repeated uses of the flag add to it, unless `lastWins`. Default empty. */
export function strings(options: ListOptions): Flag<readonly string[]> {
  const own = options.oneOf ? words(options.oneOf) : items(options.checkItem ?? (() => undefined))
  const problem = options.itemBounds ?? own.itemBounds
  const type: FlagType<readonly string[]> = {
    label: 'strings',
    read: (text) => (options.split === false ? [text] : oneRecord(text)),
    ...(problem && { problem }),
    join: (all) => (options.lastWins ? (all.at(-1) ?? []) : all.flat()),
    show: (list) => list.join(','),
  }
  return flag(type, { default: [], ...options })
}

interface MapOptions extends FlagOptions<ReadonlyMap<string, string>> {
  /**
   * `each`: pairs are separated by commas. `never`: one pair per flag.
   * `quoted`: CSV, but a text with a single `=` is one pair even with commas (pflag's StringToString).
   */
  readonly split: 'each' | 'never' | 'quoted'
  /** Value of a key without `=`; absent: an error. */
  readonly bareValue?: string
}

/** `key=value` pairs; repeated uses of the flag add to them, and the last value of a key wins. */
export function map(options: MapOptions): Flag<ReadonlyMap<string, string>> {
  const { split, bareValue } = options
  const pairs = (text: string): readonly string[] => {
    if (split === 'never' || (split === 'quoted' && text.split('=').length === 2)) return [text.replace(/^"(.*)"$/s, '$1')]
    return split === 'quoted' ? oneRecord(text) : text.split(',').filter((pair) => pair.trim() !== '')
  }
  const read = (text: string): ReadonlyMap<string, string> => {
    const entries = pairs(text).map((pair): [string, string] => {
      const at = pair.indexOf('=')
      const value = at === -1 ? bareValue : pair.slice(at + 1)
      const key = (at === -1 ? pair : pair.slice(0, at)).trim()
      if (value === undefined || key === '') throw new DecodeError('must be key=value')
      return [key, value.trim()]
    })
    return new Map(entries)
  }
  const type: FlagType<ReadonlyMap<string, string>> = {
    label: 'key=value',
    read,
    join: (all) => new Map(all.flatMap((each) => [...each])),
    show: (value) => [...value].map(([key, text]) => `${key}=${text}`).join(','),
  }
  return flag(type, { default: new Map<string, string>(), ...options })
}

/** A flag with its own syntax. */
export function custom<T, const O extends FlagOptions<T>>(type: FlagType<T>, options: O): Flag<FlagValueOf<T, O>> {
  return flag(type, options)
}
