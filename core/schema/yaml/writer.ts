import { goFloat } from '../go/number.ts'
import type { Json, JsonObject } from '../model.ts'
import { Emitter, isShortKey } from './emitter.ts'
import { compareKeys } from './key-order.ts'

/** Integers that the reference reads as such: 64 bits. */
const maxInteger = 2 ** 64

/** A number as the reference writes it. */
function numberText(value: number | bigint): string {
  if (typeof value === 'bigint' || (Number.isInteger(value) && Math.abs(value) < maxInteger)) return BigInt(value).toString()
  return goFloat(value)
}

const isEmpty = (value: object) => (Array.isArray(value) ? value : Object.keys(value)).length === 0

function writeNode(out: Emitter, value: Json, isMember: boolean): void {
  if (typeof value === 'string') out.string(value)
  else if (typeof value === 'number' || typeof value === 'bigint') out.literal(numberText(value))
  else if (typeof value !== 'object' || value === null) out.literal(String(value))
  else if (isEmpty(value)) out.indicator(Array.isArray(value) ? '[]' : '{}', true)
  else if (Array.isArray(value)) writeItems(out, value, isMember)
  else writeMembers(out, value)
}

function writeMembers(out: Emitter, object: JsonObject): void {
  const outer = out.indent
  out.indent = outer < 0 ? 0 : outer + 2
  for (const key of Object.keys(object).sort(compareKeys)) {
    const value = object[key] as Json
    if (value === undefined) continue
    out.line()
    if (isShortKey(key)) {
      out.string(key, true)
      out.indicator(':', false)
    } else {
      out.indicator('?', true, true)
      out.string(key)
      out.line()
      out.indicator(':', true, true)
    }
    writeNode(out, value, true)
  }
  out.indent = outer
}

/** Lists are at the indentation of their key. */
function writeItems(out: Emitter, items: readonly Json[], isMember: boolean): void {
  const outer = out.indent
  if (outer < 0) out.indent = 0
  else if (!isMember || out.isIndenting) out.indent = outer + 2
  for (const item of items) {
    out.line()
    out.indicator('-', true, true)
    writeNode(out, item, false)
  }
  out.indent = outer
}

/**
 * YAML that readers of versions 1.1 and 1.2 read alike, byte for byte as the reference writes it: blocks, sorted members, quotes only where
 * they are needed, long lines folded. Undefined members are omitted.
 */
export function writeYaml(value: Json): string {
  const out = new Emitter()
  writeNode(out, value, false)
  out.line(0)
  return out.text
}
