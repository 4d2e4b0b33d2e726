/** Standard operators and functions (cel-go's common/stdlib). */
import { concatenate } from '../../schema/bytes.ts'
import { declare, type FunctionDeclaration, type Row, type Weigh } from '../functions.ts'
import { boundList, boundText } from '../limits.ts'
import { after, costly, type MaybeSteps, Pace, type Parts, Steps, unitsOf, within } from '../steps.ts'
import { compare, contains, ValueSet } from '../values/compare.ts'
import { fail } from '../values/errors.ts'
import { type AnyMap, adapt, getKey, lengthOf, lengthParts, sizeOfMap, smallerWeight, weightOf } from '../values/maps.ts'
import { CelDouble, doubleOperator, type Int, intOperator, negateInt, uintOperator } from '../values/numbers.ts'
import { search } from '../values/search.ts'
import { type CelDuration, type CelTimestamp, duration, timestamp } from '../values/times.ts'
import { CelMap, KeyedList } from '../values/values.ts'
import { traversed } from './costs.ts'

type List = readonly unknown[]

/** Types of special forms; run/operators.ts compiles them. */
const form = (): never => fail('no such overload')

const forms: readonly Row[] = [
  ['conditional', '_?_:_(bool, A, A): A', form],
  ['logical_and', '_&&_(bool, bool): bool', form],
  ['logical_or', '_||_(bool, bool): bool', form],
  ['not_strictly_false', '@not_strictly_false(bool): bool', form],
  ['equals', '_==_(A, A): bool', form],
  ['not_equals', '_!=_(A, A): bool', form],
  ['index_list', '_[_](list<A>, int): A', form],
  ['index_map', '_[_](map<A, B>, A): B', form],
  ['logical_not', '!_(bool): bool', (value: boolean) => !value],
]

/** Time to copy an item, including its memory. */
const nanosecondsPerItem = 10
/** Time to look up or insert an item. */
const nanosecondsPerLookup = 200

/** Copies both operands. */
const joins = { cost: ([a, b]: readonly unknown[], weigh: Weigh) => traversed(weigh(a) + weigh(b)) }

/** Lists with list type set are joined without duplicates; in lists of type map, later items replace earlier ones with the same keys. */
function joinLists(a: List, b: List): MaybeSteps<List> {
  boundList(a.length + b.length)
  if (a instanceof KeyedList) return new Steps(a.by ? joinByKeys(a, b, a.by) : joinSets(a, b))
  if (a.length + b.length <= itemsAtOnce) return costly((a.length + b.length) * nanosecondsPerItem, () => a.concat(b))
  return new Steps(joinLong(a, b))
}
/** Items that are copied at once. */
const itemsAtOnce = 10_000

function* joinLong(a: List, b: List): Parts<List> {
  const joined: unknown[] = []
  for (const list of [a, b]) {
    for (let at = 0; at < list.length; at += itemsAtOnce) {
      const part = list.slice(at, at + itemsAtOnce)
      yield unitsOf(part.length * nanosecondsPerItem)
      for (const each of part) joined.push(each)
    }
  }
  return joined
}

function* joinSets(a: KeyedList, b: List): Parts<List> {
  const pace = new Pace()
  const joined = new KeyedList()
  const set = new ValueSet()
  for (const each of a) {
    if (pace.due(nanosecondsPerLookup)) yield pace.units
    joined.push(each)
    set.add(each)
  }
  for (const each of b) {
    if (pace.due(nanosecondsPerLookup)) yield pace.units
    const item = adapt(each)
    if (yield* within(set.has(item, pace))) continue
    joined.push(each)
    set.add(item)
  }
  return joined
}

function* joinByKeys(a: KeyedList, b: List, keys: readonly string[]): Parts<List> {
  const pace = new Pace()
  const identity = (item: unknown) => JSON.stringify(keys.map((key) => String(getKey(item as AnyMap, key))))
  const joined = new KeyedList()
  joined.by = keys
  const places = new Map<string, number>()
  for (const each of a) {
    if (pace.due(nanosecondsPerLookup)) yield pace.units
    places.set(identity(each), joined.length)
    joined.push(each)
  }
  for (const each of b) {
    if (pace.due(nanosecondsPerLookup)) yield pace.units
    const place = places.get(identity(each))
    if (place === undefined) joined.push(each)
    else joined[place] = each
  }
  return joined
}

function joinTexts(a: string, b: string): string {
  boundText(a.length + b.length)
  return a + b
}

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  boundText(a.length + b.length)
  return concatenate([a, b])
}

const numeric = (operator: '+' | '-' | '*' | '/', name: string, operate: (a: number, b: number) => number): readonly Row[] => [
  [`${name}_double`, `_${operator}_(double, double): double`, doubleOperator(operate)],
  [`${name}_int64`, `_${operator}_(int, int): int`, intOperator(operator)],
  [`${name}_uint64`, `_${operator}_(uint, uint): uint`, uintOperator(operator)],
]

const arithmetic: readonly Row[] = [
  ['add_bytes', '_+_(bytes, bytes): bytes', joinBytes, joins],
  ...numeric('+', 'add', (a, b) => a + b),
  ['add_duration_duration', '_+_(duration, duration): duration', (a: CelDuration, b: CelDuration) => duration(a.nanos + b.nanos)],
  ['add_duration_timestamp', '_+_(duration, timestamp): timestamp', (a: CelDuration, b: CelTimestamp) => timestamp(a.nanos + b.nanos)],
  ['add_timestamp_duration', '_+_(timestamp, duration): timestamp', (a: CelTimestamp, b: CelDuration) => timestamp(a.nanos + b.nanos)],
  ['add_list', '_+_(list<A>, list<A>): list<A>', joinLists],
  ['add_string', '_+_(string, string): string', joinTexts, joins],
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

/** Time to compare a byte. */
const nanosecondsPerByte = 2

/** Comparison operators: for strings and bytes the cost is a traversal of the smaller operand. */
function relation(operator: string, name: string, holds: (order: number) => boolean): readonly Row[] {
  const run = (a: unknown, b: unknown) => {
    if (isNaNDouble(a) || isNaNDouble(b)) fail('NaN values cannot be ordered')
    if (!(a instanceof Uint8Array && b instanceof Uint8Array)) return holds(compare(a, b))
    return costly(Math.min(a.length, b.length) * nanosecondsPerByte, () => holds(compare(a, b)))
  }
  const cost = ([a, b]: readonly unknown[], weigh: Weigh) => traversed(smallerWeight(a, b, weigh))
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

/** Time to count a key of a map; only afterwards their number is known. */
const nanosecondsPerKey = 200
const measured = (map: AnyMap): MaybeSteps<Int> => {
  const size = sizeOfMap(map)
  return map instanceof CelMap ? size : costly(size * nanosecondsPerKey, () => size)
}

/** Minimum code units of a string that is measured in steps. */
const longText = 4096
const sizeOfText = (text: string): MaybeSteps<Int> => (text.length < longText ? lengthOf(text) : new Steps(lengthParts(text)))

/** Both forms: `size(x)` and `x.size()`. */
function sizes(id: string, type: string, size: (value: never) => MaybeSteps<Int>): readonly Row[] {
  return [
    [`size_${id}`, `size(${type}): int`, size],
    [`${id}_size`, `${type}.size(): int`, size],
  ]
}

const containers: readonly Row[] = [
  ['in_list', '@in(A, list<A>): bool', (item: unknown, list: List) => contains(list, item), { cost: ([, list]) => weightOf(list) }],
  ['in_map', '@in(A, map<A, B>): bool', (key: unknown, map: AnyMap) => getKey(map, key) !== undefined],
  ...sizes('bytes', 'bytes', (value: Uint8Array) => value.length),
  ...sizes('list', 'list<A>', (value: List) => value.length),
  ...sizes('map', 'map<A, B>', measured),
  ...sizes('string', 'string', sizeOfText),
]

const texts: readonly Row[] = [
  [
    'contains_string',
    'string.contains(string): bool',
    (text: string, part: string) => after(search(text, part, 0), (at) => at >= 0),
    { cost: ([text, part], weigh) => traversed(weigh(text)) * traversed(weigh(part)) },
  ],
  ['ends_with_string', 'string.endsWith(string): bool', (text: string, part: string) => text.endsWith(part), first()],
  ['starts_with_string', 'string.startsWith(string): bool', (text: string, part: string) => text.startsWith(part), first()],
]

function first() {
  return { cost: ([text]: readonly unknown[], weigh: Weigh) => traversed(weigh(text)) }
}

export const standardLibrary = (): readonly FunctionDeclaration[] =>
  declare([...forms, ...arithmetic, ...relations, ...containers, ...texts])
