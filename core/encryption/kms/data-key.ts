import type { Measures } from '../metrics.ts'
import { randomBytes } from '../transformer.ts'

/** Random bytes for a data encryption key, or for a seed of such keys. */
export function dataKey(length: number, { metrics, clock }: Measures): Uint8Array {
  const began = clock.monotonic()
  const key = randomBytes(length)
  metrics.made.observe([], (clock.monotonic() - began) / 1000)
  return key
}
