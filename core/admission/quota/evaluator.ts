/** How the objects of a resource count against quotas. */
import type { ApiObject } from '../../resources/definition.ts'
import { type GroupResource, qualified } from '../../respond/status.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import type { Amounts } from './amounts.ts'
import type { ScopeRequirement } from './quota.ts'

export interface Evaluator {
  /** Whether the write may use more than before. */
  handles(attributes: AdmissionAttributes): boolean
  /** Whether objects of this resource use what goes by the name in quotas. */
  counts(name: string): boolean
  usage(object: ApiObject): Amounts | Promise<Amounts>
  /** Absent: in no scope. */
  inScope?(scope: ScopeRequirement, object: ApiObject): boolean
  /** What has to be said in an object so that it can be counted by these names, and isn't. */
  missing?(names: readonly string[], object: ApiObject): string | undefined
}

/** `count/deployments.apps` */
export const countName = (groupResource: GroupResource) => `count/${qualified(groupResource)}`

/** The name that quotas had for a count before there was a general one. */
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
