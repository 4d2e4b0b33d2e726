/** The identity lease of this server, which it renews (KEP-1965). */

import { settled } from '../../common/abort.ts'
import type { Platform } from '../../platform.ts'
import type { ApiObject, ObjectMeta } from '../../resources/definition.ts'
import { microTimestamp } from '../../schema/formats/time.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { JsonObject } from '../../schema/model.ts'
import { ownWrite, serverManager } from '../client.ts'
import type { ControllerContext } from '../controller.ts'
import { repeat } from '../repeat.ts'

export interface IdentityLeaseOptions {
  /** Name of the lease. */
  readonly identity: string
  /** Name of the host, for a label. */
  readonly hostname: string
  /** Annotations of the lease. */
  readonly annotations: { readonly [name: string]: string }
}

export interface IdentityLease {
  /** Deletes the lease, for at most 10 s, and stops renewing it. */
  leave(): Promise<void>
}

/** Milliseconds between renewals, and the share that is added at random. */
const [renewInterval, jitter] = [10_000, 0.04]
/** Milliseconds until a failed renewal is retried: after the first failure (it doubles with each further one), and the maximum. */
const [minRetry, maxRetry] = [200, 7_000]
/** Seconds for which a lease is valid. */
const duration = 3_600
const removalTimeout = 10_000

/** The label of identity leases. */
const identityLabel = (platform: Platform) => ({ [platform.name('apiserver.<labels>/identity')]: serverManager(platform) })

/** Whether a lease with these labels is the identity lease of a server. */
export function identitySelector(platform: Platform): (labels: ObjectMeta['labels']) => boolean {
  const wanted = Object.entries(identityLabel(platform))
  return (labels) => wanted.every(([name, value]) => labels?.[name] === value)
}

/**
 * Replaces the lease that an earlier run of this server left, and renews the new one every 10 s. Resolves after the first try: failures are
 * logged and repeated.
 */
export async function keepIdentityLease(context: ControllerContext, options: IdentityLeaseOptions): Promise<IdentityLease> {
  const { clock, logger, platform, client } = context
  const definition = context.table.lookup(platform.name('coordination.<domain>'), 'v1', 'leases')?.definition
  if (definition === undefined) return { leave: async () => {} }
  const leases = client(definition)
  const namespace = platform.namespaces.system
  const { identity: name, hostname } = options
  const holderIdentity = `${name}_${crypto.randomUUID()}`
  let latest: ApiObject | undefined
  let failures = 0

  const renewed = ({ metadata, spec, ...rest }: ApiObject): ApiObject => ({
    ...rest,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...identityLabel(platform), [platform.name('<labels>/hostname')]: hostname },
      annotations: { ...metadata.annotations, ...options.annotations },
    },
    spec: { ...(spec as JsonObject), leaseDurationSeconds: duration, renewTime: microTimestamp(clock.now()) },
  })
  const fresh = (): ApiObject => ({
    kind: 'Lease',
    apiVersion: platform.name('coordination.<domain>/v1'),
    metadata: { namespace, name },
    spec: { holderIdentity },
  })

  async function write(): Promise<void> {
    const known = latest
    const update = async (lease: ApiObject) => {
      latest = await leases.update(renewed(lease))
    }
    if (known !== undefined && (await ownWrite(() => update(known)))) return
    const found = await leases.get(namespace, name)
    if (found !== undefined) await update(found)
    else latest = await leases.create(namespace, renewed(fresh()))
  }

  async function renew(): Promise<number> {
    try {
      await write()
      failures = 0
      return renewInterval * (1 + Math.random() * jitter)
    } catch (error) {
      latest = undefined
      failures++
      logger.warn({ lease: name, error: messageOf(error) }, 'the identity lease of this server could not be renewed; trying again')
      return Math.min(maxRetry, minRetry * 2 ** (failures - 1))
    }
  }

  async function remove(): Promise<void> {
    try {
      if ((await leases.get(namespace, name)) !== undefined) await ownWrite(() => leases.delete(namespace, name))
    } catch (error) {
      logger.warn({ lease: name, error: messageOf(error) }, 'the identity lease of this server could not be deleted')
    }
  }

  await remove()
  const renewals = repeat(clock, renew)
  await renewals.first
  return { leave: () => settled(renewals.stop().then(remove), clock, removalTimeout) }
}
