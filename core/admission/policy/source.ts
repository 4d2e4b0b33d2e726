/** Follows policies and bindings. A policy is compiled on first use, once per generation, in the time slices of the requests that need it. */

import { all, type MaybePromise } from '../../common/maybe-promise.ts'
import { once } from '../../common/once.ts'
import type { Slices } from '../../common/slices.ts'
import { Stepped, type Steps } from '../../common/steps.ts'
import type { ParamKind, ParamRef } from '../../resources/admissionregistration/match.ts'
import type { ValidatingAdmissionPolicySpec } from '../../resources/admissionregistration/validatingadmissionpolicy.ts'
import type { ValidatingAdmissionPolicyBindingSpec } from '../../resources/admissionregistration/validatingadmissionpolicybinding.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Infer } from '../../schema/model.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { followManifests } from '../manifest/follow.ts'
import { Candidates } from '../matching/candidates.ts'
import { exclusions } from './excluded.ts'
import { createMatcher, everything, type Matcher } from './match.ts'

type PolicySpec = Infer<typeof ValidatingAdmissionPolicySpec>

type BindingSpec = Infer<typeof ValidatingAdmissionPolicyBindingSpec>

export interface Binding {
  readonly name: string
  readonly policyName: string
  readonly paramRef: Infer<typeof ParamRef> | undefined
  readonly actions: readonly string[]
  readonly matcher: Matcher
}

/** A binding with its resolved parameters; undefined stands for none. */
export interface BoundParams {
  readonly binding: Binding
  readonly params: readonly (ApiObject | undefined)[]
}

/** A policy with bindings. */
export interface Policy<P> {
  readonly name: string
  readonly paramKind: Infer<typeof ParamKind> | undefined
  readonly matcher: Matcher
  /** Failure policy Ignore. */
  readonly ignoresFailure: boolean
  /** From a manifest: it applies to policies and bindings, too, because they can't change it. */
  readonly isStatic: boolean
  readonly bindings: readonly Binding[]
  /** Bindings that apply to all requests alike; undefined: depends on the request. */
  readonly always: readonly BoundParams[] | undefined
  /** The compiled expressions. */
  program(slices: Slices | undefined): MaybePromise<P>
}

export interface PolicySource<P> {
  /** Resolves after the initial list. */
  readonly ready: MaybePromise<unknown>
  /** Policies with a binding that may match the request: those from manifests first, both by name. */
  about(attributes: AdmissionAttributes): readonly Policy<P>[]
  close(): void
}

/** A policy without its bindings. */
type Unbound<P> = Omit<Policy<P>, 'bindings' | 'always'>

const nameOf = ({ metadata: { name = '' } }: ApiObject) => name

function bindingOf(object: ApiObject): Binding {
  const { policyName = '', paramRef, matchResources, validationActions = [] } = object['spec'] as BindingSpec
  return { name: nameOf(object), policyName, paramRef, actions: validationActions, matcher: createMatcher(matchResources) }
}

/** Compiles on first use. */
function policyOf<P>(object: ApiObject, isStatic: boolean, compile: (policy: ApiObject) => Steps<P>): Unbound<P> {
  const { paramKind, matchConstraints, failurePolicy } = object['spec'] as PolicySpec
  let compiled: Stepped<P> | undefined
  return {
    name: nameOf(object),
    paramKind,
    matcher: createMatcher(matchConstraints),
    ignoresFailure: failurePolicy === 'Ignore',
    isStatic,
    program(slices) {
      compiled ??= new Stepped(compile(object))
      return compiled.value(slices)
    },
  }
}

/** Bindings without parameters and match criteria apply whenever the policy does. */
function alwaysBound(paramKind: Infer<typeof ParamKind> | undefined, bindings: readonly Binding[]): readonly BoundParams[] | undefined {
  if (paramKind != null || bindings.some(({ matcher }) => matcher !== everything)) return undefined
  return bindings.map((binding) => ({ binding, params: [undefined] }))
}

const group = 'admissionregistration.<domain>'
const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1)

/** Plurals of policies and bindings, and the plugin that evaluates them. */
export interface PolicyKinds {
  readonly plugin: 'MutatingAdmissionPolicy' | 'ValidatingAdmissionPolicy'
  readonly policies: string
  readonly bindings: string
}

/** Policies that have bindings, by name. */
function bound<P>(policies: readonly Unbound<P>[], bindings: readonly Binding[]): readonly Policy<P>[] {
  const byPolicy = new Map<string, Binding[]>()
  for (const binding of bindings.toSorted(byName)) {
    const own = byPolicy.get(binding.policyName)
    if (own) own.push(binding)
    else byPolicy.set(binding.policyName, [binding])
  }
  const found = policies.flatMap((policy) => {
    const own = byPolicy.get(policy.name)
    return own ? [{ ...policy, bindings: own, always: alwaysBound(policy.paramKind, own) }] : []
  })
  return found.sort(byName)
}

export function followPolicies<P>(context: PluginContext, plurals: PolicyKinds, compile: (policy: ApiObject) => Steps<P>): PolicySource<P> {
  const { follow, platform, configuration } = context
  const policies = new Map<string, { readonly generation: string; readonly policy: Unbound<P> }>()
  const bindings = new Map<string, Binding>()
  const excluded = once(() => exclusions(platform))
  let known: Candidates<Policy<P>> | undefined
  /** Those of manifests are bound to each other only. */
  let fixed: readonly Policy<P>[] = []
  const unfollow = followManifests(plurals.plugin, configuration[plurals.plugin]?.manifests, context, (objects) => {
    const own = (objects[plurals.policies] ?? []).map((object) => policyOf(object, true, compile))
    fixed = bound(own, (objects[plurals.bindings] ?? []).map(bindingOf))
    known = undefined
  })

  const followings = [
    follow(group, plurals.policies, {
      upsert({ key, object }) {
        const { uid, generation } = object.metadata
        const now = `${uid}/${generation}`
        // Status updates don't change the generation.
        if (policies.get(key)?.generation === now) return
        policies.set(key, { generation: now, policy: policyOf(object, false, compile) })
        known = undefined
      },
      remove({ key }) {
        policies.delete(key)
        known = undefined
      },
    }),
    follow(group, plurals.bindings, {
      upsert({ key, object }) {
        bindings.set(key, bindingOf(object))
        known = undefined
      },
      remove({ key }) {
        bindings.delete(key)
        known = undefined
      },
    }),
  ]

  const inForce = () => [
    ...fixed,
    ...bound(
      Array.from(policies.values(), ({ policy }) => policy),
      [...bindings.values()],
    ),
  ]

  return {
    ready: all(followings.map(({ ready }) => ready)),
    about(attributes) {
      known ??= new Candidates(
        inForce(),
        ({ matcher, isStatic }, each) =>
          !excluded().fromAll(each.groupResource) && (isStatic || !excluded().fromStored(each.groupResource)) && matcher.concerns(each),
      )
      return known.of(attributes)
    },
    close() {
      unfollow()
      for (const following of followings) following.close()
    },
  }
}
