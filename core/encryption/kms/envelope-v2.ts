import { encodeBase64 } from '../../schema/formats/base64.ts'
import { aesGcm } from '../aes-gcm.ts'
import { derivedKeys } from '../derived-keys.ts'
import { unmeasured } from '../metrics.ts'
import { TransformError, type Transformer } from '../transformer.ts'
import { readEncryptedObject, validateEncryptedObject } from './encrypted-object.ts'
import { EncryptedObject, sourceTypes } from './messages.ts'
import { Recent } from './recent.ts'
import type { ServiceV2 } from './service-v2.ts'
import type { WriteKey, WriteKeySource } from './write-key.ts'

/** Maximum cached seeds. Expect about one per key id of the plugin and start of a server. */
const seedsKept = 1_000

type Source = Omit<EncryptedObject, 'encryptedData'>

/** Cache key: equal only for equal sources. */
function identityOf({ encryptedDekSourceType, encryptedDekSource, keyId, annotations }: Source): string {
  const sorted = [...annotations].map(([name, value]) => [name, encodeBase64(value)]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  return JSON.stringify([encryptedDekSourceType, encodeBase64(encryptedDekSource), keyId, sorted])
}

/**
 * Encrypts values with keys derived from a seed, which the plugin encrypts once and which is used until the plugin's key changes
 * (KEP-3299). The encrypted seed is stored with each value; values under another key id are stale. `name` is the plugin's.
 */
export function envelopeV2(service: ServiceV2, source: WriteKeySource, name = '', { metrics, uses } = unmeasured): Transformer {
  const transformers = new Recent<Transformer>(seedsKept)

  const reportSize = () => metrics.kept.set([name], transformers.size)

  async function decryptionOf(object: Source): Promise<Transformer> {
    metrics.misses.add([])
    const encrypted = { ciphertext: object.encryptedDekSource, keyId: object.keyId, annotations: object.annotations }
    const key = await service.decrypt(encrypted, crypto.randomUUID()).catch((error: unknown) => {
      throw error instanceof TransformError ? new TransformError(`failed to decrypt DEK, error: ${error.message}`, error.code) : error
    })
    const transformer = await (object.encryptedDekSourceType === sourceTypes.seed ? derivedKeys(key) : aesGcm(key))
    reportSize()
    return transformer
  }

  function staleness({ keyId, encryptedDekSourceType }: Source): () => boolean {
    return () => {
      const { source: current } = source.current()
      return keyId !== current.keyId || encryptedDekSourceType !== current.encryptedDekSourceType
    }
  }

  let remembered: WriteKey | undefined
  function remember(key: WriteKey): void {
    if (key === remembered) return
    remembered = key
    transformers.set(identityOf(key.source), Promise.resolve(key.transformer))
    reportSize()
  }

  return {
    async fromStored(stored, path) {
      const object = readEncryptedObject(stored)
      // Throws until the plugin has been healthy once.
      source.current()
      const transformer = await transformers.get(identityOf(object), () => decryptionOf(object))
      uses?.usedKey('from_storage', name, object.keyId)
      const { bytes } = await transformer.fromStored(object.encryptedData, path)
      return { bytes, isStale: staleness(object) }
    },
    async toStored(plain, path) {
      const current = source.current()
      await source.checkWritable(current)
      remember(current)
      const object = { ...current.source, encryptedData: await current.transformer.toStored(plain, path) }
      uses?.usedKey('to_storage', name, object.keyId)
      validateEncryptedObject(object)
      return EncryptedObject.encode(object)
    },
  }
}
