import { createHash } from 'node:crypto'
import { hostname } from 'node:os'

const digits = '0123456789abcdefghijklmnopqrstuv'
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** 16 bytes in base32 (RFC 4648 6), in lower case, without padding: 26 digits, the last with 2 unused bits. */
function base32(bytes: Buffer): string {
  const number = (BigInt(`0x${bytes.toString('hex')}`) << 2n).toString(32).padStart(26, '0')
  return number.replaceAll(/./g, (digit) => alphabet.charAt(digits.indexOf(digit)))
}

/** A text with its length in two bytes before it. */
function prefixed(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

/**
 * Identity of this replica (KEP-1965), stable across restarts. Under the name `kube-apiserver` it equals the one that the reference server
 * has on this host. `program` distinguishes API servers of different programs on one host.
 */
export function hostIdentity(program: string, host = hostname()): string {
  const digest = createHash('sha256')
    .update(Buffer.concat([prefixed(host), prefixed(program)]))
    .digest()
  return `apiserver-${base32(digest.subarray(0, 16))}`
}
