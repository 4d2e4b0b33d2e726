/** Determines whether a webhook is called for a request, and in which version. */

import type { Authorizer } from '../../access/authz/authorizer.ts'
import { ApiError, forbidden, type GroupResource } from '../../answers/status.ts'
import { settled } from '../../cel/settled.ts'
import type { Platform } from '../../platform.ts'
import type { Clock } from '../../ports.ts'
import type { AdmissionAttributes, GroupVersionKind } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { Conditions } from '../expressions/conditions.ts'
import { RequestValues } from '../expressions/values.ts'
import { type Invocation, invocationOf } from '../matching/rules.ts'
import { matchesNamespaceSelector, matchesObjectSelector } from '../matching/selectors.ts'
import { type AdmissionMetrics, countConditions, type StepType } from '../metrics.ts'
import type { VersionedObjects } from '../versioned.ts'
import type { Hook } from './hook.ts'

export interface Judge extends Pick<PluginContext, 'find'> {
  readonly authorizer: Authorizer
  readonly metrics: AdmissionMetrics
  readonly clock: Clock
  readonly type: StepType
}

/** Undefined: not called. `objects`: current state, in any version. Errors of selectors and conditions count only if the rules match. */
export async function invocationFor(
  hook: Hook,
  attributes: AdmissionAttributes,
  objects: VersionedObjects,
  versioned: (kind: GroupVersionKind) => Promise<VersionedObjects>,
  judge: Judge,
): Promise<Invocation | undefined> {
  const invocation = invocationOf(hook.rules, hook.equivalent, attributes)
  if (invocation === undefined) return undefined
  const chosen = await matchesNamespaceSelector(hook.namespaces, attributes, judge, objects.object)
  if (chosen === false) return undefined
  const object = matchesObjectSelector(hook.objects, objects)
  if (object === false) return undefined
  if (chosen instanceof ApiError) throw chosen
  if (object instanceof ApiError) throw object
  if (hook.conditions.length === 0) return invocation
  const values = new RequestValues(attributes, invocation, await versioned(invocation.kind), judge.authorizer, null)
  const conditions = new Conditions(hook.conditions, { values })
  const began = judge.clock.monotonic()
  const holds = await settled(() => conditions.hold())
  const labels = [hook.name, 'webhook', judge.type, attributes.operation] as const
  countConditions(judge.metrics, labels, conditions.errors, judge.clock.monotonic() - began)
  if (holds === true) return invocation
  if (holds === false || hook.ignoresFailure) {
    judge.metrics.exclusions.add(labels)
    return undefined
  }
  throw forbidden(attributes.groupResource, attributes.name, holds.error)
}

const exempt = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
])

/** Configurations of webhooks and policies are exempt: otherwise one that denies everything could not be repaired. */
export function isExempt(platform: Platform): (groupResource: GroupResource) => boolean {
  const group = platform.name('admissionregistration.<domain>')
  return (on) => on.group === group && exempt.has(on.resource)
}
