/** Optional values (cel-go's OptionalTypes, version 2). */
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { Pace, type Parts, Steps } from '../steps.ts'
import { fail } from '../values/errors.ts'
import { formatValue } from '../values/format.ts'
import { adapt, isMap, sizeOf } from '../values/maps.ts'
import { plainNumber } from '../values/numbers.ts'
import { CelDuration, CelTimestamp } from '../values/times.ts'
import { CelMap, CelObject, CelOpaque, CelOptional, none } from '../values/values.ts'

type List = readonly unknown[]

const some = (value: unknown) => new CelOptional(value)
const form = (): never => fail('no such overload')
/** 0001-01-01T00:00:00Z, Go's zero time. */
const zeroTime = -62_135_596_800_000_000_000n

/** Whether a value is the zero value of its type: zero, empty, false or null. */
function isZero(value: unknown): boolean {
  if (value === null || value === false) return true
  const number = plainNumber(value)
  if (number !== undefined) return Number(number) === 0
  if (value instanceof CelOptional) return !value.hasValue || isZero(value.value)
  if (value instanceof CelOpaque) return value.isZero()
  if (value instanceof CelTimestamp) return value.nanos === zeroTime
  if (value instanceof CelDuration) return value.nanos === 0n
  if (value instanceof CelObject) return isEmpty(value.raw)
  if (isMap(value)) return value instanceof CelMap ? value.entries.size === 0 : isEmpty(value)
  return (typeof value === 'string' || typeof value === 'object') && sizeOf(value) === 0
}

/** Without a list of the keys, which takes long for large objects. */
function isEmpty(object: object): boolean {
  for (const _ in object) return false
  return true
}

const unwrap = (list: List) => new Steps(unwrapped(list))
const nanosecondsPerItem = 20

function* unwrapped(list: List): Parts<List> {
  const pace = new Pace()
  const found: unknown[] = []
  for (const each of list) {
    if (pace.due(nanosecondsPerItem)) yield pace.units
    if (!(each instanceof CelOptional)) return fail(`value ${formatValue(each)} is not optional`)
    if (each.hasValue) found.push(each.value)
  }
  return found
}

const rows: readonly Row[] = [
  ['optional_of', 'optional.of(V): optional<V>', some],
  ['optional_ofNonZeroValue', 'optional.ofNonZeroValue(V): optional<V>', (value: unknown) => (isZero(value) ? none : some(value))],
  ['optional_none', 'optional.none(): optional<V>', () => none],
  [
    'optional_value',
    'optional<V>.value(): V',
    ({ value }: CelOptional) => value ?? (value === null ? null : fail('optional.none() dereference')),
  ],
  ['optional_hasValue', 'optional<V>.hasValue(): bool', ({ hasValue }: CelOptional) => hasValue],
  ['optional_or_optional', 'optional<V>.or(optional<V>): optional<V>', form],
  ['optional_orValue_value', 'optional<V>.orValue(V): V', form],
  ['select_optional_field', '_?._(dyn, string): optional<V>', form],
  ['list_optindex_optional_int', '_[?_](list<V>, int): optional<V>', form],
  ['optional_list_optindex_optional_int', '_[?_](optional<list<V>>, int): optional<V>', form],
  ['map_optindex_optional_value', '_[?_](map<K, V>, K): optional<V>', form],
  ['optional_map_optindex_optional_value', '_[?_](optional<map<K, V>>, K): optional<V>', form],
  ['optional_list_index_int', '_[_](optional<list<V>>, int): optional<V>', form],
  ['optional_map_index_value', '_[_](optional<map<K, V>>, K): optional<V>', form],
  ['list_last', 'list<V>.last(): optional<V>', (list: List) => (list.length === 0 ? none : some(adapt(list.at(-1))))],
  ['list_first', 'list<V>.first(): optional<V>', (list: List) => (list.length === 0 ? none : some(adapt(list[0])))],
  ['optional_unwrap', 'optional.unwrap(list<optional<V>>): list<V>', unwrap],
  ['optional_unwrapOpt', 'list<optional<V>>.unwrapOpt(): list<V>', unwrap],
]

export const optionalLibrary = (): readonly FunctionDeclaration[] => declare(rows)
