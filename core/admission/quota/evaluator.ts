/** Quota usage of a resource's objects. */

import { type GroupResource, qualified } from '../../answers/status.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import type { Amounts } from './amounts.ts'
import type { ScopeRequirement } from './quota.ts'

export interface Evaluator {
  /** Whether the write may increase usage. */
  handles(attributes: AdmissionAttributes): boolean
  /** Whether objects of this resource use the quota resource `name`. */
  counts(name: string): boolean
  usage(object: ApiObject): Amounts | Promise<Amounts>
  /** Absent: scopes never match. */
  inScope?(scope: ScopeRequirement, object: ApiObject): boolean
  /** Error when the object lacks values that are needed for these quota resources. */
  missing?(names: readonly string[], object: ApiObject): string | undefined
}

/** `count/deployments.apps` */
export const countName = (groupResource: GroupResource) => `count/${qualified(groupResource)}`

/** Resources with an old count name besides `count/…`. */
const aliases: ReadonlySet<string> = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'])

/** Counts objects. */
export function countEvaluator(groupResource: GroupResource): Evaluator {
  const names = [countName(groupResource), ...(aliases.has(qualified(groupResource)) ? [groupResource.resource] : [])]
  const one: Amounts = Object.fromEntries(names.map((name) => [name, '1']))
  return {
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    counts: (name) => names.includes(name),
    usage: () => one,
  }
}
