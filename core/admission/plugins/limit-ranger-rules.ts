/** Checks one LimitRange entry against one container, pod or claim. */
import type { LimitRangeItem } from '../../resources/core/limitrange.ts'
import { canonicalQuantity, compareQuantities, parseQuantity, scaledQuantity } from '../../schema/formats/quantity.ts'
import type { Infer } from '../../schema/model.ts'
import { type Amounts, type PodSpec, podAmounts, type Resources } from './pod-amounts.ts'

/** core/v1 LimitRangeItem. */
export type Limit = Infer<typeof LimitRangeItem>

export type Constrained =
  | { readonly kind: 'pod'; readonly spec: PodSpec }
  | { readonly kind: 'claim'; readonly spec: { readonly resources?: Resources } }

/** Resources that an entry limits; claims have requests only. */
export interface Usage {
  readonly requests: Amounts
  readonly limits?: Amounts
}

const whole = (resources: Resources | undefined): Usage => ({ requests: resources?.requests ?? {}, limits: resources?.limits ?? {} })

/** The usages that an entry applies to. */
export function usageOf(constrained: Constrained, { type }: Limit): Usage[] {
  if (constrained.kind === 'claim')
    return type === 'PersistentVolumeClaim' ? [{ requests: constrained.spec.resources?.requests ?? {} }] : []
  const { spec } = constrained
  if (type === 'Pod') return [{ requests: podAmounts(spec, 'requests'), limits: podAmounts(spec, 'limits') }]
  if (type !== 'Container') return []
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => whole(resources))
}

const compare = (a: string, b: string) => compareQuantities(parseQuantity(a), parseQuantity(b))
const shown = (amount: string) => canonicalQuantity(amount)
const thousandths = (amount: string | undefined) => (amount === undefined ? 0 : Number(scaledQuantity(parseQuantity(amount), -3)))

/** `request` and `limit`: the object's values for the resource; absent: not specified. */
type Rule = (enforced: string, request: string | undefined, limit: string | undefined) => string | undefined

const minimum: Rule = (enforced, request, limit) => {
  if (request === undefined) return `${shown(enforced)}.  No request is specified`
  if (compare(request, enforced) < 0) return `${shown(enforced)}, but request is ${shown(request)}`
  return limit !== undefined && compare(limit, enforced) < 0 ? `${shown(enforced)}, but limit is ${shown(limit)}` : undefined
}

const maximum: Rule = (enforced, request, limit) => {
  if (limit === undefined) return `${shown(enforced)}.  No limit is specified`
  if (compare(limit, enforced) > 0) return `${shown(enforced)}, but limit is ${shown(limit)}`
  return request !== undefined && compare(request, enforced) > 0 ? `${shown(enforced)}, but request is ${shown(request)}` : undefined
}

const maximumRequest: Rule = (enforced, request) => {
  if (request === undefined) return `${shown(enforced)}.  No request is specified`
  return compare(request, enforced) > 0 ? `${shown(enforced)}, but request is ${shown(request)}` : undefined
}

const ratio: Rule = (enforced, request, limit) => {
  const [requested, limited] = [thousandths(request), thousandths(limit)]
  if (requested === 0) return `${shown(enforced)}, but no request is specified or request is 0`
  if (limited === 0) return `${shown(enforced)}, but no limit is specified or limit is 0`
  const observed = limited / requested
  return observed * 1000 > thousandths(enforced) ? `${shown(enforced)}, but provided ratio is ${observed.toFixed(6)}` : undefined
}

/** All violations, by resource. */
export function problemsOf({ type, min = {}, max = {}, maxLimitRequestRatio = {} }: Limit, { requests, limits }: Usage): string[] {
  const check = (enforced: Amounts, rule: Rule, phrase: (resource: string) => string) =>
    Object.keys(enforced)
      .sort()
      .flatMap((resource) => {
        const problem = rule(enforced[resource] ?? '0', requests[resource], limits?.[resource])
        return problem === undefined ? [] : [`${phrase(resource)} per ${type} is ${problem}`]
      })
  return [
    ...check(min, minimum, (resource) => `minimum ${resource} usage`),
    ...check(max, limits ? maximum : maximumRequest, (resource) => `maximum ${resource} usage`),
    ...(limits ? check(maxLimitRequestRatio, ratio, (resource) => `${resource} max limit to request ratio`) : []),
  ]
}
