/** Warnings about fractional bytes, such as `100m` of memory. */
import type { FieldPath } from '../../schema/field-path.ts'
import { formatQuantity, parseQuantity, scaledQuantity } from '../../schema/formats/quantity.ts'

/** Fast check whether a quantity may have a fraction; most have none. */
const mayBeFraction = (text: string) => /[.mnue-]/.test(text)

/** @param amounts valid quantities; @param at their path, with the following steps. */
export function* byteWarnings(
  amounts: { readonly [resource: string]: string } | undefined,
  names: readonly string[],
  at: FieldPath,
  ...steps: readonly string[]
): Iterable<string> {
  for (const name of names) {
    const text = amounts?.[name]
    if (text === undefined || !mayBeFraction(text)) continue
    const quantity = parseQuantity(text)
    if (quantity.exponent >= 0 || scaledQuantity(quantity, -3) % 1000n === 0n) continue
    const path = steps.reduce((path, step) => path.child(step), at)
    yield `${path.key(name)}: fractional byte value ${JSON.stringify(formatQuantity(quantity))} is invalid, must be an integer`
  }
}
