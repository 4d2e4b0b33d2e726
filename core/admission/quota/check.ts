/** Checks a write against all matching quotas and computes the new usage (pkg/admission/plugin/resourcequota). */
import { eachInSlices, type Slices } from '../../common/slices.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import type { LimitedResource } from '../configuration.ts'
import { refusal } from '../plugins/about.ts'
import { type Amounts, exceeded, excess, isEmpty, negativeNames, only, positive, sum, textOf } from './amounts.ts'
import type { Evaluator } from './evaluator.ts'
import { hardOf, isInScope, type QuotaObject, type ScopeRequirement, scopesOf, usedOf } from './quota.ts'

const list = (names: readonly string[]) => [...names].sort().join(',')
const scopeText = ({ scopeName, operator, values }: ScopeRequirement) => `{${scopeName} ${operator} [${(values ?? []).join(' ')}]}`

/** A write that is checked against the quotas of its namespace. */
interface QuotaCheck {
  readonly quotas: readonly QuotaObject[]
  readonly attributes: AdmissionAttributes
  readonly evaluator: Evaluator
  readonly limited: readonly LimitedResource[]
  readonly slices: Slices
}

interface Counting {
  readonly quota: QuotaObject
  /** Resources in the quota that objects of this kind use. */
  readonly names: readonly string[]
}

/** The quotas that match the object. Throws an ApiError when usage can't be computed. */
async function countingQuotas({ quotas, attributes, evaluator, slices }: QuotaCheck): Promise<readonly Counting[]> {
  const { object } = attributes
  const counting: Counting[] = []
  if (object === undefined) return counting
  await eachInSlices(quotas, slices, (quota) => {
    const names = Object.keys(hardOf(quota)).filter(evaluator.counts)
    if (names.length === 0 || !isInScope(quota, object, evaluator)) return
    const name = quota.metadata.name ?? ''
    const missing = evaluator.missing?.(names, object)
    if (missing !== undefined) throw refusal(attributes, `failed quota: ${name}: ${missing}`)
    if (names.some((each) => usedOf(quota)[each] === undefined))
      throw refusal(attributes, `status unknown for quota: ${name}, resources: ${list(names)}`)
    counting.push({ quota, names })
  })
  return counting
}

/** Throws when a limited resource is used and no quota covers it. */
function checkCovered({ quotas, attributes, evaluator, limited }: QuotaCheck, usage: Amounts, counting: readonly Counting[]): void {
  const { groupResource, object } = attributes
  if (object === undefined || limited.length === 0) return
  const own = limited.filter(({ apiGroup, resource }) => apiGroup === groupResource.group && resource === groupResource.resource)
  const used = Object.keys(positive(usage)).filter((name) =>
    own.some(({ matchContains }) => matchContains.some((part) => name.includes(part))),
  )
  const covered = new Set(counting.flatMap(({ names }) => names))
  const open = used.filter((name) => !covered.has(name))
  if (open.length > 0) throw refusal(attributes, `insufficient quota to consume: ${list(open)}`)

  const isIn = (scope: ScopeRequirement) => evaluator.inScope?.(scope, object) ?? false
  const quotaScopes = new Set(
    quotas
      .flatMap(scopesOf)
      .filter(isIn)
      .map(({ scopeName }) => scopeName),
  )
  const uncovered = limited.flatMap(({ matchScopes }) => matchScopes).filter((scope) => isIn(scope) && !quotaScopes.has(scope.scopeName))
  if (uncovered.length > 0) throw refusal(attributes, `insufficient quota to match these scopes: [${uncovered.map(scopeText).join(' ')}]`)
}

/** The quota after a write that needs so much more. Throws when a limit is exceeded, which writes of a status may. */
function charged(quota: QuotaObject, delta: Amounts, attributes: AdmissionAttributes): QuotaObject {
  const [hard, used] = [hardOf(quota), usedOf(quota)]
  const requested = only(delta, (name) => hard[name] !== undefined)
  const total = sum(used, requested)
  const over =
    attributes.subresource === 'status'
      ? []
      : exceeded(
          only(total, (name) => requested[name] !== undefined),
          hard,
        )
  if (over.length > 0) {
    const [asked, has, may] = [requested, used, hard].map((amounts) => textOf(only(amounts, (name) => over.includes(name))))
    throw refusal(attributes, `exceeded quota: ${quota.metadata.name}, requested: ${asked}, used: ${has}, limited: ${may}`)
  }
  return { ...quota, status: { ...quota.status, used: total } }
}

/**
 * The quotas after the write; unchanged quotas are the same objects.
 * @throws ApiError when a limit is exceeded.
 */
export async function checkRequest(check: QuotaCheck): Promise<readonly QuotaObject[]> {
  const { quotas, attributes, evaluator, slices } = check
  const { object, oldObject, operation } = attributes
  if (object === undefined) return quotas
  const counting = await countingQuotas(check)
  const usage = await evaluator.usage(object)
  const negative = negativeNames(usage)
  if (negative.length > 0) throw refusal(attributes, `quota usage is negative for resource(s): ${list(negative)}`)
  const before = operation === 'UPDATE' && oldObject !== undefined ? oldObject : undefined
  const change = before ? excess(usage, await evaluator.usage(before)) : usage
  const deltas = new Map<QuotaObject, Amounts>()
  await eachInSlices(counting, slices, ({ quota }) => {
    // If the object was not in scope before, all of its usage is new.
    const delta = positive(before && isInScope(quota, before, evaluator) ? change : usage)
    if (!isEmpty(delta)) deltas.set(quota, delta)
  })
  if (counting.length > 0 ? deltas.size === 0 : isEmpty(positive(change))) return quotas
  checkCovered(check, usage, counting)

  const after: QuotaObject[] = []
  await eachInSlices(quotas, slices, (quota) => {
    const delta = deltas.get(quota)
    after.push(delta === undefined ? quota : charged(quota, delta, attributes))
  })
  return after
}
