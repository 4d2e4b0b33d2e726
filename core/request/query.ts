/** Converts query parameters to options by the reference server's rules. The first of several values is used. */
import { badRequest } from '../respond/status.ts'

export type Reader<T> = (values: readonly string[]) => T

const maxInt64 = 2n ** 63n - 1n

export const text: Reader<string> = ([first = '']) => first
export const texts: Reader<readonly string[]> = (values) => values

/** True for everything except `0` and `false`; the empty string is true as well. */
export const flag: Reader<boolean> = ([first = '']) => first !== '0' && first.toLowerCase() !== 'false'

/** A 64-bit integer. Throws BadRequest. */
export const integer: Reader<number> = ([first = '']) => {
  const fail = (why: string) => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(first)}: ${why}`)
  if (!/^[+-]?[0-9]+$/.test(first)) throw fail('invalid syntax')
  const value = BigInt(first.startsWith('+') ? first.slice(1) : first)
  if (value > maxInt64 || value < -maxInt64 - 1n) throw fail('value out of range')
  return Number(value)
}

export type Readers = { readonly [name: string]: Reader<unknown> }
export type Read<R extends Readers> = { [K in keyof R]?: R[K] extends Reader<infer T> ? T : never }

/** Reads the parameters in the table; absent ones stay absent. */
export function readQuery<R extends Readers>(query: URLSearchParams, readers: R): Read<R> {
  const found: { [name: string]: unknown } = {}
  if (query.size === 0) return found as Read<R>
  for (const name of Object.keys(readers)) {
    const values = query.getAll(name)
    if (values.length > 0) found[name] = (readers[name] as Reader<unknown>)(values)
  }
  return found as Read<R>
}
