/**
 * The length of the salt in a signature with RSASSA-PSS (RFC 8017 9.1.2), which verifiers may take from the signature, as Go does
 * (PSSSaltLengthAuto), while Web Crypto must be told.
 */
import { bitsOf, childrenOf, readDer, unsignedOf } from '../../schema/formats/der.ts'

const hashLength = 32
/** Bytes of MGF1's counter. */
const counterLength = 4
/** The greatest exponent that Go accepts. */
const maxExponent = 2n ** 31n - 1n

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  for (let left = exponent, square = base % modulus; left > 0n; left >>= 1n, square = (square * square) % modulus)
    if (left & 1n) result = (result * square) % modulus
  return result
}

function bytesOf(value: bigint, length: number): Uint8Array<ArrayBuffer> {
  const digits = value.toString(16).padStart(2 * length, '0')
  return Uint8Array.from({ length }, (_, index) => Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16))
}

/** Mask of the length made from a seed (MGF1 with SHA-256, RFC 8017 B.2.1). */
async function maskOf(seed: Uint8Array, length: number): Promise<Uint8Array> {
  const mask = new Uint8Array(Math.ceil(length / hashLength) * hashLength)
  for (let block = 0; block * hashLength < length; block++) {
    const counted = new Uint8Array(seed.length + counterLength)
    counted.set(seed)
    counted.set([0, 0, block >> 8, block & 0xff], seed.length)
    mask.set(new Uint8Array(await crypto.subtle.digest('SHA-256', counted)), block * hashLength)
  }
  return mask.subarray(0, length)
}

/** Bytes of the salt of a signature with SHA-256, made with the key, a SubjectPublicKeyInfo of RSA; undefined: it is no such signature. Throws for malformed keys. */
export async function pssSaltLength(keyInfo: Uint8Array, signature: Uint8Array): Promise<number | undefined> {
  const [, bits] = childrenOf(readDer(keyInfo))
  const [modulus, exponent] = bits ? childrenOf(readDer(bitsOf(bits))).map(({ content }) => unsignedOf(content)) : []
  if (modulus === undefined || exponent === undefined || exponent > maxExponent) return undefined
  const size = modulus.toString(2).length
  const length = Math.ceil((size - 1) / 8)
  const value = unsignedOf(signature)
  if (signature.length !== Math.ceil(size / 8) || value >= modulus) return undefined
  const encoded = power(value, exponent, modulus)
  if (encoded >= 1n << BigInt(8 * length)) return undefined
  const message = bytesOf(encoded, length)
  const end = length - hashLength - 1
  const mask = await maskOf(message.subarray(end, end + hashLength), end)
  const data = message.subarray(0, end).map((byte, index) => byte ^ (mask[index] ?? 0))
  // Bits beyond the modulus are cleared.
  data[0] = (data[0] ?? 0) & (0xff >> (8 * length - (size - 1)))
  const separator = data.findIndex((byte) => byte !== 0)
  return separator >= 0 && data[separator] === 1 ? end - separator - 1 : undefined
}
