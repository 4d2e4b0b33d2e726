import { aesGcm } from '../../../core/encryption/aes-gcm.ts'
import { byPrefix } from '../../../core/encryption/choice.ts'
import { secretbox } from '../../../core/encryption/secretbox.ts'
import { encryptedStore } from '../../../core/encryption/store.ts'
import { memoryStore } from '../../../runtimes/stores/memory.ts'
import { holdingClock } from '../../support/holding-clock.ts'
import { storeConformance } from '../../support/store-conformance.ts'

const transformer = byPrefix(
  { prefix: 'k8s:enc:aesgcm:v1:a:', transformer: await aesGcm(new Uint8Array(32).fill(1)) },
  [{ prefix: 'k8s:enc:secretbox:v1:b:', transformer: secretbox(new Uint8Array(32).fill(2)) }],
  'no matching prefix found',
)

async function open(encrypts: (key: string) => boolean) {
  const store = encryptedStore(memoryStore(), (key) => (encrypts(key) ? transformer : undefined), holdingClock)
  return { store, close: () => store.close() }
}

storeConformance('encrypted store', () => open(() => true))
storeConformance('partly encrypted store', () => open((key) => key.charCodeAt(key.length - 1) % 2 === 0), 10)
