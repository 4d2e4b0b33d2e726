/** Selects a shard of a collection: ranges of the hash of a field (KEP-5866; apiserver/pkg/sharding, apimachinery/pkg/sharding). */

import { unreasoned } from '../answers/status.ts'
import type { Call, Expr } from '../cel/syntax/ast.ts'
import { parse } from '../cel/syntax/parser.ts'
import { CelDouble, CelUint } from '../cel/values/numbers.ts'
import { quote } from '../schema/go/quote.ts'
import { fnv1a, type Hash, isBelow } from './fnv.ts'

const fields = { 'object.metadata.uid': 'uid', 'object.metadata.namespace': 'namespace' } as const

/** Field of metadata whose hash decides. */
export type ShardField = (typeof fields)[keyof typeof fields]

export interface ShardSelector {
  readonly field: ShardField
  /** As lists repeat it. */
  readonly text: string
  /** Whether an object is in the shard, by the value of the field. */
  matches(value: string): boolean
}

interface Range {
  readonly key: string
  readonly start: string
  readonly end: string
}

/** Numbers of cel-go's kinds of expressions, which its texts have. */
const kinds = { call: 1, fold: 2, ident: 3, list: 4, literal: 5, map: 6, select: 7, struct: 8 } as const satisfies Record<
  Expr['kind'],
  number
>

const digits = 16
const all = '0x10000000000000000'

/** The reference does not make a Status of these errors. */
const fail = (why: string) => unreasoned(`invalid shard selector: ${why}`)

/** Go's name of the type of a literal. */
function typeOf(value: unknown): string {
  if (value === null) return 'structpb.NullValue'
  if (typeof value === 'boolean') return 'bool'
  if (value instanceof Uint8Array) return '[]uint8'
  if (value instanceof CelUint) return 'uint64'
  return value instanceof CelDouble ? 'float64' : 'int64'
}

function pathOf(node: Expr): string {
  if (node.kind === 'ident') return node.name
  if (node.kind === 'select') return `${pathOf(node.operand)}.${node.field}`
  throw fail(`shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${kinds[node.kind]}`)
}

function boundOf(node: Expr, name: string): string {
  if (node.kind !== 'literal') throw fail(`${name} must be a string literal (e.g. '0xff'), got expression kind ${kinds[node.kind]}`)
  const { value } = node
  if (typeof value !== 'string') throw fail(`${name} must be a string literal, got ${typeOf(value)}`)
  if (!value.startsWith('0x')) throw fail(`${name} must have '0x' prefix, got ${quote(value)}`)
  const hex = value.slice(2)
  const size = new TextEncoder().encode(hex).length
  if (size === 0) throw fail(`${name}: hex value is required after '0x'`)
  if (size > digits + 1) throw fail(`${name}: hex value too long (${size} chars, max ${digits + 1}): ${quote(hex)}`)
  const odd = /[^0-9a-f]/u.exec(hex)
  if (odd) throw fail(`${name}: invalid hex character ${quote(odd[0])} in ${quote(value)}`)
  if (size === digits + 1) {
    if (value !== all) throw fail(`${name}: ${digits + 1}-digit hex value must be '${all}' (2^64), got ${quote(value)}`)
  } else if (size < digits) {
    const meant = quote(`0x${hex.padStart(digits, '0')}`)
    throw fail(`${name} must be a 0x-prefixed ${digits}-digit hex value, got ${quote(value)} (did you mean ${meant}?)`)
  }
  return value
}

function rangeOf({ args }: Call): Range {
  const [field, from, to] = args
  if (args.length !== 3) throw fail(`shardRange() requires exactly 3 arguments, got ${args.length}`)
  const key = pathOf(field as Expr)
  if (!Object.hasOwn(fields, key)) throw fail(`unsupported field path ${quote(key)}; supported: ${Object.keys(fields).join(', ')}`)
  const start = boundOf(from as Expr, 'hexStart')
  const end = boundOf(to as Expr, 'hexEnd')
  if (start.length > end.length || (start.length === end.length && start >= end))
    throw fail(`shard range start ${start} must be less than end ${end}`)
  return { key, start, end }
}

/** The ranges of calls that `||` joins. */
function rangesOf(node: Expr): readonly Range[] {
  if (node.kind !== 'call') throw fail(`unexpected expression kind ${kinds[node.kind]}; expected shardRange() call or || operator`)
  if (node.function === '_||_') return node.args.flatMap(rangesOf)
  if (node.function === 'shardRange') return [rangeOf(node)]
  throw fail(`unsupported function ${quote(node.function)}; only shardRange() and || are allowed`)
}

/** Of 64 bits and one more. */
const numberOf = (bound: string): Hash => {
  const hex = bound.slice(2).padStart(digits + 1, '0')
  return { high: Number.parseInt(hex.slice(0, -8), 16), low: Number.parseInt(hex.slice(-8), 16) }
}

/** Parses a selector such as `shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')`. Throws an ApiError of code 500. */
export function parseShardSelector(given: string): ShardSelector {
  const expression = given.trim()
  if (expression === '') throw fail('empty shard selector is not allowed; omit the parameter for unfiltered lists')
  const parsed = parse(expression, { macros: new Map(), optionals: false })
  if ('issues' in parsed) throw fail(`CEL parse error: ${parsed.issues[0]?.message}`)
  const ranges = rangesOf(parsed.tree)
  const [{ key }] = ranges as [Range]
  const other = ranges.find((each) => each.key !== key)
  if (other) throw fail(`all shard ranges must use the same field, got ${quote(key)} and ${quote(other.key)}`)
  const bounds = ranges.map(({ start, end }) => ({ start: numberOf(start), end: numberOf(end) }))
  return {
    field: fields[key as keyof typeof fields],
    text: ranges.map(({ start, end }) => `shardRange(${key}, '${start}', '${end}')`).join(' || '),
    matches(value) {
      const hash = fnv1a(value)
      return bounds.some(({ start, end }) => !isBelow(hash, start) && isBelow(hash, end))
    },
  }
}
