import { concatenate } from '../schema/bytes.ts'
import { neverStale, randomBytes, source, TransformError, type Transformer, tooShort } from './transformer.ts'

const blockLength = 16

/** AES-CBC with PKCS #7 padding: a random initialization vector of 16 bytes, then the ciphertext. Without authentication. */
export async function aesCbc(secret: Uint8Array): Promise<Transformer> {
  const key = await crypto.subtle.importKey('raw', source(secret), 'AES-CBC', false, ['encrypt', 'decrypt'])
  const parameters = (iv: Uint8Array) => ({ name: 'AES-CBC', iv: source(iv) })

  return {
    async fromStored(stored) {
      if (stored.length < blockLength) throw new TransformError(tooShort)
      const [iv, data] = [stored.subarray(0, blockLength), stored.subarray(blockLength)]
      if (data.length % blockLength !== 0) throw new TransformError('the stored data is not a multiple of the block size')
      if (data.length === 0) throw new TransformError('invalid PKCS7 data (empty or not padded)')
      try {
        return { bytes: new Uint8Array(await crypto.subtle.decrypt(parameters(iv), key, source(data))), isStale: neverStale }
      } catch {
        throw new TransformError('invalid padding on input')
      }
    },
    async toStored(plain) {
      const iv = randomBytes(blockLength)
      return concatenate([iv, new Uint8Array(await crypto.subtle.encrypt(parameters(iv), key, source(plain)))])
    },
  }
}
