import type { Outbound } from '../../ports.ts'
import { unmeasured } from '../metrics.ts'
import { v2 } from './messages.ts'
import { askPlugin, type PluginOptions } from './plugin.ts'
import type { Annotations } from './wire.ts'

export interface EncryptedKey {
  readonly ciphertext: Uint8Array
  readonly keyId: string
  readonly annotations: Annotations
}

/** A version 2 plugin: it encrypts and decrypts data keys or seeds, and reports the id of its current key. */
export interface ServiceV2 {
  status(): Promise<{ readonly version: string; readonly healthz: string; readonly keyId: string }>
  /** `uid` identifies the call in logs. */
  encrypt(plaintext: Uint8Array, uid: string): Promise<EncryptedKey>
  decrypt(encrypted: EncryptedKey, uid: string): Promise<Uint8Array>
}

export function serviceV2(outbound: Pick<Outbound, 'call'>, options: PluginOptions, measures = unmeasured): ServiceV2 {
  const ask = askPlugin(outbound, v2.service, options, measures)
  return {
    status: () => ask('Status', v2.StatusRequest, {}, v2.StatusResponse),
    encrypt: (plaintext, uid) => ask('Encrypt', v2.EncryptRequest, { plaintext, uid }, v2.EncryptResponse),
    decrypt: async (encrypted, uid) => (await ask('Decrypt', v2.DecryptRequest, { ...encrypted, uid }, v2.DecryptResponse)).plaintext,
  }
}
