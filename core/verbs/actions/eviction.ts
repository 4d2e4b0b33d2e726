/** `pods/eviction`: a delete that disruption budgets may refuse (policy API). */

import { ApiError, badRequest, conflict, notFound, type Status } from '../../answers/status.ts'
import { deleteObject } from '../../objects/registry/delete.ts'
import { updateObject } from '../../objects/registry/update.ts'
import type { Platform } from '../../platform.ts'
import { type DeleteOptions, deleteOptionsOf } from '../../request/delete-options.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { Eviction } from '../../resources/policy/eviction.ts'
import type { JsonObject } from '../../schema/model.ts'
import { registryOptions } from '../delete.ts'
import type { Services, Target, WriteServices } from '../services.ts'
import { type Action, done } from './action.ts'
import { budgetSpec, budgetStatus, budgetsOf, stillProcessed, takeDisruption } from './disruption-budget.ts'
import { actionRequest, conditionOf, statusOf, unrestrictedView, withCondition } from './pod.ts'

/** Maximum attempts of a delete with write conflicts. */
const tries = 20
const isConflict = (error: unknown) => error instanceof ApiError && error.status.reason === 'Conflict'

const tooManyBudgets: Status = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  code: 500,
}

async function podOf({ resource: { store, groupResource }, namespace, name }: Target): Promise<ApiObject> {
  const entry = await store.get({ namespace, name })
  if (entry === undefined) throw notFound(groupResource, name)
  return entry.copy()
}

const isOver = (pod: ApiObject) =>
  ['Succeeded', 'Failed'].includes(statusOf(pod).phase ?? '') || pod.metadata.deletionTimestamp !== undefined
/** Pods that don't run are exempt from budgets. */
const needsNoBudget = (pod: ApiObject) => isOver(pod) || statusOf(pod).phase === 'Pending'

/** Adds a precondition on the pod's current version. */
function ofVersion(options: DeleteOptions, { metadata }: ApiObject): DeleteOptions {
  return { ...options, preconditions: { ...options.preconditions, resourceVersion: metadata.resourceVersion ?? '' } }
}

function checkPreconditions({ name }: Target, { preconditions = {} }: DeleteOptions, { metadata }: ApiObject): void {
  const pods = { group: '', resource: 'Pod' }
  const { uid, resourceVersion } = preconditions
  if (uid && uid !== metadata.uid)
    throw conflict(
      pods,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    )
  if (resourceVersion && resourceVersion !== metadata.resourceVersion)
    throw conflict(
      pods,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    )
}

/** Adds the DisruptionTarget condition to the pod's status, then deletes the pod. */
async function markAndDelete(writes: WriteServices, target: Target, options: DeleteOptions): Promise<void> {
  const { resource, namespace, name } = target
  const request = actionRequest(writes, target, options.dryRun)
  let final = options
  if (!options.dryRun) {
    const reason = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' }
    async function change(pod: ApiObject): Promise<ApiObject> {
      checkPreconditions(target, options, pod)
      return { ...pod, status: { ...statusOf(pod), conditions: withCondition(pod, reason, writes.clock.now()) } }
    }
    const marked = await updateObject(resource, namespace, name, { view: unrestrictedView, change }, request)
    if (options.preconditions?.resourceVersion !== undefined) final = ofVersion(options, marked.copy())
  }
  await deleteObject(resource, namespace, name, registryOptions(final), request)
}

/** Deletes a pod that is exempt from budgets; false when budgets apply. */
async function deleteFreely(writes: WriteServices, target: Target, options: DeleteOptions): Promise<boolean> {
  const fixed = options.preconditions?.resourceVersion !== undefined
  for (let attempt = 1; ; attempt++) {
    const pod = await podOf(target)
    if (!needsNoBudget(pod)) return false
    try {
      await markAndDelete(writes, target, isOver(pod) || fixed ? options : ofVersion(options, pod))
      return true
    } catch (error) {
      if (!isConflict(error) || fixed || attempt === tries) throw error
    }
  }
}

/** Whether an unready pod can be evicted without taking a disruption: enough other pods are healthy, or the policy allows it. */
function goesUncounted(pod: ApiObject, budget: ApiObject): boolean {
  if (conditionOf(pod, 'Ready')?.status === 'True') return false
  const { currentHealthy = 0, desiredHealthy = 0 } = budgetStatus(budget)
  return budgetSpec(budget).unhealthyPodEvictionPolicy === 'AlwaysAllow' || (desiredHealthy > 0 && currentHealthy >= desiredHealthy)
}

/** Dry run may be requested in the query, in the body, or in both. */
function optionsOf(platform: Platform, eviction: ApiObject, dryRun: boolean): DeleteOptions {
  const options = deleteOptionsOf((eviction['deleteOptions'] ?? {}) as JsonObject, platform)
  return { ...options, dryRun: options.dryRun || dryRun }
}

export const eviction = ({ writes }: Pick<Services, 'writes'>): Action => ({
  body: { group: 'policy', version: 'v1', kind: 'Eviction', schema: Eviction, olderVersions: ['policy/v1beta1'] },
  async perform(target, object, dryRun) {
    if (object.metadata.name !== target.name) throw badRequest('name in URL does not match name in Eviction object')
    const options = optionsOf(writes.platform, object, dryRun)
    if (await deleteFreely(writes, target, options)) return done
    const pod = await podOf(target)
    const budgets = writes.table.lookup('policy', 'v1', 'poddisruptionbudgets')
    const [budget, ...others] = budgets ? await budgetsOf(budgets, pod) : []
    if (others.length > 0) return tooManyBudgets
    if (budgets === undefined || budget === undefined) {
      await markAndDelete(writes, target, options)
      return done
    }
    const { name = '' } = budget.metadata
    const uncounted = goesUncounted(pod, budget)
    if (!uncounted) await takeDisruption(writes, target, budgets, name, options.dryRun)
    try {
      await markAndDelete(writes, target, uncounted ? ofVersion(options, pod) : options)
    } catch (error) {
      if (uncounted && isConflict(error) && options.preconditions?.resourceVersion === undefined) throw stillProcessed(name)
      throw error
    }
    return done
  },
})
