/** Recalculates the usage of quotas: initially, and when usage decreases. Admission charges increases. */
import { type Amounts, areEqual, excess, isEmpty, only, positive, sum } from '../admission/quota/amounts.ts'
import type { Evaluator } from '../admission/quota/evaluator.ts'
import { createEvaluators } from '../admission/quota/evaluators.ts'
import { hardOf, isInScope, type QuotaObject, usedOf } from '../admission/quota/quota.ts'
import { Pauses, type Slices } from '../common/slices.ts'
import type { ServedResource } from '../objects/registry/served.ts'
import type { Change } from '../objects/watch/change.ts'
import type { WatchableStore } from '../objects/watch/feed.ts'
import { type Following, follow } from '../objects/watch/follow.ts'
import { pauseFor } from '../outgoing/time-limit.ts'
import { ownWrite } from './client.ts'
import type { Controller } from './controller.ts'
import { core } from './namespaced.ts'
import { createQueue } from './queue.ts'
import { QuotaSet, specHardOf } from './quota-set.ts'
import { repeatEvery } from './repeat.ts'

/** Milliseconds in which a charged write is usually stored; later charges make our own write fail. */
const settling = 250
/** Milliseconds between full recalculations: usage of pods on lost nodes ends by time alone. */
const recount = 300_000

const isCurrent = (quota: QuotaObject) =>
  areEqual(specHardOf(quota), hardOf(quota)) && Object.keys(specHardOf(quota)).every((name) => usedOf(quota)[name] !== undefined)

interface Counted {
  readonly resource: ServedResource
  readonly evaluator: Evaluator
}

export const resourceQuota: Controller = (context) => {
  const { clock, platform, table, gates } = context
  const { store, client } = core(context, 'resourcequotas')
  const find = async (group: string, plural: string, namespace: string, name: string) => {
    const stored = table.storeOf(platform.name(group), plural)
    return (await stored?.get({ namespace, name }))?.object
  }
  const createEvaluator = createEvaluators({ platform, clock, find, enabled: gates.enabled })
  const evaluators = new WeakMap<ServedResource, Evaluator>()
  const quotas = new QuotaSet()
  /** Followed stores of counted resources, by storage key. A resource that is replaced has another store. */
  const followed = new Map<string, Following & { readonly store: WatchableStore }>()
  const pauses = new Pauses(clock)
  const closing = new AbortController()

  /** Made once, because there may be thousands of resources. */
  function evaluatorOf(resource: ServedResource): Evaluator {
    const evaluator = evaluators.get(resource) ?? createEvaluator(resource.groupResource)
    evaluators.set(resource, evaluator)
    return evaluator
  }

  /** Resources and evaluators for the names in a quota; one per stored resource. */
  function countedBy(names: readonly string[]): ReadonlyMap<string, Counted> {
    const found = new Map<string, Counted>()
    for (const resource of table.all()) {
      const { namespaced, storageKey, verbs } = resource.definition
      if (!namespaced || !verbs.includes('list') || found.has(storageKey)) continue
      const evaluator = evaluatorOf(resource)
      if (names.some(evaluator.counts)) found.set(storageKey, { resource, evaluator })
    }
    return found
  }

  async function usageOf(quota: QuotaObject, slices: Slices): Promise<Amounts> {
    const hard = specHardOf(quota)
    let used: Amounts = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
    for (const { resource, evaluator } of countedBy(Object.keys(hard)).values()) {
      const { entries } = await resource.store.list({ namespace: quota.metadata.namespace ?? '' })
      for (const entry of entries) {
        if (slices.over) await slices.next()
        const object = entry.copy()
        if (isInScope(quota, object, evaluator))
          used = sum(
            used,
            only(await evaluator.usage(object), (name) => hard[name] !== undefined),
          )
      }
    }
    return used
  }

  /** The quotas of a namespace as they are now. A charge made later causes a conflict when ours is written. */
  async function quotasIn(namespace: string, slices: Slices): Promise<readonly QuotaObject[]> {
    const found: QuotaObject[] = []
    for (const key of quotas.keysIn(namespace)) {
      if (slices.over) await slices.next()
      const quota = (await client.get(namespace, quotas.get(key)?.metadata.name ?? '')) as QuotaObject | undefined
      if (quota !== undefined) found.push(quota)
    }
    return found
  }

  async function write(quota: QuotaObject, used: Amounts): Promise<void> {
    const status = { hard: specHardOf(quota), used }
    if (areEqual(status.hard, hardOf(quota)) && areEqual(status.used, usedOf(quota))) return
    await client.update({ ...quota, status }, 'status')
  }

  const queue = createQueue({
    ...context,
    name: 'resourcequota',
    workers: 16,
    async work(namespace) {
      const slices = pauses.slices(() => closing.signal)
      const found = await quotasIn(namespace, slices)
      // Admission does not charge a quota without limits.
      if (found.some((quota) => !isEmpty(hardOf(quota)))) await pauseFor(clock, settling, closing.signal)
      /** Usage by spec, on which alone it depends. */
      const usages = new Map<string, Promise<Amounts>>()
      const failures: unknown[] = []
      let isStale = false
      for (const quota of found) {
        if (closing.signal.aborted) return
        if (slices.over) await slices.next()
        const spec = JSON.stringify(quota.spec)
        const usage = usages.get(spec) ?? usageOf(quota, slices)
        usages.set(spec, usage)
        // The others are counted even if a resource of this one can't be read.
        await usage
          .then(async (used) => {
            if (!(await ownWrite(() => write(quota, used)))) isStale = true
          })
          .catch((error: unknown) => failures.push(error))
      }
      if (failures.length > 0) throw failures[0]
      if (isStale) queue.addLater(namespace, settling)
    },
  })

  function countAll(): void {
    for (const each of quotas.namespaces()) queue.add(each)
  }

  /** Whether a change decreases usage. */
  async function frees({ deleted, entry, previous }: Change, { usage }: Evaluator): Promise<boolean> {
    if (deleted) return true
    if (previous === undefined) return false
    const [before, now] = [await usage(previous.copy()), await usage(entry.copy())]
    return !isEmpty(positive(excess(before, now)))
  }

  function followCounted(): void {
    const counted = countedBy(quotas.names())
    for (const [key, following] of followed) {
      if (counted.get(key)?.resource.store === following.store) continue
      following.close()
      followed.delete(key)
    }
    for (const [key, { resource, evaluator }] of counted) {
      if (followed.has(key)) continue
      const { store: of } = resource
      const following = follow(of, clock, {
        listed: countAll,
        change(change) {
          const { namespace } = change.entry
          if (quotas.keysIn(namespace).length === 0) return
          const look = () => queue.add(namespace)
          frees(change, evaluator).then((less) => (less ? look() : undefined), look)
        },
      })
      followed.set(key, { ...following, store: of })
    }
  }

  /** Whether all quotas are known: before that, other resources are not counted. */
  let isListed = false
  const following = follow(store, clock, {
    upsert({ key, object }) {
      const quota = object as QuotaObject
      const changed = quotas.set(key, quota)
      if (!isCurrent(quota)) queue.add(quota.metadata.namespace ?? '')
      if (changed && isListed) followCounted()
    },
    remove({ key }) {
      if (quotas.delete(key)) followCounted()
    },
    listed() {
      isListed = true
      followCounted()
    },
  })
  const unfollow = table.follow(followCounted)

  const recounts = repeatEvery(clock, recount, countAll)
  return () => {
    closing.abort()
    unfollow()
    void recounts.stop()
    following.close()
    for (const each of followed.values()) each.close()
    queue.close()
  }
}
