import type { Observation } from '../observer.ts'
import { randomBytes } from '../transformer.ts'

/** Random bytes for a data encryption key, or for a seed of such keys. */
export function dataKey(length: number, { observer, clock }: Observation): Uint8Array {
  const began = clock.monotonic()
  const key = randomBytes(length)
  observer.madeKey(clock.monotonic() - began)
  return key
}
