import { concatenate } from '../schema/bytes.ts'
import { neverStale, randomBytes, source, TransformError, type Transformer, tooShort } from './transformer.ts'

const nonceLength = 12
const keyLengths = [16, 24, 32]

/** AES-GCM (NIST SP 800-38D): a random nonce of 12 bytes, the ciphertext, the tag. The path is authenticated data. */
export async function aesGcm(secret: Uint8Array): Promise<Transformer> {
  if (!keyLengths.includes(secret.length)) throw new TransformError(`crypto/aes: invalid key size ${secret.length}`)
  const key = await crypto.subtle.importKey('raw', source(secret), 'AES-GCM', false, ['encrypt', 'decrypt'])
  const parameters = (nonce: Uint8Array, path: Uint8Array) => ({ name: 'AES-GCM', iv: source(nonce), additionalData: source(path) })

  return {
    async fromStored(stored, path) {
      if (stored.length < nonceLength) throw new TransformError(tooShort)
      const nonce = stored.subarray(0, nonceLength)
      try {
        const plain = await crypto.subtle.decrypt(parameters(nonce, path), key, source(stored.subarray(nonceLength)))
        return { bytes: new Uint8Array(plain), isStale: neverStale }
      } catch {
        throw new TransformError('cipher: message authentication failed')
      }
    },
    async toStored(plain, path) {
      const nonce = randomBytes(nonceLength)
      return concatenate([nonce, new Uint8Array(await crypto.subtle.encrypt(parameters(nonce, path), key, source(plain)))])
    },
  }
}
