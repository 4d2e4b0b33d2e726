/** MutatingAdmissionPolicies: applies their mutations in order (policy/mutating/dispatcher.go). */

import { ApiError, forbidden, type Reason } from '../../answers/status.ts'
import { settled } from '../../cel/settled.ts'
import { uncounted } from '../../metrics.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { equal } from '../../schema/json/equal.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { Json } from '../../schema/model.ts'
import type { AdmissionAttributes, AdmissionPlugin, MutationRounds } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { Conditions } from '../expressions/conditions.ts'
import { ConfigurationError } from '../expressions/faults.ts'
import { type ExpressionInput, limits, Sequence, type Variables } from '../expressions/sequence.ts'
import { namespaceObject, RequestValues } from '../expressions/values.ts'
import { admissionRows, countConditions, type ExpressionError, expressionError } from '../metrics.ts'
import { type MatchedPolicy, matchPolicy } from '../policy/invocations.ts'
import { compileMutating, type MutatingProgram, type Mutation } from '../policy/mutating-program.ts'
import { mutated } from '../policy/patches.ts'
import { refusedName } from '../policy/refused-name.ts'
import { type Binding, followPolicies, type Policy } from '../policy/source.ts'
import { createReinvocation, type Reinvocation } from '../reinvocation.ts'
import { VersionedRequest } from '../versioned.ts'

type Mutating = Policy<MutatingProgram>

/** A failure of a policy. */
interface Fault {
  readonly policy: Mutating
  readonly binding: Binding | undefined
  readonly message: string
  /** Absent: Forbidden. */
  readonly reason?: Reason
}

/** One policy with one binding and parameter. */
interface Call {
  readonly met: MatchedPolicy<MutatingProgram>
  readonly binding: Binding
  readonly param: ApiObject | undefined
}

const who = ({ policy, binding }: Fault) => (binding ? `policy '${policy.name}' with binding '${binding.name}'` : `policy "${policy.name}"`)

/** Message and reason of the first fault; all are causes. */
function refusal(attributes: AdmissionAttributes, faults: readonly Fault[]): ApiError {
  const causes = faults.map((fault) => ({ message: `${who(fault)} denied request: ${fault.message}` }))
  const { status } = forbidden(attributes.groupResource, refusedName(attributes), '')
  return new ApiError(faults[0]?.reason ?? 'Forbidden', causes[0]?.message ?? '', { ...status.details, causes }, status.code)
}

function idOf({ met: { policy }, binding, param }: Call): string {
  const { namespace = '', name = '' } = param?.metadata ?? {}
  return JSON.stringify([policy.name, binding.name, namespace, name])
}

export function mutatingAdmissionPolicy(context: PluginContext): AdmissionPlugin {
  const { authorizer, clock, metrics = uncounted(admissionRows) } = context
  const reinvocations = new WeakMap<MutationRounds, Reinvocation>()
  const source = followPolicies(
    context,
    { plugin: 'MutatingAdmissionPolicy', policies: 'mutatingadmissionpolicies', bindings: 'mutatingadmissionpolicybindings' },
    compileMutating,
  )

  /** Applies one mutation. Throws a ConfigurationError. */
  async function change(
    request: VersionedRequest,
    { met, param }: Call,
    mutation: Mutation,
    variables: Variables,
    namespace: ApiObject | null,
  ): Promise<void> {
    const { object, attributes } = request
    if (object === undefined) return
    const values = new RequestValues(attributes, met.invocation, request, authorizer, namespace)
    const sequence = new Sequence([mutation], { values, params: param ?? null }, variables, limits.policy)
    const [outcome] = await settled(() => sequence.run())
    if (outcome?.error !== undefined) throw new ConfigurationError(outcome.error)
    request.replace(mutated(object, mutation.patchType, outcome?.value, met.invocation.kind, attributes.versions))
  }

  /** Applies all mutations of a policy in order; failures are reported. */
  async function changeAll(
    request: VersionedRequest,
    call: Call,
    { mutations, variables }: MutatingProgram,
    namespace: ApiObject | null,
    fault: (message: string) => void,
  ): Promise<void> {
    for (const mutation of mutations) {
      const began = clock.monotonic()
      const note = (error: ExpressionError) => {
        const labels = [call.met.policy.name, call.binding.name, error] as const
        metrics.mutations.add(labels)
        metrics.mutationDurations.observe(labels, (clock.monotonic() - began) / 1000)
      }
      try {
        await change(request, call, mutation, variables, namespace)
        note('no_error')
      } catch (error) {
        note(expressionError(messageOf(error)))
        if (!(error instanceof ConfigurationError)) throw error
        fault(error.message)
      }
    }
  }

  async function dispatch(calls: readonly Call[], attributes: AdmissionAttributes, rounds: MutationRounds, faults: Fault[]): Promise<void> {
    const reinvocation = reinvocations.get(rounds) ?? createReinvocation()
    reinvocations.set(rounds, reinvocation)
    if (rounds.again) reinvocation.begin(attributes.object)
    const namespace = await namespaceObject(attributes, context)
    const request = new VersionedRequest(attributes)
    let made = false
    for (const call of calls) {
      const { policy, invocation } = call.met
      const program = await policy.program(attributes.slices)
      const { conditions, variables, reinvocable } = program
      const fault = (message: string) => void faults.push({ policy, binding: call.binding, message, reason: 'Invalid' })
      await request.in(invocation.kind)
      const { object: before = null } = request
      if (conditions.length > 0) {
        const seen: ExpressionInput = {
          values: new RequestValues(attributes, invocation, request, authorizer, null),
          params: call.param ?? null,
        }
        const judged = new Conditions(conditions, seen, variables)
        const began = clock.monotonic()
        const hold = await settled(() => judged.hold())
        countConditions(metrics, [policy.name, 'policy', 'validate', attributes.operation], judged.errors, clock.monotonic() - began)
        if (hold !== true && hold !== false) fault(hold.error)
        if (hold !== true) continue
      }
      const asked = { id: idOf(call), reinvocable }
      if (rounds.again && !reinvocation.isDue(asked)) continue
      await changeAll(request, call, program, namespace, fault)
      made ||= request.object !== undefined && request.object !== before
      if (!equal(before as Json, (request.object ?? null) as Json)) {
        reinvocation.changed()
        rounds.repeat()
      }
      reinvocation.asked(asked)
    }
    await request.finish()
    if (made) {
      reinvocation.changed()
      rounds.repeat()
    }
    reinvocation.end(attributes.object)
  }

  async function mutate(attributes: AdmissionAttributes, policies: readonly Mutating[], rounds: MutationRounds): Promise<void> {
    const faults: Fault[] = []
    const calls: Call[] = []
    for (const policy of policies) {
      const meeting = matchPolicy({
        policy,
        attributes,
        lookup: context,
        fault: (of, binding, message) => void faults.push({ policy: of, binding, message }),
      })
      const met = meeting instanceof Promise ? await meeting : meeting
      for (const { binding, params } of met?.bindings ?? [])
        for (const param of params) calls.push({ met: met as MatchedPolicy<MutatingProgram>, binding, param })
    }
    if (calls.length > 0) await dispatch(calls, attributes, rounds, faults)
    const counted = faults.filter(({ policy }) => !policy.ignoresFailure)
    if (counted.length > 0) throw refusal(attributes, counted)
  }

  return {
    name: 'MutatingAdmissionPolicy',
    operations: ['CREATE', 'UPDATE', 'CONNECT'],
    mutate(attributes, rounds) {
      const policies = source.about(attributes)
      return policies.length === 0 ? undefined : mutate(attributes, policies, rounds)
    },
    ready: source.ready,
    close: () => source.close(),
  }
}
