/** An in-process server with a store encrypted by a configuration in memory. */
import type { Files, KeyValueStore, Logger } from '../../../core/ports.ts'
import { createOutbound } from '../../../runtimes/node/network/outbound.ts'
import { type EmbeddedOptions, memoryStore } from '../../../runtimes/web/index.ts'
import type { Api } from '../../support/api.ts'
import { startInProcess } from '../../support/in-process.ts'

export const file = '/etc/encryption.yaml'
/** Base64 of 32 equal bytes. */
export const secretOf = (byte: number) => Buffer.alloc(32, byte).toString('base64')

export interface Entry {
  readonly resources: readonly string[]
  readonly providers: readonly object[]
}

/** Text of an EncryptionConfiguration. */
export const configuration = (...resources: readonly Entry[]) =>
  JSON.stringify({ kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', resources })

export const secrets = (...providers: readonly object[]) => configuration({ resources: ['secrets'], providers })
export const keys = (...named: readonly (readonly [name: string, byte: number])[]) => ({
  keys: named.map(([name, byte]) => ({ name, secret: secretOf(byte) })),
})

/** A file written by tests, which notifies its watchers. */
export class MemoryFile implements Files {
  #text: string
  readonly #watchers = new Set<() => void>()
  constructor(text: string) {
    this.#text = text
  }
  write(text: string): void {
    this.#text = text
    for (const changed of this.#watchers) changed()
  }
  async read(path: string): Promise<Uint8Array> {
    if (path !== file) throw new Error(`read ${path}: no such file`)
    return new TextEncoder().encode(this.#text)
  }
  watch(_path: string, changed: () => void): () => void {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }
}

export interface Line {
  readonly level: string
  readonly message: string
  readonly fields: object
}

export interface EncryptedServer {
  readonly api: Api
  /** The stored bytes of a key, not decrypted. */
  raw(key: string): Promise<Uint8Array>
  rawText(key: string): Promise<string>
  readonly store: KeyValueStore
  readonly file: MemoryFile
  readonly log: readonly Line[]
  close(): Promise<void>
}

export interface ServerSettings extends Omit<Partial<EmbeddedOptions>, 'gates'> {
  /** Feature gates to enable. */
  readonly gates?: readonly string[]
  readonly automaticReload?: boolean
}

export async function startEncrypted(text: string, settings: ServerSettings = {}): Promise<EncryptedServer> {
  const { gates = [], automaticReload = false, store = memoryStore(), ...options } = settings
  const memoryFile = new MemoryFile(text)
  const log: Line[] = []
  const at = (level: string) => (fields: object, message: string) => void log.push({ level, message, fields })
  const logger: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  const { api, close } = await startInProcess({
    ...options,
    store,
    files: memoryFile,
    outbound: createOutbound(),
    telemetry: { logger },
    featureGates: Object.fromEntries(gates.map((gate) => [gate, true])),
    encryption: { file, automaticReload },
    compactionInterval: 0,
    controllers: options.controllers ?? [],
  })
  const raw = async (key: string) => {
    const { kv } = await store.get(key)
    if (kv === undefined) throw new Error(`nothing at ${key}`)
    return kv.value
  }
  return {
    api,
    raw,
    rawText: async (key) => Buffer.from(await raw(key)).toString('latin1'),
    store,
    file: memoryFile,
    log,
    close,
  }
}

export const secret = (name: string, value = 'plain-text-value') => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name },
  data: { value: Buffer.from(value).toString('base64') },
})
export const secretsPath = '/api/v1/namespaces/default/secrets'
export const keyOf = (name: string) => `/registry/secrets/default/${name}`
