import { TransformError } from '../transformer.ts'
import type { ServiceV1 } from './service-v1.ts'

const sample = new TextEncoder().encode('ping')

/** Checks that a version 1 plugin encrypts a sample and decrypts it again. */
export function probeV1(service: ServiceV1, name: string): () => Promise<void> {
  const during =
    (section: string) =>
    (error: unknown): never => {
      if (!(error instanceof TransformError)) throw error
      throw new TransformError(
        `failed to perform ${section} section of the healthz check for KMS Provider ${name}, error: ${error.message}`,
      )
    }
  return async () => {
    const encrypted = await service.encrypt(sample).catch(during('encrypt'))
    await service.decrypt(encrypted).catch(during('decrypt'))
  }
}
