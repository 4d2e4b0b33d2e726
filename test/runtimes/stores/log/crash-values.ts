import { createHash, randomBytes } from 'node:crypto'

/** A value that starts with eight bytes of the hash of the rest. */
export function seal(size: number): Buffer {
  const body = randomBytes(size)
  return Buffer.concat([hash(body), body])
}

/** The hash of a sealed value in hexadecimal; throws if the value is torn. */
export function sealOf(value: Uint8Array): string {
  const found = Buffer.from(value.subarray(0, 8))
  if (!found.equals(hash(value.subarray(8)))) throw new Error(`torn value of ${value.byteLength} bytes`)
  return found.toString('hex')
}

function hash(body: Uint8Array): Buffer {
  return createHash('sha256').update(body).digest().subarray(0, 8)
}
