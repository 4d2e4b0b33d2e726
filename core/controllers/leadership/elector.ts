/** Leadership of one server among several, by a lease that the leader renews (client-go, tools/leaderelection). */

import { settled } from '../../common/abort.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { microTimestamp } from '../../schema/formats/time.ts'
import { messageOf } from '../../schema/message-of.ts'
import { ownWrite, type ResourceClient } from '../client.ts'
import { repeat } from '../repeat.ts'
import { type LeaseSpec, leaseSpecOf } from './election.ts'

export interface ElectorOptions {
  readonly clock: Clock
  readonly logger: Logger
  readonly leases: ResourceClient
  readonly apiVersion: string
  readonly namespace: string
  /** Name of the lease. */
  readonly name: string
  /** Holder of the lease when this server leads. */
  readonly identity: string
  /** Milliseconds after the last renewal when others may take the lease. */
  readonly leaseDuration: number
  /** Milliseconds without a renewal after which the leader gives up. */
  readonly renewDeadline: number
  /** Milliseconds between tries. */
  readonly retryPeriod: number
  /** Called when this server begins to lead; the returned function ends what it started. */
  lead(): () => void
}

export interface Elector {
  /** Stops, and releases the lease, which others then take at once. */
  leave(): Promise<void>
}

/** The time between tries to acquire the lease is longer by up to this share, at random. */
const jitter = 1.2

/** Tries to lead until it is told to leave. */
export function startElector(options: ElectorOptions): Elector {
  const { clock, logger, leases, namespace, name, identity, retryPeriod, renewDeadline } = options
  /** The lease as last seen, and when it was seen to change: clocks of servers may differ. */
  let observed: ApiObject | undefined
  let changedAt = 0
  let stopLeading: (() => void) | undefined
  /** Others may take the lease some time after the last renewal, whatever tries fail or hang meanwhile. */
  let cancelDeadline = () => {}
  let isLeaving = false

  function observe(lease: ApiObject): void {
    if (lease.metadata.resourceVersion !== observed?.metadata.resourceVersion) changedAt = clock.monotonic()
    observed = lease
  }

  async function write(lease: ApiObject | undefined, spec: LeaseSpec): Promise<void> {
    const { metadata = { namespace, name } } = lease ?? {}
    const object: ApiObject = { kind: 'Lease', apiVersion: options.apiVersion, metadata, spec }
    observe(await (lease === undefined ? leases.create(namespace, object) : leases.update(object)))
  }

  /** Whether this server holds the lease after one try. */
  async function acquireOrRenew(): Promise<boolean> {
    const now = microTimestamp(clock.now())
    const own = { holderIdentity: identity, leaseDurationSeconds: Math.floor(options.leaseDuration / 1000), renewTime: now }
    const found = await leases.get(namespace, name)
    if (found === undefined) {
      await write(undefined, { ...own, acquireTime: now, leaseTransitions: 0 })
      return true
    }
    observe(found)
    const { holderIdentity = '', leaseDurationSeconds = 0, acquireTime = now, leaseTransitions = 0 } = leaseSpecOf(found)
    if (holderIdentity === identity) {
      await write(found, { ...own, acquireTime, leaseTransitions })
      return true
    }
    if (holderIdentity !== '' && changedAt + leaseDurationSeconds * 1000 > clock.monotonic()) return false
    await write(found, { ...own, acquireTime: now, leaseTransitions: leaseTransitions + 1 })
    return true
  }

  async function attempt(): Promise<boolean> {
    let holds = false
    try {
      await ownWrite(async () => {
        holds = await acquireOrRenew()
      })
    } catch (error) {
      logger.warn({ lease: name, error: messageOf(error) }, 'the lease of leader election could not be written')
    }
    return holds
  }

  /** `began`: when the try that renewed the lease began. */
  function renewed(began: number): void {
    if (isLeaving) return
    cancelDeadline()
    cancelDeadline = clock.after(began + renewDeadline - clock.monotonic(), () => {
      logger.warn({ lease: name, identity }, 'leader election: this server leads no more')
      end()
    })
    if (stopLeading !== undefined) return
    logger.info({ lease: name, identity }, 'leader election: this server leads')
    stopLeading = options.lead()
  }

  function end(): void {
    cancelDeadline()
    stopLeading?.()
    stopLeading = undefined
  }

  async function turn(): Promise<number> {
    const began = clock.monotonic()
    if (await attempt()) renewed(began)
    return stopLeading === undefined ? retryPeriod * (1 + Math.random() * jitter) : retryPeriod
  }

  async function release(): Promise<void> {
    const found = await leases.get(namespace, name)
    if (found === undefined || leaseSpecOf(found).holderIdentity !== identity) return
    const now = microTimestamp(clock.now())
    const { leaseTransitions = 0 } = leaseSpecOf(found)
    await write(found, { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now, leaseTransitions })
  }

  const turns = repeat(clock, turn)
  return {
    async leave() {
      isLeaving = true
      end()
      const released = turns.stop().then(() => ownWrite(release))
      const failed = (error: unknown) =>
        logger.warn({ lease: name, error: messageOf(error) }, 'the lease of leader election could not be released')
      await settled(released.catch(failed), clock, renewDeadline)
    },
  }
}
