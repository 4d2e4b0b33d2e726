/** Keys and tokens of a test server, generated for it alone. */

import { tokenTable } from '../../core/access/authn/token-table.ts'
import { encodeBase64 } from '../../core/schema/formats/base64.ts'
import type { ServerOptions } from '../../core/server.ts'
import { administrator } from './identity.ts'

export interface Secrets {
  /** PEM of the key that signs service account tokens. */
  readonly signingKey: string
  /** Bearer token of the administrator, for clients over a port. */
  readonly token: string
}

const issuer = 'https://apiserver.default.svc.cluster.local'

export async function createSecrets(): Promise<Secrets> {
  const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const encoded = encodeBase64(new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey)))
  const lines = encoded.match(/.{1,64}/g) ?? []
  return {
    signingKey: `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`,
    token: `${crypto.randomUUID()}${crypto.randomUUID()}`,
  }
}

export async function secretOptions({
  signingKey,
  token,
}: Secrets): Promise<Required<Pick<ServerOptions, 'serviceAccounts' | 'staticTokens'>>> {
  return {
    staticTokens: [await tokenTable('test server', [[token, { groups: [], ...administrator }]])],
    serviceAccounts: { signingKey, verificationKeys: [signingKey], issuers: [issuer], audiences: [issuer] },
  }
}
