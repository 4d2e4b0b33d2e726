/** Warnings about amounts of bytes that are no whole numbers, such as `100m` for memory. */
import type { FieldPath } from '../../schema/field-path.ts'
import { formatQuantity, parseQuantity, scaledQuantity } from '../../schema/quantity.ts'

/** @param amounts quantities that are valid. */
export function* byteWarnings(
  amounts: { readonly [resource: string]: string } | undefined,
  names: readonly string[],
  path: FieldPath,
): Iterable<string> {
  for (const name of names) {
    const text = amounts?.[name]
    if (text === undefined) continue
    const quantity = parseQuantity(text)
    if (quantity.exponent >= 0 || scaledQuantity(quantity, -3) % 1000n === 0n) continue
    yield `${path.key(name)}: fractional byte value ${JSON.stringify(formatQuantity(quantity))} is invalid, must be an integer`
  }
}
