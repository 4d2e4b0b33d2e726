/** Arithmetic on resource lists: resource name to quantity. */
import { addQuantities, compareQuantities, formatQuantity, parseQuantity, signOfQuantity } from '../../schema/formats/quantity.ts'

export type ResourceList = { [name: string]: string }

export const compare = (a: string, b: string) => (a === b ? 0 : compareQuantities(parseQuantity(a), parseQuantity(b)))
export const add = (a: string, b: string) => formatQuantity(addQuantities(parseQuantity(a), parseQuantity(b)))
export const signOf = signOfQuantity
export const greater = (a: string, b: string) => (compare(a, b) < 0 ? b : a)

/** Combines two lists; resources in only one of them are copied. */
export function combine(a: ResourceList, b: ResourceList, by: (a: string, b: string) => string): ResourceList {
  return accumulate({ ...a }, b, by)
}

/** As `combine`, in place. Returns the changed list. */
export function accumulate(into: ResourceList, list: ResourceList, by: (a: string, b: string) => string): ResourceList {
  for (const [name, amount] of Object.entries(list)) into[name] = Object.hasOwn(into, name) ? by(into[name] as string, amount) : amount
  return into
}
