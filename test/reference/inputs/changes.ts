/** What is tried at each place of an object. */
import type { Field, Json, JsonObject, Schema } from '../../../core/schema/model.ts'
import { plausible } from './plausible.ts'

/** A value and a word for it. Undefined leaves the place out. */
export type Change = readonly [what: string, value: Json | undefined]

const text = ['UPPER', 'a b', '-x', 'x.y', 'example.com/x', 'a/b/c', '*', 'é', '../x', '/x', '192.0.2.1', '0', 'x\n']
const long = 'x'.repeat(300)
const integers: readonly Json[] = [0, -1, 2, 65_536, 2_147_483_648, 1e20, 1.5]

const named = (values: readonly Json[]): Change[] => values.map((value) => [JSON.stringify(value), value])

/** By type of the schema. */
const byType: { readonly [type: string]: readonly Change[] } = {
  string: [['wrong type: number', 1], ['wrong type: object', {}], ...named(text), ['long', long]],
  bytes: [['wrong type: number', 1], ...named(['!', 'eA', 'eB==', 'e A=='])],
  bool: [...named([true, false, 'true', 1])],
  int32: [['wrong type: text', '1'], ['wrong type: object', {}], ...named(integers)],
  int64: [['wrong type: text', '1'], ['wrong type: object', {}], ...named(integers)],
  double: [['wrong type: text', '1'], ...named([0, -1, 1.5])],
  time: [
    ['wrong type: number', 1],
    ...named(['2026-01-01T01:00:00+02:00', '2026-01-01', '0001-01-01T00:00:00Z', '2026-01-01T00:00:00.5Z', 'x']),
  ],
  microTime: [['wrong type: number', 1], ...named(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123456789Z', 'x'])],
  duration: [['wrong type: number', 1], ...named(['1h', '-1s', '0', '1', 'x', '90m'])],
  quantity: [...named(['0', '-1', '1.5', '1m', '0.1m', '1Ki', '1e3', '1E', 'x', '', '1 ', 1, 1.5, {}])],
  intOrString: [...named([0, -1, 65_536, '50%', '101%', '-1%', 'x', '', 'Http', 1.5, {}])],
  any: [...named([[], 'x', 1])],
  list: [
    ['wrong type: object', {}],
    ['wrong type: text', 'x'],
    ['null item', [null]],
  ],
  map: [
    ['wrong type: list', []],
    ['wrong type: text', 'x'],
  ],
  message: [
    ['wrong type: list', []],
    ['wrong type: text', 'x'],
  ],
}

/** Keys that are tried in maps. */
const keys = ['', 'UPPER', 'a b', 'example.com/x', 'a/b/c', long, '-x', 'x.y']

function structural(schema: Schema, name: string): Change[] {
  if (schema.type === 'list') {
    const item = plausible(schema.items, name)
    return [
      ['empty', []],
      ['empty item', [emptyOf(schema.items)]],
      ['duplicate', [item, item]],
      ['two', [item, other(item)]],
      ['many', Array.from({ length: 70 }, (_, index) => other(item, `${index}`))],
    ]
  }
  if (schema.type === 'map') {
    const value = plausible(schema.values)
    return [['empty', {}], ['null value', { key: null }], ...keys.map((key): Change => [`key ${key.slice(0, 20)}`, { [key]: value }])]
  }
  if (schema.type === 'message')
    return [
      ['empty', {}],
      ['unknown neighbour', { ...(plausible(schema) as JsonObject), unknownNeighbour: 1 }],
      ['capital neighbour', capital(plausible(schema) as JsonObject)],
    ]
  return schema.type === 'string' ? [['empty', '']] : []
}

const emptyOf = (schema: Schema): Json =>
  schema.type === 'message' || schema.type === 'map' ? {} : schema.type === 'list' ? [] : schema.type === 'string' ? '' : null

/** The item with another text in its first text, usually its name. */
function other(item: Json, suffix = 'y'): Json {
  if (typeof item === 'string') return item + suffix
  if (typeof item === 'number') return item + suffix.length
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
  const [name, value] = Object.entries(item).find(([, own]) => typeof own === 'string') ?? []
  return name === undefined ? item : { ...item, [name]: `${value as string}${suffix}` }
}

function capital(value: JsonObject): JsonObject {
  const [[name, own] = ['Any', 1]] = Object.entries(value)
  return { ...value, [`${name[0]?.toUpperCase()}${name.slice(1)}`]: own }
}

/** All changes at a place, the most telling first: left out, null, a plausible value, then odd ones. */
export function changesOf(schema: Schema, field: Field | undefined, name: string): Change[] {
  const { facets } = schema
  const enumerated = [...(facets?.enum ?? facets?.publishedEnum ?? []), ...(facets?.openEnum ?? [])]
  const all: Change[] = [
    ['left out', undefined],
    ['plausible', plausible(schema, name)],
    ['null', null],
    ...(byType[schema.type] ?? []).slice(0, 1),
    ...structural(schema, name),
    ...named(enumerated.slice(1)),
    ...(byType[schema.type] ?? []).slice(1),
    ...(field?.default === undefined ? [] : named([field.default])),
  ]
  const seen = new Set<string>()
  return all.filter(([what]) => !seen.has(what) && seen.add(what))
}
