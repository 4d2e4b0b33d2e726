/** Messages of KMS plugins, versions 1 (v1beta1 on the wire) and 2, and the stored envelope of version 2. */
import { annotations, bytes, number, text, wireMessage } from './wire.ts'

export const v1 = {
  service: '/v1beta1.KeyManagementService',
  VersionRequest: wireMessage({ version: text(1) }),
  VersionResponse: wireMessage({ version: text(1), runtimeName: text(2), runtimeVersion: text(3) }),
  EncryptRequest: wireMessage({ version: text(1), plain: bytes(2) }),
  EncryptResponse: wireMessage({ cipher: bytes(1) }),
  DecryptRequest: wireMessage({ version: text(1), cipher: bytes(2) }),
  DecryptResponse: wireMessage({ plain: bytes(1) }),
}

export const v2 = {
  service: '/v2.KeyManagementService',
  StatusRequest: wireMessage({}),
  StatusResponse: wireMessage({ version: text(1), healthz: text(2), keyId: text(3) }),
  EncryptRequest: wireMessage({ plaintext: bytes(1), uid: text(2) }),
  EncryptResponse: wireMessage({ ciphertext: bytes(1), keyId: text(2), annotations: annotations(3) }),
  DecryptRequest: wireMessage({ ciphertext: bytes(1), uid: text(2), keyId: text(3), annotations: annotations(4) }),
  DecryptResponse: wireMessage({ plaintext: bytes(1) }),
}

/** Stored value of version 2, after the prefix. */
export const EncryptedObject = wireMessage({
  encryptedData: bytes(1),
  keyId: text(2),
  encryptedDekSource: bytes(3),
  annotations: annotations(4),
  encryptedDekSourceType: number(5),
})

export type EncryptedObject = ReturnType<typeof EncryptedObject.decode>

/** Plaintext of `encryptedDekSource`: the data key itself, or a seed from which a key is derived per value. */
export const sourceTypes = { key: 0, seed: 1 } as const
