/** Choices and changes that are pseudo-random: unlike those of other tests, they follow `--seed` alone, so that recorded answers stay good. */
import { isObject } from '../../../core/schema/json/is-object.ts'
import type { Json, JsonObject } from '../../../core/schema/model.ts'

export interface Chooser {
  /** A whole number from 0 up to, but not including, the limit. */
  below(limit: number): number
  pick<T>(from: readonly T[]): T
}

/** Lehmer's generator, MINSTD. `seed` and `row` begin a sequence of their own. */
export function chooser(seed: number, row: number): Chooser {
  let state = ((seed * 1_000_003 + row) % 0x7ffffffe) + 1
  const below = (limit: number): number => {
    state = (state * 48_271) % 0x7fffffff
    return state % limit
  }
  for (let warm = 0; warm < 10; warm++) below(1)
  return { below, pick: (from) => from[below(from.length)] as (typeof from)[number] }
}

/** Values of members, by the member's name. */
export type Values = ReadonlyMap<string, readonly Json[]>

/** Values that members have anywhere in the objects. */
export function valuesIn(objects: Iterable<Json>): Values {
  const values = new Map<string, Map<string, Json>>()
  const note = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(note)
    if (!isObject(value)) return
    for (const [name, member] of Object.entries(value)) {
      const known = values.get(name) ?? new Map<string, Json>()
      values.set(name, known.set(JSON.stringify(member), member))
      note(member)
    }
  }
  for (const object of objects) note(object)
  return new Map([...values].map(([name, known]) => [name, [...known.values()]]))
}

const spellings: readonly ((text: string) => string)[] = [
  () => '',
  (text) => `${text}x`,
  (text) => text.slice(1),
  (text) => text.toUpperCase(),
  (text) => ` ${text}`,
  (text) => `${text}-`,
  (text) => `${text}/${text}`,
  (text) => text.repeat(70).slice(0, 300),
  (text) => `${text}é`,
  (text) => text.replaceAll('/', '.'),
]

/** Another value in the place of this one, of the same type in the main. */
function another(name: string, value: Json, { below, pick }: Chooser, values: Values): Json {
  const known = values.get(name) ?? []
  if (known.length > 1 && below(2) === 0) return pick(known)
  if (below(12) === 0) return pick<Json>([null, {}, [], '', 0, true, 'x', -1])
  if (typeof value === 'number') return pick([0, -1, 1, value + 1, 65_536, 2_147_483_648, value + 0.5])
  if (typeof value === 'boolean') return !value
  if (typeof value === 'string') return pick(spellings)(value)
  if (Array.isArray(value)) return pick<Json>([[], [...value, ...value], value.toReversed(), value.slice(1), [null, ...value]])
  return {}
}

/** The value with one place changed: another value, none, or a member that objects have elsewhere. */
export function changedSomewhere(value: Json, choose: Chooser, values: Values, name = ''): Json {
  const { below, pick } = choose
  if (Array.isArray(value) && value.length > 0 && below(5) > 0) {
    const at = below(value.length)
    return value.with(at, changedSomewhere(value[at] as Json, choose, values, name))
  }
  if (!isObject(value) || Object.keys(value).length === 0 || below(8) === 0) return another(name, value, choose, values)
  const member = pick(Object.keys(value))
  if (below(10) === 0) return without(value, member)
  if (below(10) === 0) {
    const added = pick([...values.keys()])
    return { ...value, [added]: pick(values.get(added) as readonly Json[]) }
  }
  return { ...value, [member]: changedSomewhere(value[member] as Json, choose, values, member) }
}

function without(object: JsonObject, name: string): JsonObject {
  const { [name]: _, ...others } = object
  return others
}
