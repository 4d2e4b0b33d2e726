/** Disruption budgets, which limit evictions (policy API, PodDisruptionBudget). */

import { ApiError, forbidden, type StatusCause } from '../../answers/status.ts'
import type { ServedResource } from '../../objects/registry/served.ts'
import { updateObject } from '../../objects/registry/update.ts'
import { statusView } from '../../objects/registry/view.ts'
import { labelSelectorOf } from '../../request/label-selector.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from '../../resources/policy/poddisruptionbudget.ts'
import { timestamp } from '../../schema/formats/time.ts'
import type { Infer } from '../../schema/model.ts'
import type { Target, WriteServices } from '../services.ts'
import { actionRequest, type Condition } from './pod.ts'

type Spec = Infer<typeof PodDisruptionBudgetSpec>

type Status = Infer<typeof PodDisruptionBudgetStatus>

export const budgetSpec = (budget: ApiObject) => (budget['spec'] ?? {}) as Spec
export const budgetStatus = (budget: ApiObject) => (budget['status'] ?? {}) as Status

const refusal = "Cannot evict pod as it would violate the pod's disruption budget."
/** Maximum granted evictions that the disruption controller has not observed yet. */
const maxDisrupted = 2000
const pluralInErrors = { group: 'policy', resource: 'poddisruptionbudget' }
const disruptionAllowed = 'DisruptionAllowed'

function refused(message: string, retryAfterSeconds?: number): ApiError {
  const causes: StatusCause[] = [{ reason: 'DisruptionBudget', message }]
  return new ApiError('TooManyRequests', refusal, { causes, ...(retryAfterSeconds && { retryAfterSeconds }) })
}

/** The budget's status is outdated; a client may retry soon. */
export const stillProcessed = (name: string) => refused(`The disruption budget ${name} is still being processed by the server.`, 10)

function selects(budget: ApiObject, pod: ApiObject): boolean {
  try {
    return labelSelectorOf(budgetSpec(budget).selector).matches(pod.metadata.labels)
  } catch {
    return false
  }
}

/** Budgets of the pod's namespace that select it. Absent and invalid selectors select nothing, an empty one all. */
export async function budgetsOf(budgets: ServedResource, pod: ApiObject): Promise<readonly ApiObject[]> {
  const { entries } = await budgets.store.list({ namespace: pod.metadata.namespace ?? '' })
  return entries.map((entry) => entry.copy()).filter((budget) => selects(budget, pod))
}

/** Error text for an exhausted budget. */
function exhausted(name: string, status: Status): string {
  const { currentHealthy = 0, desiredHealthy = 0 } = status
  const failed = status.conditions?.find(({ type, status: holds, message }) => type === disruptionAllowed && holds === 'False' && message)
  const base = `The disruption budget ${name}`
  if (failed?.reason === 'SyncFailed') return `${base} does not allow evicting pods currently because it failed sync: ${failed.message}`
  if (currentHealthy <= desiredHealthy) return `${base} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
  if (failed) return `${base} does not allow evicting pods currently (${failed.reason ?? ''}): ${failed.message}`
  return `${base} does not allow evicting pods currently`
}

/** Throws 429 when the budget allows no disruption now, 403 when its status is invalid. */
function checkAllowance({ metadata, ...budget }: ApiObject): void {
  const status = budgetStatus({ ...budget, metadata } as ApiObject)
  const { name = '', generation = 0 } = metadata
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {} } = status
  if (observedGeneration < generation) throw stillProcessed(name)
  if (disruptionsAllowed < 0) throw forbidden(pluralInErrors, name, 'pdb disruptions allowed is negative')
  if (Object.keys(disruptedPods).length > maxDisrupted)
    throw forbidden(pluralInErrors, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller')
  if (disruptionsAllowed === 0) throw refused(exhausted(name, status))
}

/** The conditions of a budget after its last disruption was taken. */
function spent(conditions: readonly Condition[] = [], generation: number, now: string): readonly Condition[] {
  const old = conditions.find(({ type }) => type === disruptionAllowed)
  const lastTransitionTime = old?.status === 'False' && old.lastTransitionTime ? old.lastTransitionTime : now
  const condition = {
    type: disruptionAllowed,
    status: 'False',
    observedGeneration: generation,
    lastTransitionTime,
    reason: 'InsufficientPods',
    message: '',
  }
  return old ? conditions.map((each) => (each === old ? condition : each)) : [...conditions, condition]
}

/** Takes one disruption from the budget by compare-and-swap, and records the pod. Throws 429 when none is left. */
export async function takeDisruption(
  writes: WriteServices,
  target: Target,
  budgets: ServedResource,
  name: string,
  dryRun: boolean,
): Promise<void> {
  const now = timestamp(writes.clock.now())
  async function change(budget: ApiObject): Promise<ApiObject> {
    checkAllowance(budget)
    const status = budgetStatus(budget)
    const left = (status.disruptionsAllowed ?? 0) - 1
    const conditions = left === 0 && spent(status.conditions, budget.metadata.generation ?? 0, now)
    return {
      ...budget,
      status: {
        ...status,
        disruptionsAllowed: left,
        disruptedPods: { ...status.disruptedPods, [target.name]: now },
        ...(conditions && { conditions }),
      },
    }
  }
  const update = { view: statusView(budgets.definition), change }
  await updateObject(budgets, target.namespace, name, update, actionRequest(writes, target, dryRun))
}
