/** Conversions between types. */
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { boundText } from '../limits.ts'
import { costly, type MaybeSteps, type Parts, Steps, unitsOf, within } from '../steps.ts'
import { fail } from '../values/errors.ts'
import { bytesOf } from '../values/maps.ts'
import {
  CelDouble,
  CelUint,
  formatDouble,
  type Int,
  intFromDouble,
  intFromUint,
  intOf,
  maxInt,
  maxUint,
  minInt,
  uintFromDouble,
  uintFromInt,
} from '../values/numbers.ts'
import type { CelDuration, CelTimestamp } from '../values/times.ts'
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp, second, timestampOf } from '../values/times.ts'
import { typeOf } from '../values/typing.ts'
import { CelTypeValue } from '../values/values.ts'
import { traversesKnown } from './costs.ts'

const impossible = (from: string, to: string): never => fail(`type conversion error from '${from}' to '${to}'`)

const booleans: { readonly [text: string]: boolean | undefined } = {
  '1': true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  '0': false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
}

function integer(text: string, form: RegExp, [low, high]: readonly [bigint, bigint]): bigint | undefined {
  if (text.length > 400 || !form.test(text)) return undefined
  const value = BigInt(text.replace(/^\+/, ''))
  return value >= low && value <= high ? value : undefined
}

function intFromText(text: string): Int {
  const value = integer(text, /^[+-]?\d+$/, [minInt, maxInt])
  return value === undefined ? impossible('string', 'int') : intOf(value)
}

function uintFromText(text: string): CelUint {
  const value = integer(text, /^\d+$/, [0n, maxUint])
  return value === undefined ? impossible('string', 'uint') : new CelUint(intOf(value))
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

function doubleFromText(text: string): CelDouble {
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text)
  if (word) {
    if (/nan/i.test(word[2] ?? '')) return word[1] === '' ? new CelDouble(Number.NaN) : impossible('string', 'double')
    return new CelDouble(word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY)
  }
  const value = decimal.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? new CelDouble(value) : impossible('string', 'double')
}

const bytesFromText = (text: string): MaybeSteps<Uint8Array> =>
  text.length < shortText ? new TextEncoder().encode(text) : new Steps(encodedParts(text))
const shortText = 1024

function* encodedParts(text: string): Parts<Uint8Array> {
  boundText(yield* within(bytesOf(text)))
  yield unitsOf(text.length * nanosecondsPerCoded)
  return new TextEncoder().encode(text)
}

const textFromBytes = (bytes: Uint8Array): MaybeSteps<string> => costly(bytes.length * nanosecondsPerCoded, () => decoded(bytes))

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return fail('invalid UTF-8 in bytes, cannot convert to string')
  }
}

/** Time to parse a character, and to encode or decode one. */
const nanosecondsPerCharacter = 5
const nanosecondsPerCoded = 4

/** Cost units don't cover reading the string. */
const parsing =
  <T>(parse: (text: string) => T) =>
  (text: string): MaybeSteps<T> =>
    costly(text.length * nanosecondsPerCharacter, () => parse(text))

const same = <T>(value: T): T => value

const rows: readonly Row[] = [
  ['type', 'type(A): type<A>', (value: unknown) => new CelTypeValue(typeOf(value))],
  ['to_dyn', 'dyn(A): dyn', same],
  ['bool_to_bool', 'bool(bool): bool', same],
  ['string_to_bool', 'bool(string): bool', (text: string) => booleans[text] ?? impossible('string', 'bool')],
  ['bytes_to_bytes', 'bytes(bytes): bytes', same],
  ['string_to_bytes', 'bytes(string): bytes', bytesFromText, traversesKnown],
  ['double_to_double', 'double(double): double', same],
  ['int64_to_double', 'double(int): double', (value: Int) => new CelDouble(Number(value))],
  ['string_to_double', 'double(string): double', parsing(doubleFromText)],
  ['uint64_to_double', 'double(uint): double', ({ value }: CelUint) => new CelDouble(Number(value))],
  ['duration_to_duration', 'duration(duration): duration', same],
  [
    'string_to_duration',
    'duration(string): duration',
    parsing((text) => parseDuration(text) ?? impossible('string', 'google.protobuf.Duration')),
  ],
  ['int64_to_int64', 'int(int): int', same],
  ['double_to_int64', 'int(double): int', intFromDouble],
  ['duration_to_int64', 'int(duration): int', ({ nanos }: CelDuration) => intOf(nanos)],
  ['string_to_int64', 'int(string): int', intFromText],
  [
    'timestamp_to_int64',
    'int(timestamp): int',
    ({ nanos }: CelTimestamp) => intOf((nanos - (((nanos % second) + second) % second)) / second),
  ],
  ['uint64_to_int64', 'int(uint): int', intFromUint],
  ['string_to_string', 'string(string): string', same],
  ['bool_to_string', 'string(bool): string', String],
  ['bytes_to_string', 'string(bytes): string', textFromBytes, traversesKnown],
  ['double_to_string', 'string(double): string', ({ value }: CelDouble) => formatDouble(value)],
  ['duration_to_string', 'string(duration): string', formatDuration],
  ['int64_to_string', 'string(int): string', String],
  ['timestamp_to_string', 'string(timestamp): string', formatTimestamp],
  ['uint64_to_string', 'string(uint): string', ({ value }: CelUint) => String(value)],
  ['timestamp_to_timestamp', 'timestamp(timestamp): timestamp', same],
  ['int64_to_timestamp', 'timestamp(int): timestamp', timestampOf],
  [
    'string_to_timestamp',
    'timestamp(string): timestamp',
    parsing((text) => parseTimestamp(text) ?? impossible('string', 'google.protobuf.Timestamp')),
  ],
  ['uint64_to_uint64', 'uint(uint): uint', same],
  ['double_to_uint64', 'uint(double): uint', uintFromDouble],
  ['int64_to_uint64', 'uint(int): uint', uintFromInt],
  ['string_to_uint64', 'uint(string): uint', uintFromText],
]

export const conversionLibrary = (): readonly FunctionDeclaration[] => declare(rows)
