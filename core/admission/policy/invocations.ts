/** Determines the policies that match a request, with bindings and parameters (policy/generic/policy_dispatcher.go). */

import { ApiError } from '../../answers/status.ts'
import type { MaybePromise } from '../../common/maybe-promise.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import { ConfigurationError } from '../expressions/faults.ts'
import type { Lookup } from '../lookup.ts'
import type { Invocation } from '../matching/rules.ts'
import { namespaceOf } from '../namespace-of.ts'
import type { Match } from './match.ts'
import { collectParams, paramSource } from './params.ts'
import type { Binding, BoundParams, Policy } from './source.ts'

/** A matching policy, and the version in which it gets the request. */
export interface MatchedPolicy<P> {
  readonly policy: Policy<P>
  readonly invocation: Invocation
  readonly bindings: readonly BoundParams[]
}

/** Called when a policy or binding can't be applied. */
export type OnFault<P> = (policy: Policy<P>, binding: Binding | undefined, message: string) => void

/** A policy that is matched with a request. */
interface Matching<P> {
  readonly policy: Policy<P>
  readonly attributes: AdmissionAttributes
  readonly lookup: Lookup
  readonly fault: OnFault<P>
}

const isFault = (error: unknown): error is Error => error instanceof ConfigurationError || error instanceof ApiError

async function bindingsOf<P>({ policy, attributes, lookup, fault }: Matching<P>): Promise<readonly BoundParams[]> {
  const source = paramSource(policy.paramKind, lookup)
  const met: { binding: Binding; params: readonly (ApiObject | undefined)[] }[] = []
  for (const binding of policy.bindings) {
    try {
      const match = await binding.matcher.match(attributes, lookup)
      if (match === undefined) continue
      if (match instanceof ApiError) throw match
      met.push({ binding, params: await collectParams(source, binding.paramRef, namespaceOf(attributes), attributes) })
    } catch (error) {
      if (!isFault(error)) throw error
      fault(policy, binding, `failed to configure binding: ${error.message}`)
    }
  }
  return met
}

async function settle<P>(match: MaybePromise<Match>, matching: Matching<P>): Promise<MatchedPolicy<P> | undefined> {
  const { policy, fault } = matching
  try {
    const invocation = await match
    if (invocation === undefined) return undefined
    if (invocation instanceof ApiError) throw invocation
    return { policy, invocation, bindings: policy.always ?? (await bindingsOf(matching)) }
  } catch (error) {
    if (!isFault(error)) throw error
    fault(policy, undefined, `failed to configure policy: ${error.message}`)
    return undefined
  }
}

/** Undefined: the policy does not match or can't be applied. A promise only when a look-up is needed. */
export function matchPolicy<P>(matching: Matching<P>): MaybePromise<MatchedPolicy<P> | undefined> {
  const { policy, attributes, lookup } = matching
  const match = policy.matcher.match(attributes, lookup)
  if (match === undefined) return undefined
  const { always } = policy
  const atOnce = always !== undefined && !(match instanceof Promise || match instanceof ApiError)
  return atOnce ? { policy, invocation: match, bindings: always } : settle(match, matching)
}
