/** Standard operators and functions (cel-go's common/stdlib). */
import { concatenate } from '../../schema/bytes.ts'
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { compare, equal, includes } from '../values/compare.ts'
import { fail } from '../values/errors.ts'
import { type AnyMap, adapt, getKey, lengthOf, sizeOfMap, weightOf } from '../values/maps.ts'
import { CelDouble, doubleOperator, type Int, intOperator, negateInt, uintOperator } from '../values/numbers.ts'
import { type CelDuration, type CelTimestamp, duration, timestamp } from '../values/times.ts'
import { KeyedList } from '../values/values.ts'
import { traversed } from './costs.ts'

type List = readonly unknown[]

/** Types of special forms; run/calls.ts compiles them. */
const form = (): never => fail('no such overload')

const forms: readonly Row[] = [
  ['conditional', '_?_:_(bool, A, A): A', form],
  ['logical_and', '_&&_(bool, bool): bool', form],
  ['logical_or', '_||_(bool, bool): bool', form],
  ['not_strictly_false', '@not_strictly_false(bool): bool', form],
  ['equals', '_==_(A, A): bool', equal],
  ['not_equals', '_!=_(A, A): bool', (a: unknown, b: unknown) => !equal(a, b)],
  ['index_list', '_[_](list<A>, int): A', form],
  ['index_map', '_[_](map<A, B>, A): B', form],
  ['logical_not', '!_(bool): bool', (value: boolean) => !value],
]

/** Copies both operands. */
const joins = { cost: ([a, b]: readonly unknown[]) => traversed(weightOf(a) + weightOf(b)) }

/** Lists with list type set are joined without duplicates; in lists of type map, later items replace earlier ones with the same keys. */
function joinLists(a: List, b: List): List {
  if (!(a instanceof KeyedList)) return [...a, ...b]
  const joined = new KeyedList()
  joined.by = a.by
  for (const each of a) joined.push(each)
  const keys = a.by
  if (!keys) {
    for (const each of b) if (!includes(joined)(adapt(each))) joined.push(each)
    return joined
  }
  const identity = (item: unknown) => JSON.stringify(keys.map((key) => String(getKey(item as AnyMap, key))))
  const places = new Map(joined.map((item, index) => [identity(item), index]))
  for (const each of b) {
    const place = places.get(identity(each))
    if (place === undefined) joined.push(each)
    else joined[place] = each
  }
  return joined
}

const numeric = (operator: '+' | '-' | '*' | '/', name: string, operate: (a: number, b: number) => number): readonly Row[] => [
  [`${name}_double`, `_${operator}_(double, double): double`, doubleOperator(operate)],
  [`${name}_int64`, `_${operator}_(int, int): int`, intOperator(operator)],
  [`${name}_uint64`, `_${operator}_(uint, uint): uint`, uintOperator(operator)],
]

const arithmetic: readonly Row[] = [
  ['add_bytes', '_+_(bytes, bytes): bytes', (a: Uint8Array, b: Uint8Array) => concatenate([a, b]), joins],
  ...numeric('+', 'add', (a, b) => a + b),
  ['add_duration_duration', '_+_(duration, duration): duration', (a: CelDuration, b: CelDuration) => duration(a.nanos + b.nanos)],
  ['add_duration_timestamp', '_+_(duration, timestamp): timestamp', (a: CelDuration, b: CelTimestamp) => timestamp(a.nanos + b.nanos)],
  ['add_timestamp_duration', '_+_(timestamp, duration): timestamp', (a: CelTimestamp, b: CelDuration) => timestamp(a.nanos + b.nanos)],
  ['add_list', '_+_(list<A>, list<A>): list<A>', joinLists],
  ['add_string', '_+_(string, string): string', (a: string, b: string) => a + b, joins],
  ...numeric('-', 'subtract', (a, b) => a - b),
  ['subtract_duration_duration', '_-_(duration, duration): duration', (a: CelDuration, b: CelDuration) => duration(a.nanos - b.nanos)],
  ['subtract_timestamp_duration', '_-_(timestamp, duration): timestamp', (a: CelTimestamp, b: CelDuration) => timestamp(a.nanos - b.nanos)],
  [
    'subtract_timestamp_timestamp',
    '_-_(timestamp, timestamp): duration',
    (a: CelTimestamp, b: CelTimestamp) => duration(a.nanos - b.nanos),
  ],
  ...numeric('*', 'multiply', (a, b) => a * b),
  ...numeric('/', 'divide', (a, b) => a / b),
  ['modulo_int64', '_%_(int, int): int', intOperator('%')],
  ['modulo_uint64', '_%_(uint, uint): uint', uintOperator('%')],
  ['negate_double', '-_(double): double', ({ value }: CelDouble) => new CelDouble(-value)],
  ['negate_int64', '-_(int): int', negateInt],
]

/** Ordered types, and mixed pairs of number types. */
const ordered: readonly (readonly [id: string, left: string, right: string])[] = [
  ['bool', 'bool', 'bool'],
  ['int64', 'int', 'int'],
  ['int64_double', 'int', 'double'],
  ['int64_uint64', 'int', 'uint'],
  ['uint64', 'uint', 'uint'],
  ['uint64_double', 'uint', 'double'],
  ['uint64_int64', 'uint', 'int'],
  ['double', 'double', 'double'],
  ['double_int64', 'double', 'int'],
  ['double_uint64', 'double', 'uint'],
  ['string', 'string', 'string'],
  ['bytes', 'bytes', 'bytes'],
  ['timestamp', 'timestamp', 'timestamp'],
  ['duration', 'duration', 'duration'],
]

const isNaNDouble = (value: unknown) => value instanceof CelDouble && Number.isNaN(value.value)

/** Comparison operators: for strings and bytes the cost is a traversal of the smaller operand. */
function relation(operator: string, name: string, holds: (order: number) => boolean): readonly Row[] {
  const run = (a: unknown, b: unknown) => (isNaNDouble(a) || isNaNDouble(b) ? fail('NaN values cannot be ordered') : holds(compare(a, b)))
  const cost = ([a, b]: readonly unknown[]) => traversed(Math.min(weightOf(a), weightOf(b)))
  return ordered.map(([id, left, right]): Row => {
    const row = [`${name}_${id}`, `_${operator}_(${left}, ${right}): bool`, run] as const
    return id === 'string' || id === 'bytes' ? [...row, { cost }] : row
  })
}

const relations: readonly Row[] = [
  ...relation('<', 'less', (order) => order < 0),
  ...relation('<=', 'less_equals', (order) => order <= 0),
  ...relation('>', 'greater', (order) => order > 0),
  ...relation('>=', 'greater_equals', (order) => order >= 0),
]

/** Both forms: `size(x)` and `x.size()`. */
function sizes(id: string, type: string, size: (value: never) => Int): readonly Row[] {
  return [
    [`size_${id}`, `size(${type}): int`, size],
    [`${id}_size`, `${type}.size(): int`, size],
  ]
}

const containers: readonly Row[] = [
  [
    'in_list',
    '@in(A, list<A>): bool',
    (item: unknown, list: List) => list.some((each) => equal(adapt(each), item)),
    { cost: ([, list]) => weightOf(list) },
  ],
  ['in_map', '@in(A, map<A, B>): bool', (key: unknown, map: AnyMap) => getKey(map, key) !== undefined],
  ...sizes('bytes', 'bytes', (value: Uint8Array) => value.length),
  ...sizes('list', 'list<A>', (value: List) => value.length),
  ...sizes('map', 'map<A, B>', sizeOfMap),
  ...sizes('string', 'string', lengthOf),
]

const texts: readonly Row[] = [
  [
    'contains_string',
    'string.contains(string): bool',
    (text: string, part: string) => text.includes(part),
    { cost: ([text, part]) => traversed(weightOf(text)) * traversed(weightOf(part)) },
  ],
  ['ends_with_string', 'string.endsWith(string): bool', (text: string, part: string) => text.endsWith(part), first()],
  ['starts_with_string', 'string.startsWith(string): bool', (text: string, part: string) => text.startsWith(part), first()],
]

function first() {
  return { cost: ([text]: readonly unknown[]) => traversed(weightOf(text)) }
}

export const standardLibrary = (): readonly FunctionDeclaration[] =>
  declare([...forms, ...arithmetic, ...relations, ...containers, ...texts])
