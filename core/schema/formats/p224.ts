/**
 * Signatures with ECDSA over the curve P-224 (FIPS 186-5 6.4.2, SP 800-186 3.2.1.2), which Web Crypto has not. Keys and signatures are public: the
 * time that it takes, some milliseconds, may depend on them.
 */
import { childrenOf, readDer, tags, unsignedOf } from './der.ts'

const p = 2n ** 224n - 2n ** 96n + 1n
const order = 0xffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3dn
const b = 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n
/** Bytes of a coordinate, and of the part of a hash that is signed. */
const size = 28

/** A point in Jacobian coordinates: (x / z², y / z³); at infinity, z is 0. */
interface Point {
  readonly x: bigint
  readonly y: bigint
  readonly z: bigint
}

const base: Point = {
  x: 0xb70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21n,
  y: 0xbd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34n,
  z: 1n,
}
const infinity: Point = { x: 1n, y: 1n, z: 0n }

const modulo = (value: bigint, modulus: bigint) => ((value % modulus) + modulus) % modulus
const inField = (value: bigint) => modulo(value, p)

function inverse(value: bigint, modulus: bigint): bigint {
  let [remainder, next] = [modulus, modulo(value, modulus)]
  let [factor, nextFactor] = [0n, 1n]
  while (next !== 0n) {
    const quotient = remainder / next
    ;[remainder, next] = [next, remainder - quotient * next]
    ;[factor, nextFactor] = [nextFactor, factor - quotient * nextFactor]
  }
  return modulo(factor, modulus)
}

/** With a = -3, as for all curves of NIST. */
function doubled({ x, y, z }: Point): Point {
  const squareOfZ = inField(z * z)
  const squareOfY = inField(y * y)
  const product = inField(x * squareOfY)
  const slope = inField(3n * (x - squareOfZ) * (x + squareOfZ))
  const doubledX = inField(slope * slope - 8n * product)
  return { x: doubledX, y: inField(slope * (4n * product - doubledX) - 8n * squareOfY * squareOfY), z: inField(2n * y * z) }
}

function sum(a: Point, other: Point): Point {
  if (a.z === 0n) return other
  if (other.z === 0n) return a
  const [squareA, squareB] = [inField(a.z * a.z), inField(other.z * other.z)]
  const [xA, xB] = [inField(a.x * squareB), inField(other.x * squareA)]
  const [yA, yB] = [inField(a.y * squareB * other.z), inField(other.y * squareA * a.z)]
  const [width, height] = [inField(xB - xA), inField(yB - yA)]
  if (width === 0n) return height === 0n ? doubled(a) : infinity
  const square = inField(width * width)
  const cube = inField(square * width)
  const x = inField(height * height - cube - 2n * xA * square)
  return { x, y: inField(height * (xA * square - x) - yA * cube), z: inField(width * a.z * other.z) }
}

function times(point: Point, factor: bigint): Point {
  let result = infinity
  for (const bit of factor.toString(2)) {
    result = doubled(result)
    if (bit === '1') result = sum(result, point)
  }
  return result
}

/** The point of an uncompressed key (SEC 1 2.3.4); undefined: it is not on the curve. */
function pointOf(key: Uint8Array): Point | undefined {
  if (key.length !== 1 + 2 * size || key[0] !== 4) return undefined
  const [x, y] = [unsignedOf(key.subarray(1, 1 + size)), unsignedOf(key.subarray(1 + size))]
  const isOnCurve = x < p && y < p && inField(y * y - x * x * x + 3n * x - b) === 0n
  return isOnCurve ? { x, y, z: 1n } : undefined
}

/** A positive INTEGER below the order of the curve. */
function scalarOf(number: { readonly tag: number; readonly content: Uint8Array } | undefined): bigint | undefined {
  if (number?.tag !== tags.integer || number.content.length > size + 1 || (number.content[0] ?? 0x80) >= 0x80) return undefined
  const value = unsignedOf(number.content)
  return value > 0n && value < order ? value : undefined
}

/** Whether a signature (a sequence of two INTEGERs) of a hash of 20 bytes or more is that of the key, an uncompressed point. Throws for other DER. */
export function verifiesP224(key: Uint8Array, hash: Uint8Array, signature: Uint8Array): boolean {
  const numbers = childrenOf(readDer(signature))
  const [r, s] = numbers.map(scalarOf)
  const point = pointOf(key)
  if (numbers.length !== 2 || r === undefined || s === undefined || point === undefined) return false
  const inverted = inverse(s, order)
  const signed = unsignedOf(hash.subarray(0, size))
  const { x, z } = sum(times(base, modulo(signed * inverted, order)), times(point, modulo(r * inverted, order)))
  return z !== 0n && modulo(inField(x * inverse(z * z, p)), order) === r
}
