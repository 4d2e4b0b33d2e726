/** Encryption at rest as configured by `--encryption-provider-config`, with reloading. */

import type { GroupResource } from '../answers/status.ts'
import { followFile, readFileText } from '../config/follow-file.ts'
import type { ReloadReports } from '../config/reload-metrics.ts'
import type { KeyValueStore } from '../ports.ts'
import { hubOf } from '../resources/converter.ts'
import type { ResourceDefinition } from '../resources/definition.ts'
import { messageOf } from '../schema/message-of.ts'
import { createProviders, type EncryptionOptions, type PluginCheck, type Providers, type ProvidersContext } from './file/providers.ts'
import { resourceOfKey } from './selection.ts'
import { encryptedStore } from './store.ts'

export type { EncryptionOptions } from './file/providers.ts'

export interface EncryptionContext extends ProvidersContext {
  /** Prefix of all keys in the store. */
  readonly prefix: string
  /** The built-in resources, served or not, bound to the platform. */
  readonly definitions: readonly ResourceDefinition[]
  /** Receives what becomes of the file. */
  readonly reloads: ReloadReports
}

export interface Encryption {
  /** Wraps the store with encryption. */
  decorate(store: KeyValueStore): KeyValueStore
  /** Health checks of the KMS plugins. */
  readonly checks: readonly PluginCheck[]
  close(): void
}

const flag = '--encryption-provider-config: '
/** Milliseconds: minimum time for new plugins to become healthy, interval between checks of them, and retry interval of a failed file. */
const minProbeTimeout = 10_000
const lookInterval = 100
const retryInterval = 60_000

/** Resources with the same storage key, such as events of both groups, are configured by the core group's name. */
function storageKeys(definitions: readonly ResourceDefinition[]): ReadonlyMap<string, GroupResource> {
  const rows = definitions.filter((row) => hubOf(row) === undefined && row.storageKey !== '')
  const coreLast = rows.toSorted((a, b) => Number(a.group === '') - Number(b.group === ''))
  return new Map(coreLast.map(({ storageKey, group, names }) => [storageKey, { group, resource: names.plural }]))
}

/** Rejects with a one-line error when the file can't be used. Unhealthy plugins are waited for later. */
export async function createEncryption(options: EncryptionOptions, context: EncryptionContext): Promise<Encryption> {
  const { ports, reloads } = context
  const { files, clock, telemetry } = ports
  const { logger } = telemetry
  const { file } = options
  const load = (text: string) => createProviders(text, options, context)

  async function begin() {
    const text = await readFileText(files, file)
    const providers = await load(text)
    reloads.using(text)
    return { text, providers }
  }

  const first = await begin().catch((error: unknown) => {
    throw new Error(flag + messageOf(error).replace(flag, ''))
  })
  let current = first.providers

  async function becomesWell({ checkAll, probeTimeout }: Providers, closing: AbortSignal): Promise<void> {
    const end = clock.monotonic() + Math.max(minProbeTimeout, probeTimeout)
    for (;;) {
      try {
        await checkAll()
        return
      } catch (error) {
        if (closing.aborted || clock.monotonic() >= end) throw error
        await new Promise<void>((resolve) => clock.after(lookInterval, resolve))
      }
    }
  }

  const follow = () =>
    followFile<Providers>({
      path: file,
      files,
      logger,
      text: first.text,
      what: 'encryption configuration',
      reloaded: reloads.reloaded,
      async load(text, closing) {
        const next = await load(text)
        try {
          await becomesWell(next, closing)
          return next
        } catch (error) {
          next.close()
          throw error
        }
      },
      // Closed after a delay: requests in progress may still use the old plugins.
      use(next) {
        const old = current
        current = next
        clock.after(old.probeTimeout, old.close)
      },
      drop: (next) => next.close(),
      retry: { clock, after: retryInterval, when: () => true },
    })

  const resourceOf = resourceOfKey(context.prefix, storageKeys(context.definitions))
  const shared: PluginCheck = { name: 'kms-providers', check: () => current.checkAll() }
  const stopFollowing = options.automaticReload ? follow() : () => {}
  return {
    decorate: (store) =>
      encryptedStore(
        store,
        (key) => {
          const groupResource = resourceOf(key)
          return groupResource && current.transformerOf(groupResource)
        },
        clock,
        (key, error) => logger.warn({ key, error }, 'transform of a stored value failed'),
      ),
    checks: options.automaticReload || current.onlyV2 ? [shared] : current.checks,
    close() {
      stopFollowing()
      current.close()
    },
  }
}
