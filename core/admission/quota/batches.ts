/** Writes of a namespace are charged together: what waits while quotas are written is checked, and written, at once. */
import type { AdmissionAttributes } from '../attributes.ts'
import type { QuotaObject } from './quota.ts'

export interface Charging {
  /** The quotas of a namespace. */
  quotasOf(namespace: string): Promise<readonly QuotaObject[]>
  /** As they are stored now; without those that are gone. */
  reread(quotas: readonly QuotaObject[]): Promise<readonly QuotaObject[]>
  /** The quotas when this write is done as well. Throws an ApiError when it does not fit. */
  check(quotas: readonly QuotaObject[], attributes: AdmissionAttributes): Promise<readonly QuotaObject[]>
  /** Writes the status where the quota has not changed since; false: it has. */
  save(quota: QuotaObject): Promise<boolean>
}

interface Waiter {
  readonly attributes: AdmissionAttributes
  resolve(): void
  reject(error: unknown): void
}

const mostTries = 10

/** Resolves when the write has been charged to all quotas that count it; rejects with the refusal. */
export function createBatches({ quotasOf, reread, check, save }: Charging): (attributes: AdmissionAttributes) => Promise<void> {
  const waiting = new Map<string, Waiter[]>()

  /** Checks one write after the other against what those before it leave; returns those that fit and change something. */
  async function checkAll(quotas: readonly QuotaObject[], waiters: readonly Waiter[]) {
    let running = quotas
    const charged: Waiter[] = []
    for (const waiter of waiters) {
      try {
        const after = await check(running, waiter.attributes)
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

  /** A quota that another server has changed meanwhile is read anew, and only that is checked and written again. */
  async function charge(quotas: readonly QuotaObject[], waiters: readonly Waiter[]): Promise<void> {
    let [left, pending] = [quotas, waiters]
    for (let tries = 1; pending.length > 0; tries++) {
      const { running, charged } = await checkAll(left, pending)
      const changed = running.flatMap((quota, index) => (quota === left[index] ? [] : [quota]))
      const lost: QuotaObject[] = []
      for (const quota of changed) if (!(await save(quota))) lost.push(quota)
      if (lost.length === 0) {
        for (const waiter of charged) waiter.resolve()
        return
      }
      if (tries === mostTries) throw new Error(`quota ${lost[0]?.metadata.name} is changed all the time`)
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
