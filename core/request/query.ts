/** Converts query parameters to options by the reference server's rules. The first of several values is used. */
import { badRequest } from '../answers/status.ts'
import { int64Fault, parsedInt64 } from '../schema/go/parse-int.ts'
import { quote } from '../schema/go/quote.ts'

export type Reader<T> = (values: readonly string[]) => T

export const text: Reader<string> = ([first = '']) => first
export const texts: Reader<readonly string[]> = (values) => values

/** True for everything except `0` and `false`; the empty string is true as well. */
export const flag: Reader<boolean> = ([first = '']) => first !== '0' && first.toLowerCase() !== 'false'

function int64(given: string): bigint {
  const value = parsedInt64(given)
  if (value !== undefined) return value
  throw badRequest(int64Fault(given))
}

/** A 64-bit integer. Throws BadRequest. */
export const integer: Reader<number> = ([first = '']) => Number(int64(first))

const nanoseconds = 1_000_000_000

/** Seconds, as a Go duration: 64 bits of nanoseconds, so that more than 292 years may become anything. Throws BadRequest. */
export const seconds: Reader<number> = ([first = '']) => Number(BigInt.asIntN(64, int64(first) * BigInt(nanoseconds))) / nanoseconds

/** Ports, also separated by commas. Throws BadRequest. */
export const portNumbers: Reader<number[]> = (values) =>
  values
    .flatMap((value) => value.split(','))
    .map((each) => {
      const problem = !/^[0-9]+$/.test(each) ? 'invalid syntax' : Number(each) > 65_535 ? 'value out of range' : undefined
      if (problem === undefined) return Number(each)
      throw badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${quote(each)}: ${problem}`)
    })

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
