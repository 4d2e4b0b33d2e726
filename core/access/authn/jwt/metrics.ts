/** Metrics of issuers, which are hashed in labels. */
import { once } from '../../../common/once.ts'
import { reloadRows } from '../../../config/reload-metrics.ts'
import { gauge, histogram, type Recorded } from '../../../metrics.ts'
import type { Clock } from '../../../ports.ts'
import { hashOf } from '../../../schema/formats/digest.ts'

const jwt = 'apiserver_authentication_jwt_authenticator'

export const jwtRows = {
  latency: histogram(`${jwt}_latency_seconds`, 'Duration of JWT authentication of tokens that were not cached, in seconds.', {
    labels: ['result', 'jwt_issuer_hash'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  }),
  fetched: gauge(`${jwt}_jwks_fetch_last_timestamp_seconds`, 'Time of the last JWKS fetch of an issuer, in seconds since the epoch.', {
    labels: ['result', 'jwt_issuer_hash', 'apiserver_id_hash'],
  }),
  keySet: gauge(`${jwt}_jwks_fetch_last_key_set_info`, 'Hash of the JWKS of an issuer in use.', {
    labels: ['jwt_issuer_hash', 'apiserver_id_hash', 'hash'],
  }),
}

export const authenticationFileRows = reloadRows('authentication', 'BETA')

export type IssuerReports = ReturnType<typeof issuerReports>

/** `server` is this server's identity; empty: none. */
export function issuerReports({ latency, fetched, keySet }: Recorded<typeof jwtRows>, clock: Clock, server: string) {
  const identity = once(() => hashOf(server))
  /** Hash of the current keys, by issuer. */
  const inUse = new Map<string, string>()

  async function use(issuer: string, current: string | undefined): Promise<void> {
    const [name, self, hash] = await Promise.all([hashOf(issuer), identity(), current === undefined ? undefined : hashOf(current)])
    const before = inUse.get(issuer)
    if (before !== undefined && before !== hash) keySet.remove([name, self, before])
    if (hash === undefined) inUse.delete(issuer)
    else {
      inUse.set(issuer, hash)
      keySet.set([name, self, hash], 1)
    }
  }

  async function stamp(issuer: string, result: string): Promise<void> {
    const at = clock.now() / 1000
    fetched.set([result, await hashOf(issuer), await identity()], at)
  }

  return {
    authenticated(issuer: string, accepted: boolean, milliseconds: number): void {
      void hashOf(issuer).then((hash) => latency.observe([accepted ? 'success' : 'failure', hash], milliseconds / 1000))
    },
    /** `current`: the JWKS as received; undefined when the fetch failed. */
    fetchedKeys(issuer: string, current: string | undefined): void {
      void stamp(issuer, current === undefined ? 'failure' : 'success')
      if (current !== undefined) void use(issuer, current)
    },
    /** An issuer is not configured any more. */
    forget(issuer: string): void {
      void use(issuer, undefined)
      void Promise.all([hashOf(issuer), identity()]).then(([hash, self]) => {
        for (const result of ['success', 'failure']) fetched.remove([result, hash, self])
      })
    },
  }
}
