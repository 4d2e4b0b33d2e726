/** Arithmetic on resource lists for quotas. */
import { add, combine, compare, type ResourceList, signOf } from '../../resources/core/quantities.ts'
import { formatQuantity, parseQuantity, subtractQuantities } from '../../schema/formats/quantity.ts'

export type Amounts = { readonly [resource: string]: string }

export const sum = (a: Amounts, b: Amounts): Amounts => combine(a as ResourceList, b as ResourceList, add)
const minus = (a: string, b: string) => formatQuantity(subtractQuantities(parseQuantity(a), parseQuantity(b)))
const floored = (amount: string) => (signOf(amount) < 0 ? '0' : amount)

const mapped = (amounts: Amounts, change: (amount: string, name: string) => string | undefined): Amounts =>
  Object.fromEntries(
    Object.entries(amounts).flatMap(([name, amount]) => {
      const changed = change(amount, name)
      return changed === undefined ? [] : [[name, changed]]
    }),
  )

/** `a` minus `b`, at least zero. */
export const excess = (a: Amounts, b: Amounts): Amounts =>
  mapped(a, (amount, name) => (b[name] === undefined ? amount : floored(minus(amount, b[name]))))

/** Selects resources by name. */
export const only = (amounts: Amounts, has: (name: string) => boolean): Amounts =>
  mapped(amounts, (amount, name) => (has(name) ? amount : undefined))

export const positive = (amounts: Amounts): Amounts => mapped(amounts, (amount) => (signOf(amount) > 0 ? amount : undefined))
export const negativeNames = (amounts: Amounts): readonly string[] =>
  Object.keys(amounts).filter((name) => signOf(amounts[name] ?? '0') < 0)
export const isEmpty = (amounts: Amounts) => Object.keys(amounts).length === 0

/** Names of resources above their limit. */
export const exceeded = (amounts: Amounts, limits: Amounts): readonly string[] =>
  Object.keys(amounts).filter((name) => limits[name] !== undefined && compare(amounts[name] ?? '0', limits[name]) > 0)

export function areEqual(a: Amounts, b: Amounts): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => b[name] !== undefined && compare(a[name] ?? '0', b[name]) === 0)
}

/** `cpu=1,pods=2` */
export const textOf = (amounts: Amounts): string =>
  Object.keys(amounts)
    .sort()
    .map((name) => `${name}=${amounts[name]}`)
    .join(',')
