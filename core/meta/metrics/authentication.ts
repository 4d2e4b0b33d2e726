/** Authentication metrics, with the reference server's names. */
import type { ConfiguredObserver } from '../../authn/configured.ts'
import type { Clock } from '../../ports.ts'
import { hashOf } from '../../schema/digest.ts'
import type { MetricsRegistry } from './registry.ts'
import { createReloadMetrics } from './reload.ts'
import { jwtRows } from './rows/authentication.ts'
import { authenticationFileRows } from './rows/configuration.ts'

/** `server` is this server's identity; empty: none. */
export function createAuthenticationMetrics(registry: MetricsRegistry, clock: Clock, server = ''): ConfiguredObserver {
  const latency = registry.histogram(jwtRows.latency)
  const fetched = registry.gauge(jwtRows.fetched)
  const info = registry.gauge(jwtRows.keySet)
  const identity = hashOf(server)
  /** Hash of the current keys, by issuer. */
  const inUse = new Map<string, string>()

  async function use(issuer: string, keySet: string | undefined): Promise<void> {
    const [name, self, hash] = await Promise.all([hashOf(issuer), identity, keySet === undefined ? undefined : hashOf(keySet)])
    const before = inUse.get(issuer)
    if (before !== undefined && before !== hash) info.remove([name, self, before])
    if (hash === undefined) inUse.delete(issuer)
    else {
      inUse.set(issuer, hash)
      info.set([name, self, hash], 1)
    }
  }

  async function stamp(issuer: string, result: string): Promise<void> {
    const at = clock.now() / 1000
    fetched.set([result, await hashOf(issuer), await identity], at)
  }

  return {
    ...createReloadMetrics(registry, clock, authenticationFileRows, server),
    authenticated(issuer, accepted, milliseconds) {
      void hashOf(issuer).then((hash) => latency.observe([accepted ? 'success' : 'failure', hash], milliseconds / 1000))
    },
    fetchedKeys(issuer, keySet) {
      void stamp(issuer, keySet === undefined ? 'failure' : 'success')
      if (keySet !== undefined) void use(issuer, keySet)
    },
    forget(issuer) {
      void use(issuer, undefined)
      void Promise.all([hashOf(issuer), identity]).then(([hash, self]) => {
        for (const result of ['success', 'failure']) fetched.remove([result, hash, self])
      })
    },
  }
}
