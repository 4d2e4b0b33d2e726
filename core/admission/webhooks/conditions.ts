/** Match conditions of a webhook: whether it is asked at all. */

import type { Authorizer } from '../../authz/authorizer.ts'
import { aggregate } from '../../authz/rules.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import { authorizerBindings } from '../matching/authorizer.ts'
import { admissionRequest } from '../matching/request.ts'
import type { Invocation } from '../matching/rules.ts'
import type { VersionedObjects } from '../versioned.ts'
import type { Condition } from './hook.ts'

/** Units that all conditions of one webhook may cost, and one of them (apiserver/pkg/apis/cel/config.go). */
const budget = 2_500_000
const mostPerCondition = 1_000_000

/** Whether all conditions hold, or what went wrong: one that is false outweighs others that fail. */
export async function conditionsHold(
  conditions: readonly Condition[],
  attributes: AdmissionAttributes,
  invocation: Invocation,
  { object, oldObject }: VersionedObjects,
  authorizer: Authorizer,
): Promise<boolean | { readonly error: string }> {
  const bindings = {
    object: object ?? null,
    oldObject: oldObject ?? null,
    namespaceObject: null,
    request: admissionRequest(attributes, invocation),
    ...authorizerBindings(authorizer, attributes),
  }
  const errors: string[] = []
  let left = budget
  for (const condition of conditions) {
    const failed = (error: string) => errors.push(`expression '${condition.expression}' resulted in error: ${error}`)
    if ('issues' in condition) {
      failed(condition.issues)
      continue
    }
    if (left <= 0) return { error: 'validation failed due to running out of cost budget, no further validation rules will be run' }
    const { value, error, cost } = await condition.evaluateLater(bindings, { costLimit: Math.min(left, mostPerCondition) })
    left -= cost
    if (error !== undefined) failed(error)
    else if (value !== true) return false
  }
  return errors.length === 0 ? true : { error: aggregate(errors) }
}
