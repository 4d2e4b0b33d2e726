/** Charges writes of a namespace in batches: requests that arrive while quotas are being written are checked and written together. */
import type { Pauses, Slices } from '../../common/slices.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import type { QuotaObject } from './quota.ts'

export interface Charging {
  /** A namespace may have thousands of quotas, and a store that never lets the work wait. */
  readonly pauses: Pauses
  /** Quotas of a namespace (possibly outdated). */
  quotasOf(namespace: string): Promise<readonly QuotaObject[]>
  /** Reads the quotas from the store; deleted ones are left out. */
  reread(quotas: readonly QuotaObject[]): Promise<readonly QuotaObject[]>
  /** The quotas after this write. Throws an ApiError when a limit is exceeded. */
  check(quotas: readonly QuotaObject[], attributes: AdmissionAttributes, slices: Slices): Promise<readonly QuotaObject[]>
  /** Writes the status if the quota is unchanged; false: write conflict. */
  save(quota: QuotaObject): Promise<boolean>
}

interface Waiter {
  readonly attributes: AdmissionAttributes
  resolve(): void
  reject(error: unknown): void
}

const maxTries = 10

/** Resolves when the write is charged to all matching quotas; rejects when it is denied. */
export function createBatches({ pauses, quotasOf, reread, check, save }: Charging): (attributes: AdmissionAttributes) => Promise<void> {
  const waiting = new Map<string, Waiter[]>()

  /** Checks writes in order, each against the usage left by the previous ones; returns those that fit and change usage. */
  async function checkAll(quotas: readonly QuotaObject[], waiters: readonly Waiter[], slices: Slices) {
    let running = quotas
    const charged: Waiter[] = []
    for (const waiter of waiters) {
      try {
        const after = await check(running, waiter.attributes, slices)
        const changes = after.some((quota, index) => quota !== running[index])
        if (!changes || waiter.attributes.dryRun) waiter.resolve()
        else {
          charged.push(waiter)
          running = after
        }
      } catch (error) {
        waiter.reject(error)
      }
    }
    return { running, charged }
  }

  /** After a write conflict only that quota is read and checked again. */
  async function charge(quotas: readonly QuotaObject[], waiters: readonly Waiter[]): Promise<void> {
    let [left, pending] = [quotas, waiters]
    // All that wait have a time limit in common, however busy the thread is; the end of one request does not end the batch.
    const slices = pauses.fairSlices()
    for (let tries = 1; pending.length > 0; tries++) {
      const { running, charged } = await checkAll(left, pending, slices)
      const changed = running.flatMap((quota, index) => (quota === left[index] ? [] : [quota]))
      const lost: QuotaObject[] = []
      for (const quota of changed) {
        if (slices.over) await slices.next()
        if (!(await save(quota))) lost.push(quota)
      }
      if (lost.length === 0) {
        for (const waiter of charged) waiter.resolve()
        return
      }
      if (tries === maxTries) throw new Error(`quota ${lost[0]?.metadata.name} changed during every attempt`)
      left = await reread(lost)
      pending = charged
    }
  }

  async function work(namespace: string, first: Waiter[]): Promise<void> {
    for (let waiters = first; waiters.length > 0; ) {
      waiting.set(namespace, [])
      try {
        await charge(await quotasOf(namespace), waiters)
      } catch (error) {
        for (const waiter of waiters) waiter.reject(error)
      }
      waiters = waiting.get(namespace) ?? []
    }
    waiting.delete(namespace)
  }

  return (attributes) =>
    new Promise((resolve, reject) => {
      const waiter = { attributes, resolve, reject }
      const others = waiting.get(attributes.namespace)
      if (others) others.push(waiter)
      else void work(attributes.namespace, [waiter])
    })
}
