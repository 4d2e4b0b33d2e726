/** Warns about a new quota whose pods may request more than their limits in sum (the reference, pkg/registry/core/resourcequota/strategy.go). */
import { canonicalQuantity, compareQuantities, parseQuantity } from '../../schema/formats/quantity.ts'
import type { Infer } from '../../schema/model.ts'
import type { ResourceQuota } from './resourcequota.ts'

const names = ['cpu', 'memory', 'storage', 'ephemeral-storage']
/** Requests of these are also counted by the bare name. */
const bareNames: readonly string[] = ['cpu', 'memory']

export function warnOfRequestsBeyondLimits({ spec }: Infer<typeof ResourceQuota>, old: object | undefined): string[] {
  if (old) return []
  const { hard = {} } = spec ?? {}
  return names.flatMap((name) => {
    const [requests, limits] = [`requests.${name}`, `limits.${name}`]
    const counted = hard[requests] === undefined && bareNames.includes(name) ? name : requests
    const [request, limit] = [hard[counted], hard[limits]]
    if (request === undefined || limit === undefined) return []
    if (compareQuantities(parseQuantity(request), parseQuantity(limit)) <= 0) return []
    return [`ResourceQuota ${counted} (${canonicalQuantity(request)}) should be less than ${limits} (${canonicalQuantity(limit)})`]
  })
}
