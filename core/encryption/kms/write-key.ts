/** The current seed for writes, and the plugin health that it depends on. */

import type { Clock } from '../../ports.ts'
import { hashOf } from '../../schema/formats/digest.ts'
import { timestamp } from '../../schema/formats/time.ts'
import { derivedKeys, seedLength } from '../derived-keys.ts'
import { unmeasured } from '../metrics.ts'
import { aggregated, TransformError, type Transformer } from '../transformer.ts'
import { dataKey } from './data-key.ts'
import { keyIdProblem, validateEncryptedObject } from './encrypted-object.ts'
import { type EncryptedObject, sourceTypes } from './messages.ts'
import type { ServiceV2 } from './service-v2.ts'

/** Milliseconds for which a seed may be used for writes after the plugin was last healthy. Reads have no such limit. */
const writableFor = 180_000

export interface WriteKey {
  readonly transformer: Transformer
  /** The part of the envelope beside the data. */
  readonly source: Omit<EncryptedObject, 'encryptedData'>
  /** Milliseconds since the epoch. */
  readonly expires: number
}

export interface WriteKeySource {
  /** @throws TransformError until the plugin has been healthy once. */
  current(): WriteKey
  /** Rejects with a TransformError when the plugin has been unhealthy for too long. */
  checkWritable(key: WriteKey): Promise<void>
}

export interface RotatingKey extends WriteKeySource {
  /** Checks the plugin's health; generates a new seed when its key has changed. Rejects with a TransformError on failure. */
  check(): Promise<void>
}

const versions = ['v2', 'v2beta1']
const messageOf = (error: unknown) => {
  if (error instanceof TransformError) return error.message
  throw error
}

export function rotatingKey(service: ServiceV2, name: string, clock: Clock, measures = unmeasured): RotatingKey {
  const { metrics, uses } = measures
  let known: WriteKey | undefined
  let version: string | undefined

  async function generate(expires: number): Promise<WriteKey> {
    const seed = dataKey(seedLength, measures)
    const { ciphertext, keyId, annotations } = await service.encrypt(seed, crypto.randomUUID()).catch((error: unknown) => {
      throw new TransformError(`failed to encrypt DEK, error: ${messageOf(error)}`)
    })
    const source = { keyId, annotations, encryptedDekSource: ciphertext, encryptedDekSourceType: sourceTypes.seed }
    validateEncryptedObject({ ...source, encryptedData: Uint8Array.of(0) })
    return { transformer: await derivedKeys(seed), source, expires }
  }

  /** Keeps the seed while the plugin's key id is unchanged. On failure the old seed stays until it expires. */
  async function rotate(keyId: string, expires: number): Promise<void> {
    if (known?.source.keyId === keyId) {
      known = { ...known, expires }
      return
    }
    const fresh = await generate(expires).catch((error: unknown) => messageOf(error))
    if (typeof fresh !== 'string' && fresh.source.keyId === keyId) {
      known = fresh
      return
    }
    const [error, id] = typeof fresh === 'string' ? [fresh, ''] : ['<nil>', fresh.source.keyId]
    const hashes = `statusKeyIDHash="${await hashOf(keyId)}", encryptKeyIDHash="${await hashOf(id)}"`
    throw new TransformError(`failed to rotate DEK errGen=${error}, ${hashes}`)
  }

  function versionProblem(given: string): string | undefined {
    if (!versions.includes(given)) return `expected KMSv2 API version v2, got ${given}`
    version ??= given
    if (given === version) return undefined
    return `KMSv2 API version should not change after the initial status response version ${version}, got ${given}`
  }

  async function problemsOf(status: Awaited<ReturnType<ServiceV2['status']>>, expires: number): Promise<string[]> {
    const problems: string[] = []
    if (status.healthz !== 'ok') problems.push(`got unexpected healthz status: ${status.healthz}`)
    const wrongVersion = versionProblem(status.version)
    if (wrongVersion !== undefined) problems.push(wrongVersion)
    const wrongId = keyIdProblem(status.keyId)
    if (wrongId !== undefined) {
      metrics.refused.add([name, wrongId.code])
      problems.push(`got invalid KMSv2 KeyID hash "${await hashOf(status.keyId)}": ${wrongId.message}`)
    } else {
      uses?.reportedKey(name, status.keyId)
      await rotate(status.keyId, expires).catch((error: unknown) => problems.push(messageOf(error)))
    }
    return problems
  }

  return {
    current() {
      if (known === undefined) throw new TransformError('got unexpected nil transformer')
      return known
    },
    async checkWritable({ source: { keyId }, expires }) {
      const late = clock.monotonic() - expires
      if (late <= 0) return
      const now = clock.now()
      const id = await hashOf(keyId)
      throw new TransformError(
        `encryptedDEKSource with keyID hash "${id}" expired at ${timestamp(now - late)} (current time is ${timestamp(now)})`,
      )
    },
    async check() {
      const expires = clock.monotonic() + writableFor
      const status = await service.status().catch((error: unknown) => {
        throw new TransformError(
          `failed to perform status section of the healthz check for KMS Provider ${name}, error: ${messageOf(error)}`,
        )
      })
      const problems = await problemsOf(status, expires)
      if (problems.length > 0) throw new TransformError(`kmsv2 Provider ${name} is not healthy, error: ${aggregated(problems)}`)
    },
  }
}
