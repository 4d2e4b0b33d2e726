/** Builds transformers from the list of providers in an EncryptionConfiguration. */
import type { Clock, Logger, Outbound } from '../ports.ts'
import { decodeBase64 } from '../schema/formats/base64.ts'
import { aesCbc } from './aes-cbc.ts'
import { aesGcm } from './aes-gcm.ts'
import { byPrefix, type Prefixed } from './choice.ts'
import { identity } from './identity.ts'
import { envelopeV1 } from './kms/envelope-v1.ts'
import { envelopeV2 } from './kms/envelope-v2.ts'
import { type Probe, probe, watchfulProbe } from './kms/probe.ts'
import { probeV1 } from './kms/probe-v1.ts'
import { serviceV1 } from './kms/service-v1.ts'
import { serviceV2 } from './kms/service-v2.ts'
import { rotatingKey } from './kms/write-key.ts'
import { type Measures, unmeasured } from './metrics.ts'
import { secretbox } from './secretbox.ts'
import type { Transformer } from './transformer.ts'

interface Keys {
  readonly keys: readonly { readonly name: string; readonly secret: string }[]
}

interface KeyManagement {
  readonly apiVersion: string
  readonly name: string
  readonly endpoint: string
  /** Timeout in milliseconds. */
  readonly timeout: number
  readonly cachesize?: number | undefined
}

/** One validated member of `providers`: exactly one of the fields is set. */
export interface Provider {
  readonly aesgcm?: Keys | undefined
  readonly aescbc?: Keys | undefined
  readonly secretbox?: Keys | undefined
  readonly identity?: object | undefined
  readonly kms?: KeyManagement | undefined
}

export interface ProviderContext {
  readonly outbound: Pick<Outbound, 'call'>
  readonly clock: Clock
  readonly logger: Logger
  /** Default: nothing is measured. */
  readonly measures?: Measures | undefined
}

/** A KMS plugin in use. */
export interface Plugin {
  readonly version: 'v1' | 'v2'
  readonly probe: Probe
}

const v1Prefix = 'k8s:enc:kms:v1:'
const v2Prefix = 'k8s:enc:kms:v2:'

/** Providers with keys in the file. */
const ciphers = [
  { field: 'aesgcm', prefix: 'k8s:enc:aesgcm:v1:', title: 'AES', create: aesGcm },
  { field: 'aescbc', prefix: 'k8s:enc:aescbc:v1:', title: 'AES', create: aesCbc },
  { field: 'secretbox', prefix: 'k8s:enc:secretbox:v1:', title: 'Secretbox', create: async (key: Uint8Array) => secretbox(key) },
] as const

async function withKeys({ keys }: Keys, { prefix, title, create }: (typeof ciphers)[number], measures: Measures): Promise<Prefixed> {
  const rows: Prefixed[] = await Promise.all(
    keys.map(async ({ name, secret }) => ({ prefix: `${name}:`, transformer: await create(decodeBase64(secret)) })),
  )
  return { prefix, transformer: chain(rows, `no matching key was found for the provided ${title} transformer`, measures) }
}

function chain([first, ...others]: readonly Prefixed[], unmatched: string, measures: Measures): Transformer {
  if (first === undefined) throw new Error('at least one provider with a key is required')
  return byPrefix(first, others, unmatched, measures)
}

async function keyManagement(options: KeyManagement, context: ProviderContext, plugins: Plugin[]): Promise<Prefixed> {
  const { outbound, clock, logger, measures = unmeasured } = context
  const { name, timeout } = options
  if (options.apiVersion === 'v1') {
    const service = serviceV1(outbound, options)
    // Encryption and decryption may each take the timeout.
    plugins.push({ version: 'v1', probe: probe(probeV1(service, name), clock, 2 * timeout) })
    return { prefix: `${v1Prefix}${name}:`, transformer: envelopeV1(service, options.cachesize ?? 0, measures) }
  }
  const service = serviceV2(outbound, options, measures)
  const key = rotatingKey(service, name, clock, measures)
  const check = probe(() => key.check(), clock, timeout)
  plugins.push({ version: 'v2', probe: await watchfulProbe(name, check, clock, logger) })
  return { prefix: `${v2Prefix}${name}:`, transformer: envelopeV2(service, key, name, measures) }
}

/** The transformer of a list of providers. Adds the plugins in use to `plugins`, even on failure: the caller must close them. */
export async function transformerOf(providers: readonly Provider[], context: ProviderContext, plugins: Plugin[]): Promise<Transformer> {
  const { measures = unmeasured } = context
  const rows: Prefixed[] = []
  for (const provider of providers) {
    for (const cipher of ciphers) {
      const keys = provider[cipher.field]
      if (keys) rows.push(await withKeys(keys, cipher, measures))
    }
    if (provider.identity) rows.push({ prefix: '', transformer: identity })
    if (provider.kms) rows.push(await keyManagement(provider.kms, context, plugins))
  }
  return chain(rows, 'no matching prefix found', measures)
}
