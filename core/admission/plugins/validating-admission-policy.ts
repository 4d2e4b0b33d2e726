/** ValidatingAdmissionPolicies: evaluates them and applies the actions of their bindings (policy/validating/dispatcher.go). */

import { ApiError, forbidden, type Reason, reasonCodes } from '../../answers/status.ts'
import { settled } from '../../cel/settled.ts'
import { uncounted } from '../../metrics.ts'
import { type AdmissionAttributes, type AdmissionPlugin, admissionOperations } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { ConfigurationError } from '../expressions/faults.ts'
import { namespaceObject, RequestValues, versioned } from '../expressions/values.ts'
import type { Invocation } from '../matching/rules.ts'
import { admissionRows, countConditions, expressionError } from '../metrics.ts'
import { type MatchedPolicy, matchPolicy } from '../policy/invocations.ts'
import { refusedName } from '../policy/refused-name.ts'
import { type Binding, followPolicies, type Policy } from '../policy/source.ts'
import { nothing, PolicyRun, type Violation } from '../policy/validate.ts'
import { compileValidating, type ValidatingProgram } from '../policy/validating-program.ts'

type Validating = Policy<ValidatingProgram>

/** A denial; the client gets the first one. */
interface Denial {
  readonly policy: Validating
  readonly binding: Binding | undefined
  readonly message: string
  readonly reason?: string
}

/** Intermediate results of a request. */
interface Findings {
  readonly denials: Denial[]
  /** Values for expressions, by version. */
  readonly views: View[]
  /** Whether the audit annotation for violations was written; there is one per request. */
  noted: boolean
}

/** The request in one version. */
interface View {
  readonly invocation: Invocation
  readonly values: RequestValues
  forConditions(): RequestValues
}

const sameVersion = (a: Invocation, b: Invocation) =>
  a.kind.version === b.kind.version &&
  a.kind.group === b.kind.group &&
  a.resource.version === b.resource.version &&
  a.resource.group === b.resource.group

const reasons = new Set<string>(['Forbidden', 'Unauthorized', 'RequestEntityTooLarge', 'Invalid'])

function refusal(attributes: AdmissionAttributes, { policy, binding, message, reason = 'Invalid' }: Denial): ApiError {
  const who = `ValidatingAdmissionPolicy '${policy.name}'${binding ? ` with binding '${binding.name}'` : ''}`
  const text = `${who} denied request: ${message}`
  const { status } = forbidden(attributes.groupResource, refusedName(attributes), text)
  const code = reasonCodes[(reasons.has(reason) ? reason : 'Invalid') as Reason]
  return new ApiError(reason as Reason, status.message ?? text, { ...status.details, causes: [{ message: text }] }, code)
}

export function validatingAdmissionPolicy(context: PluginContext): AdmissionPlugin {
  const { platform, authorizer, clock, metrics = uncounted(admissionRows) } = context
  const failureKey = platform.name('validation.policy.admission.<domain>/validation_failure')
  const source = followPolicies(
    context,
    { plugin: 'ValidatingAdmissionPolicy', policies: 'validatingadmissionpolicies', bindings: 'validatingadmissionpolicybindings' },
    compileValidating,
  )

  /** Reports a violation or expression error with the action that followed. */
  function count(policy: Validating, binding: Binding, { message, reason }: Omit<Violation, 'index'>, action: string, time: number): void {
    const error = reason === undefined ? expressionError(message) : 'invalid_error'
    const labels = [policy.name, binding.name, error, action.toLowerCase()] as const
    metrics.validations.add(labels)
    metrics.validationDurations.observe(labels, time / 1000)
  }

  function act(
    attributes: AdmissionAttributes,
    policy: Validating,
    binding: Binding,
    violation: Violation,
    findings: Findings,
    time: number,
  ): void {
    const { index, message, reason } = violation
    for (const action of binding.actions) {
      count(policy, binding, violation, action, time)
      if (action === 'Deny') findings.denials.push({ policy, binding, message, ...(reason && { reason }) })
      else if (action === 'Warn') {
        attributes.warn(`Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`)
      } else if (action === 'Audit' && !findings.noted) {
        findings.noted = true
        const { name, actions: validationActions } = binding
        const failure = { message, policy: policy.name, binding: name, expressionIndex: index, validationActions }
        attributes.annotate(failureKey, JSON.stringify([failure]))
      }
    }
  }

  async function see(attributes: AdmissionAttributes, invocation: Invocation): Promise<View> {
    const [found, objects] = [namespaceObject(attributes, context), versioned(attributes, invocation)]
    const namespace = found instanceof Promise ? await found : found
    const seen = objects instanceof Promise ? await objects : objects
    let plain: RequestValues | undefined
    return {
      invocation,
      values: new RequestValues(attributes, invocation, seen, authorizer, namespace),
      forConditions() {
        plain ??= new RequestValues(attributes, { ...invocation, resource: attributes.resource }, seen, authorizer, null)
        return plain
      },
    }
  }

  async function evaluate(attributes: AdmissionAttributes, met: MatchedPolicy<ValidatingProgram>, findings: Findings): Promise<void> {
    const { policy, invocation, bindings } = met
    let view = findings.views.find((each) => sameVersion(each.invocation, invocation))
    if (view === undefined) {
      view = await see(attributes, invocation)
      findings.views.push(view)
    }
    const { values, forConditions } = view
    const compiled = policy.program(attributes.slices)
    const program = compiled instanceof Promise ? await compiled : compiled
    const annotations = new Map<string, Set<string>>()
    for (const { binding, params } of bindings) {
      for (const param of params) {
        const began = clock.monotonic()
        const run = new PolicyRun(program, {
          values,
          params: param ?? null,
          forConditions,
          judged: (errors) =>
            countConditions(metrics, [policy.name, 'policy', 'validate', attributes.operation], errors, clock.monotonic() - began),
        })
        const pending = settled(() => run.verdict())
        const verdict = pending instanceof Promise ? await pending : pending
        if (verdict === nothing) continue
        const time = clock.monotonic() - began
        for (const violation of verdict.violations) {
          if (violation.reason === undefined && policy.ignoresFailure) count(policy, binding, violation, 'allow', time)
          else act(attributes, policy, binding, violation, findings, time)
        }
        for (const { key, value } of verdict.annotations) annotations.set(key, (annotations.get(key) ?? new Set()).add(value))
        for (const message of policy.ignoresFailure ? [] : verdict.faults) {
          findings.denials.push({ policy, binding, message })
          count(policy, binding, { message }, 'deny', time)
        }
      }
    }
    for (const [key, values] of annotations) attributes.annotate(`${policy.name}/${key}`, [...values].join(', '))
  }

  async function validate(attributes: AdmissionAttributes, policies: readonly Validating[]): Promise<void> {
    const findings: Findings = { denials: [], views: [], noted: false }
    const fault = (policy: Validating, binding: Binding | undefined, message: string) => {
      if (!policy.ignoresFailure) findings.denials.push({ policy, binding, message })
    }
    for (const policy of policies) {
      const meeting = matchPolicy({ policy, attributes, lookup: context, fault })
      const met = meeting instanceof Promise ? await meeting : meeting
      const binding = met?.bindings[0]?.binding
      if (met === undefined || binding === undefined) continue
      try {
        await evaluate(attributes, met, findings)
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error
        fault(policy, binding, `failed to configure binding: ${error.message}`)
      }
    }
    const [first] = findings.denials
    if (first) throw refusal(attributes, first)
  }

  return {
    name: 'ValidatingAdmissionPolicy',
    operations: admissionOperations,
    validate(attributes) {
      const policies = source.about(attributes)
      return policies.length === 0 ? undefined : validate(attributes, policies)
    },
    ready: source.ready,
    close: () => source.close(),
  }
}
