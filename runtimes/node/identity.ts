import { createHash } from 'node:crypto'
import { hostname } from 'node:os'

const digits = '0123456789abcdefghijklmnopqrstuv'
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** 16 bytes in base32 (RFC 4648 6), in lower case and without padding: 26 digits of 5 bits, of which the last 2 are none of theirs. */
function base32(bytes: Buffer): string {
  const number = (BigInt(`0x${bytes.toString('hex')}`) << 2n).toString(32).padStart(26, '0')
  return number.replaceAll(/./g, (digit) => alphabet.charAt(digits.indexOf(digit)))
}

/** A text after its length in two bytes. */
function prefixed(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

/**
 * What tells this server from its replicas (KEP-1965): the same after a restart, and under the reference server's program name the
 * one that it would have on this host. `program` tells kinds of API servers on one host apart.
 */
export function hostIdentity(program: string, host = hostname()): string {
  const digest = createHash('sha256')
    .update(Buffer.concat([prefixed(host), prefixed(program)]))
    .digest()
  return `apiserver-${base32(digest.subarray(0, 16))}`
}
