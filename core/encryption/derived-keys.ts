import { concatenate } from '../schema/bytes.ts'
import { aesGcm } from './aes-gcm.ts'
import { randomBytes, source, TransformError, type Transformer, tooShort } from './transformer.ts'

/** Minimum bytes of the seed, and bytes of the info parameter of each derived key. */
export const seedLength = 32
const infoLength = 32
/** HKDF-Expand counts output blocks from one; one block is enough for a key. */
const firstBlock = Uint8Array.of(1)

/**
 * AES-GCM with a derived key per value: 32 random bytes, then the AES-GCM output under the key that HKDF-Expand with SHA-256
 * (RFC 5869, 2.3) derives from the seed and those bytes. No key reaches the limit of AES-GCM on messages per key.
 */
export async function derivedKeys(seed: Uint8Array): Promise<Transformer> {
  if (seed.length < seedLength) throw new TransformError(`invalid seed length ${seed.length} used for key generation`)
  const key = await crypto.subtle.importKey('raw', source(seed), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const derive = async (info: Uint8Array) => aesGcm(new Uint8Array(await crypto.subtle.sign('HMAC', key, concatenate([info, firstBlock]))))

  return {
    async fromStored(stored, path) {
      if (stored.length < infoLength) throw new TransformError(tooShort)
      const transformer = await derive(stored.subarray(0, infoLength))
      return transformer.fromStored(stored.subarray(infoLength), path)
    },
    async toStored(plain, path) {
      const info = randomBytes(infoLength)
      const transformer = await derive(info)
      return concatenate([info, await transformer.toStored(plain, path)])
    },
  }
}
