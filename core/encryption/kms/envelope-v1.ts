import { concatenate } from '../../schema/bytes.ts'
import { encodeBase64 } from '../../schema/formats/base64.ts'
import { aesCbc } from '../aes-cbc.ts'
import { aesGcm } from '../aes-gcm.ts'
import { either } from '../choice.ts'
import { unmeasured } from '../metrics.ts'
import { TransformError, type Transformer } from '../transformer.ts'
import { dataKey } from './data-key.ts'
import { Recent } from './recent.ts'
import type { ServiceV1 } from './service-v1.ts'

const keyLength = 32
const lengthBytes = 2

/** Writes with AES-GCM; also reads the AES-CBC values that releases before 1.25 wrote. */
async function dataTransformer(key: Uint8Array): Promise<Transformer> {
  const gcm = await aesGcm(key)
  return either(gcm, await aesCbc(key))
}

function split(stored: Uint8Array): { readonly encryptedKey: Uint8Array; readonly data: Uint8Array } {
  const end = lengthBytes + (((stored[0] ?? 0) << 8) | (stored[1] ?? 0))
  if (stored.length < lengthBytes || stored.length < end)
    throw new TransformError('invalid data encountered by envelope transformer: failed to read uint16 length prefixed data')
  return { encryptedKey: stored.subarray(lengthBytes, end), data: stored.subarray(end) }
}

/**
 * Encrypts each value with a new data key, which the plugin encrypts: two bytes of length, the encrypted key, the value. Caches up to
 * `cacheSize` decrypted keys; none when negative.
 */
export function envelopeV1(service: ServiceV1, cacheSize: number, measures = unmeasured): Transformer {
  const { metrics, uses } = measures
  const transformers = new Recent<Transformer>(Math.max(0, cacheSize))
  const reportSize = () => {
    if (cacheSize > 0) metrics.filled.set([], transformers.size / cacheSize)
  }

  async function decryptionWith(encryptedKey: Uint8Array): Promise<Transformer> {
    if (cacheSize > 0) metrics.misses.add([])
    const transformer = await dataTransformer(await service.decrypt(encryptedKey))
    reportSize()
    return transformer
  }

  return {
    async fromStored(stored, path) {
      uses?.arrived('from_storage')
      const { encryptedKey, data } = split(stored)
      const transformer = await transformers.get(encodeBase64(encryptedKey), () => decryptionWith(encryptedKey))
      return transformer.fromStored(data, path)
    },
    async toStored(plain, path) {
      uses?.arrived('to_storage')
      const key = dataKey(keyLength, measures)
      const encryptedKey = await service.encrypt(key)
      if (encryptedKey.length > 0xffff) throw new TransformError('the encrypted key is too long to be stored')
      const transformer = dataTransformer(key)
      transformers.set(encodeBase64(encryptedKey), transformer)
      reportSize()
      const length = Uint8Array.of(encryptedKey.length >> 8, encryptedKey.length & 0xff)
      return concatenate([length, encryptedKey, await (await transformer).toStored(plain, path)])
    },
  }
}
