import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { concatenate } from '../schema/bytes.ts'
import { neverStale, randomBytes, TransformError, type Transformer, tooShort } from './transformer.ts'

const nonceLength = 24
const tagLength = 16

/** NaCl's secretbox, XSalsa20 and Poly1305: a random nonce of 24 bytes, the tag, the ciphertext. The path is not authenticated. */
export function secretbox(secret: Uint8Array): Transformer {
  return {
    async fromStored(stored) {
      if (stored.length < nonceLength + tagLength) throw new TransformError(tooShort)
      try {
        return {
          bytes: xsalsa20poly1305(secret, stored.subarray(0, nonceLength)).decrypt(stored.subarray(nonceLength)),
          isStale: neverStale,
        }
      } catch {
        // The reference server's text for a wrong tag.
        throw new TransformError('output array was not large enough for encryption')
      }
    },
    async toStored(plain) {
      const nonce = randomBytes(nonceLength)
      return concatenate([nonce, xsalsa20poly1305(secret, nonce).encrypt(plain)])
    },
  }
}
