/** Keys, issuers and limits of service account tokens, from flags and their files. */
import { loadSigningKey, loadVerificationKeys } from '../../../core/access/authn/certificate/keys.ts'
import { FlagError } from '../../../core/flags/flag.ts'
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import type { MetricsRegistry } from '../../../core/meta/metrics/registry.ts'
import type { HostPorts } from '../../../core/ports.ts'
import type { ServerOptions } from '../../../core/server.ts'
import { reasonOf } from '../../atomic-file.ts'
import { readFlagFile, readPath } from '../start/flag-file.ts'

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

async function externalSigner(flags: ParsedFlags, unixSocket: string, { outbound, clock, telemetry }: HostPorts, metrics: MetricsRegistry) {
  // Loaded on first use: few servers have an external signer.
  const [{ connectExternalSigner }, { externalSignerRows }] = await Promise.all([
    import('../../../core/access/authn/service-account/external-signer.ts'),
    import('../../../core/access/authn/service-account/signer-metrics.ts'),
  ])
  const options = { unixSocket, outbound, clock, logger: telemetry.logger, metrics: metrics.record(externalSignerRows) }
  const signer = await naming(signingEndpoint, unixSocket, () => connectExternalSigner(options))
  const wanted = (flags.get(maxExpiration) ?? 0) / 1000
  if (wanted > signer.maxSeconds) {
    signer.close()
    throw new FlagError(
      `--${maxExpiration} is ${wanted}s, longer than the ${signer.maxSeconds}s that the signer of --${signingEndpoint} supports`,
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
async function keyFiles(flags: ParsedFlags, ownKey: string) {
  const signingFlag = 'service-account-signing-key-file'
  const verificationFlag = 'service-account-key-file'
  const given = readFlagFile(flags, signingFlag)
  if (given !== undefined) await naming(signingFlag, flags.get(signingFlag) ?? '', () => loadSigningKey(given))
  const signingKey = given ?? ownKey
  const verificationKeys = await Promise.all(
    flags.get(verificationFlag).map(async (path) => {
      const pem = readPath(verificationFlag, path)
      await naming(verificationFlag, path, () => loadVerificationKeys([pem]))
      return pem
    }),
  )
  if (verificationKeys.length > 0) return { signingKey, verificationKeys }
  const servingKey = await usable(readFlagFile(flags, 'tls-private-key-file'))
  return { signingKey, verificationKeys: servingKey === undefined ? [signingKey] : [servingKey, signingKey] }
}

export async function serviceAccountKeys(flags: ParsedFlags, ownKey: string, ports: HostPorts, metrics: MetricsRegistry): Promise<Keys> {
  const socket = flags.get(signingEndpoint)
  const keys = socket ? { externalSigner: await externalSigner(flags, socket, ports, metrics) } : await keyFiles(flags, ownKey)
  const [first = defaultIssuer, ...others] = flags.get('service-account-issuer')
  const audiences = flags.get('api-audiences')
  const maxSeconds = flags.get(maxExpiration)
  return {
    ...keys,
    issuers: [first, ...others],
    audiences: audiences.length > 0 ? audiences : [first],
    ...(maxSeconds !== undefined && { maxSeconds: maxSeconds / 1000 }),
    extend: flags.get('service-account-extend-token-expiration'),
    lookup: flags.get('service-account-lookup'),
    keySetUri: flags.get('service-account-jwks-uri') ?? '',
  }
}
