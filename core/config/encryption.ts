/** Encryption at rest as configured by `--encryption-provider-config`, with reloading. */

import type { HealthCheck } from '../meta/health.ts'
import type { EncryptionMetrics } from '../meta/metrics/encryption.ts'
import type { Platform } from '../platform.ts'
import type { KeyValueStore } from '../ports.ts'
import { bind } from '../resources/bind.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import type { GroupResource } from '../respond/status.ts'
import { digestOf } from '../schema/digest.ts'
import { messageOf } from '../schema/message-of.ts'
import { resourceOfKey } from '../storage/encryption/selection.ts'
import { encryptedStore } from '../storage/encryption/store.ts'
import { createProviders, type EncryptionOptions, type Providers, type ProvidersContext } from './encryption-providers.ts'

export type { EncryptionOptions } from './encryption-providers.ts'

export interface EncryptionContext extends ProvidersContext {
  /** Prefix of all keys in the store. */
  readonly prefix: string
  /** The built-in resources, served or not. */
  readonly definitions: readonly ResourceDefinition[]
  readonly observer: EncryptionMetrics
}

export interface Encryption {
  /** Wraps the store with encryption. */
  decorate(store: KeyValueStore): KeyValueStore
  /** Health checks of the KMS plugins. */
  readonly checks: readonly HealthCheck[]
  close(): void
}

interface Loaded {
  readonly providers: Providers
  /** Digest of the content, which itself contains keys. */
  readonly digest: string
}

const flag = '--encryption-provider-config: '
/** Milliseconds: minimum time for new plugins to become healthy, interval between checks of them, and retry interval of a failed file. */
const shortestPatience = 10_000
const lookInterval = 100
const retryInterval = 60_000

/** Resources with the same storage key, such as events of both groups, are configured by the core group's name. */
function storageKeys(definitions: readonly ResourceDefinition[], platform: Platform): ReadonlyMap<string, GroupResource> {
  const rows = definitions.map((row) => bind(row, platform)).filter(({ storage, storageKey }) => !storage && storageKey !== '')
  const coreLast = rows.toSorted((a, b) => Number(a.group === '') - Number(b.group === ''))
  return new Map(coreLast.map(({ storageKey, group, names }) => [storageKey, { group, resource: names.plural }]))
}

/** Rejects with a one-line error when the file can't be used. Unhealthy plugins are waited for later. */
export async function createEncryption(options: EncryptionOptions, context: EncryptionContext): Promise<Encryption> {
  const { ports, observer } = context
  const { files, clock, telemetry } = ports
  const { logger } = telemetry
  const { file } = options
  const read = async () => new TextDecoder().decode(await files.read(file))
  const load = async (text: string): Promise<Loaded> => ({
    providers: await createProviders(text, options, context),
    digest: await digestOf(text),
  })

  async function begin(): Promise<Loaded> {
    const text = await read()
    const loaded = await load(text)
    observer.using(text)
    return loaded
  }

  let current = await begin().catch((error: unknown) => {
    throw new Error(flag + messageOf(error).replace(flag, ''))
  })
  let closed = false
  let cancel = () => {}

  async function becomesWell({ checkAll, patience }: Providers): Promise<void> {
    const end = clock.monotonic() + Math.max(shortestPatience, patience)
    for (;;) {
      try {
        await checkAll()
        return
      } catch (error) {
        if (closed || clock.monotonic() >= end) throw error
        await new Promise<void>((resolve) => clock.after(lookInterval, resolve))
      }
    }
  }

  async function replace(): Promise<void> {
    const text = await read()
    if (closed || (await digestOf(text)) === current.digest) return
    const next = await load(text)
    try {
      await becomesWell(next.providers)
    } catch (error) {
      next.providers.close()
      throw error
    }
    const { providers: old } = closed ? next : current
    current = closed ? current : next
    // Closed after a delay: requests in progress may still use the old plugins.
    clock.after(old.patience, old.close)
    observer.reloaded(text)
    logger.info({ file }, 'encryption configuration reloaded')
  }

  let replacing = Promise.resolve()
  function reload(): void {
    cancel()
    replacing = replacing.then(replace).catch((error: unknown) => {
      observer.reloaded(undefined)
      logger.error({ file, error: messageOf(error) }, 'encryption configuration not reloaded; the last valid one stays in use')
      if (!closed) cancel = clock.after(retryInterval, reload)
    })
  }

  const resourceOf = resourceOfKey(context.prefix, storageKeys(context.definitions, context.platform))
  const shared: HealthCheck = { name: 'kms-providers', check: () => current.providers.checkAll() }
  const stopWatching = options.automaticReload ? files.watch(file, reload) : () => {}
  return {
    decorate: (store) =>
      encryptedStore(
        store,
        (key) => {
          const groupResource = resourceOf(key)
          return groupResource && current.providers.transformerOf(groupResource)
        },
        (key, error) => logger.warn({ key, error }, 'transform of a stored value failed'),
      ),
    checks: options.automaticReload || current.providers.onlyV2 ? [shared] : current.providers.checks,
    close() {
      closed = true
      cancel()
      stopWatching()
      current.providers.close()
    },
  }
}
