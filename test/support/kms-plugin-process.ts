/**
 * A KMS plugin (v1 and v2) as a separate process: `kms-plugin-process.ts SOCKET`. It encrypts with AES-GCM under a key
 * derived from its key id. Messages of the parent process control its behaviour.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { Server, ServerCredentials, status } from '@grpc/grpc-js'
import { v1, v2 } from '../../core/encryption/kms/messages.ts'
import type { WireMessage } from '../../core/encryption/kms/wire.ts'

/** Behaviour of the plugin; members not sent stay as they are. */
export interface Behaviour {
  readonly keyId?: string
  /** Key id returned by Encrypt, when it differs from that of Status. */
  readonly encryptKeyId?: string
  readonly healthz?: string
  readonly version?: string
  /** Milliseconds before each response. */
  readonly delay?: number
  /** Methods that fail. */
  readonly failing?: readonly string[]
  /** Decrypt returns other bytes than were encrypted. */
  readonly lies?: boolean
  /** Encrypt returns this many random bytes. */
  readonly ciphertextLength?: number
  readonly annotations?: { readonly [name: string]: string }
}

let behaviour: Behaviour = {}
let calls: { [method: string]: number } = {}
const keyOf = (id: string) => createHash('sha256').update(`key ${id}`).digest()
const keyId = () => behaviour.keyId ?? '1'

function encrypt(plain: Uint8Array, id: string): Buffer {
  if (behaviour.ciphertextLength !== undefined) return randomBytes(behaviour.ciphertextLength)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(id), nonce)
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function decrypt(bytes: Uint8Array, id: string): Uint8Array {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(id), bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(-16))
  const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
  return behaviour.lies ? plain.map((byte) => byte ^ 1) : plain
}

const textLength = 1

const methods = [
  [v1.service, 'Version', v1.VersionRequest, v1.VersionResponse, () => ({ version: behaviour.version ?? 'v1beta1', runtimeName: 'test' })],
  [
    v1.service,
    'Encrypt',
    v1.EncryptRequest,
    v1.EncryptResponse,
    // The key id is part of the ciphertext, because v1 has no field for it.
    ({ plain }: { plain: Uint8Array }) => ({ cipher: Buffer.concat([Buffer.from(keyId()), encrypt(plain, keyId())]) }),
  ],
  [
    v1.service,
    'Decrypt',
    v1.DecryptRequest,
    v1.DecryptResponse,
    ({ cipher }: { cipher: Uint8Array }) => ({
      plain: decrypt(cipher.subarray(textLength), Buffer.from(cipher.subarray(0, textLength)).toString()),
    }),
  ],
  [
    v2.service,
    'Status',
    v2.StatusRequest,
    v2.StatusResponse,
    () => ({ version: behaviour.version ?? 'v2', healthz: behaviour.healthz ?? 'ok', keyId: keyId() }),
  ],
  [
    v2.service,
    'Encrypt',
    v2.EncryptRequest,
    v2.EncryptResponse,
    ({ plaintext }: { plaintext: Uint8Array }) => {
      const id = behaviour.encryptKeyId ?? keyId()
      const annotations = new Map(Object.entries(behaviour.annotations ?? {}).map(([name, value]) => [name, Buffer.from(value)]))
      return { ciphertext: encrypt(plaintext, id), keyId: id, annotations }
    },
  ],
  [
    v2.service,
    'Decrypt',
    v2.DecryptRequest,
    v2.DecryptResponse,
    (asked: { ciphertext: Uint8Array; keyId: string }) => ({ plaintext: decrypt(asked.ciphertext, asked.keyId) }),
  ],
] as const

const server = new Server()
const asIs = { requestSerialize: Buffer.from, requestDeserialize: (bytes: Buffer) => bytes, responseSerialize: (bytes: Buffer) => bytes }
for (const [service, method, Question, Answer, work] of methods) {
  const path = `${service}/${method}`
  const answerOf = work as (question: unknown) => object
  server.addService(
    { [method]: { path, requestStream: false, responseStream: false, ...asIs, responseDeserialize: Buffer.from } },
    {
      async [method](call: { request: Buffer }, answer: (error: object | null, value?: Buffer) => void) {
        calls[path] = (calls[path] ?? 0) + 1
        if (behaviour.delay) await new Promise((resolve) => setTimeout(resolve, behaviour.delay))
        if (behaviour.failing?.includes(method)) return answer({ code: status.FAILED_PRECONDITION, details: 'the key is locked away' })
        try {
          answer(null, Buffer.from((Answer as WireMessage<object>).encode(answerOf(Question.decode(call.request)))))
        } catch (error) {
          answer({ code: status.INVALID_ARGUMENT, details: error instanceof Error ? error.message : String(error) })
        }
      },
    },
  )
}

process.on('message', (message: { readonly behave?: Behaviour; readonly reset?: true }) => {
  if (message.reset) {
    behaviour = {}
    calls = {}
  }
  if (message.behave) behaviour = { ...behaviour, ...message.behave }
  process.send?.({ calls })
})
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => server.tryShutdown(() => process.exit()))
server.bindAsync(`unix:${process.argv[2]}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error
  process.send?.({ calls })
})
