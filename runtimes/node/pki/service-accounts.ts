/** Keys, issuers and limits of service account tokens, from options and their files. */
import { loadSigningKey, loadVerificationKeys } from '../../../core/access/authn/certificate/keys.ts'
import { FlagError } from '../../../core/flags/flag.ts'
import type { MetricsRegistry } from '../../../core/meta/metrics/registry.ts'
import type { HostPorts } from '../../../core/ports.ts'
import type { ServerOptions } from '../../../core/server.ts'
import { reasonOf } from '../../atomic-file.ts'
import { readPath } from '../start/read-path.ts'

/** Paths, and what is empty or absent when it is not given. */
export interface ServiceAccountOptions {
  /** Unix socket of an external signer. */
  readonly signer: string | undefined
  readonly signingKeyFile: string | undefined
  /** Keys that verify tokens. */
  readonly keyFiles: readonly string[]
  /** The key of the serving certificate. */
  readonly servingKeyFile: string | undefined
  readonly issuers: readonly string[]
  readonly audiences: readonly string[]
  /** Milliseconds. */
  readonly maxExpiration: number | undefined
  readonly extend: boolean
  readonly lookup: boolean
  readonly keySetUri: string
}

type Keys = NonNullable<ServerOptions['serviceAccounts']>

/** Issuer of a cluster's own tokens, when no flag names one. */
const defaultIssuer = 'https://apiserver.default.svc.cluster.local'
const signingEndpoint = 'service-account-signing-endpoint'
const maxExpiration = 'service-account-max-token-expiration'

/** Runs a check of a file that a flag names. Rejects with a FlagError that names flag and file. */
async function naming<T>(flag: string, path: string, check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    throw new FlagError(`--${flag}: ${path}: ${reasonOf(error)}`)
  }
}

async function externalSigner(maxSeconds: number, unixSocket: string, { outbound, clock, telemetry }: HostPorts, metrics: MetricsRegistry) {
  // Loaded on first use: few servers have an external signer.
  const [{ connectExternalSigner }, { externalSignerRows }] = await Promise.all([
    import('../../../core/access/authn/service-account/external-signer.ts'),
    import('../../../core/access/authn/service-account/signer-metrics.ts'),
  ])
  const options = { unixSocket, outbound, clock, logger: telemetry.logger, metrics: metrics.record(externalSignerRows) }
  const signer = await naming(signingEndpoint, unixSocket, () => connectExternalSigner(options))
  if (maxSeconds > signer.maxSeconds) {
    signer.close()
    throw new FlagError(
      `--${maxExpiration} is ${maxSeconds}s, longer than the ${signer.maxSeconds}s that the signer of --${signingEndpoint} supports`,
    )
  }
  return signer
}

/** The key, if its type can verify tokens. */
async function usable(pem: string | undefined): Promise<string | undefined> {
  try {
    if (pem !== undefined) await loadVerificationKeys([pem])
    return pem
  } catch {
    return undefined
  }
}

/** Keys from files. `ownKey`: PEM of the key that the server generated. */
async function keysOfFiles({ signingKeyFile, keyFiles, servingKeyFile }: ServiceAccountOptions, ownKey: string) {
  const signingFlag = 'service-account-signing-key-file'
  const verificationFlag = 'service-account-key-file'
  const given = signingKeyFile ? readPath(signingFlag, signingKeyFile) : undefined
  if (signingKeyFile && given !== undefined) await naming(signingFlag, signingKeyFile, () => loadSigningKey(given))
  const signingKey = given ?? ownKey
  const verificationKeys = await Promise.all(
    keyFiles.map(async (path) => {
      const pem = readPath(verificationFlag, path)
      await naming(verificationFlag, path, () => loadVerificationKeys([pem]))
      return pem
    }),
  )
  if (verificationKeys.length > 0) return { signingKey, verificationKeys }
  const servingKey = await usable(servingKeyFile ? readPath('tls-private-key-file', servingKeyFile) : undefined)
  return { signingKey, verificationKeys: servingKey === undefined ? [signingKey] : [servingKey, signingKey] }
}

export async function serviceAccountKeys(
  options: ServiceAccountOptions,
  ownKey: string,
  ports: HostPorts,
  metrics: MetricsRegistry,
): Promise<Keys> {
  const { signer, audiences, extend, lookup, keySetUri } = options
  const maxSeconds = options.maxExpiration === undefined ? undefined : options.maxExpiration / 1000
  const keys = signer
    ? { externalSigner: await externalSigner(maxSeconds ?? 0, signer, ports, metrics) }
    : await keysOfFiles(options, ownKey)
  const [first = defaultIssuer, ...others] = options.issuers
  return {
    ...keys,
    issuers: [first, ...others],
    audiences: audiences.length > 0 ? audiences : [first],
    ...(maxSeconds !== undefined && { maxSeconds }),
    extend,
    lookup,
    keySetUri,
  }
}
