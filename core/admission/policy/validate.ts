/** Evaluates a ValidatingAdmissionPolicy on one request with one parameter (policy/validating/validator.go). */
import { Conditions } from '../expressions/conditions.ts'
import { OutOfBudget } from '../expressions/faults.ts'
import { type Expression, type ExpressionInput, limits, type Outcome, Sequence } from '../expressions/sequence.ts'
import type { RequestValues } from '../expressions/values.ts'
import type { ValidatingProgram, Validation } from './validating-program.ts'

/** A failed validation. */
export interface Violation {
  /** Index of the validation in the policy. */
  readonly index: number
  readonly message: string
  /** Absent for evaluation errors. */
  readonly reason?: string
}

export interface Verdict {
  readonly violations: readonly Violation[]
  /** Audit annotations by key. */
  readonly annotations: readonly { readonly key: string; readonly value: string }[]
  /** Errors of audit annotations; they deny the request whatever the binding's actions. */
  readonly faults: readonly string[]
}

/** Input of a policy's expressions. */
export interface PolicyInput extends ExpressionInput {
  /** Values for match conditions, which get neither the namespace object nor an equivalent resource. Created on demand. */
  forConditions(): RequestValues
  /** Called after match conditions were evaluated, with the number of errors. */
  judged(errors: number): void
}

/** Verdict without violations. */
export const nothing: Verdict = { violations: [], annotations: [], faults: [] }

/** Maximum bytes of a messageExpression's result. */
const maxMessageLength = 5 * 1024
/** Maximum bytes of an audit annotation's value. */
const maxAnnotationLength = 10 * 1024

const bytesOf = (text: string) => new TextEncoder().encode(text).length

/** Result of a messageExpression; undefined: not usable. */
function usable(outcome: Outcome | undefined): string | undefined {
  if (typeof outcome?.value !== 'string') return undefined
  const text = outcome.value.trim()
  return text === '' || text.includes('\n') || bytesOf(text) > maxMessageLength ? undefined : text
}

type Texts = { readonly outcomes: readonly (Outcome | undefined)[] } | { readonly fault: string }

/** Truncates to the limit in bytes, at a character boundary. */
function shortened(value: string): string {
  if (value.length * 3 <= maxAnnotationLength) return value
  const bytes = new TextEncoder().encode(value)
  return bytes.length <= maxAnnotationLength
    ? value
    : new TextDecoder().decode(bytes.subarray(0, maxAnnotationLength)).replace(/\ufffd$/, '')
}

/** One policy with one parameter on one request. */
export class PolicyRun {
  readonly #program: ValidatingProgram
  readonly #seen: PolicyInput
  #conditions: Conditions | undefined
  #validations: Sequence | undefined
  #messages: Sequence | undefined
  #annotations: Sequence | undefined

  constructor(program: ValidatingProgram, seen: PolicyInput) {
    this.#program = program
    this.#seen = seen
  }

  /** Violations without reason are errors, for the failure policy. Throws a Pending when it must wait: call it again to resume. */
  verdict(): Verdict {
    const refused = (message: string): Verdict => ({ ...nothing, violations: [{ index: 0, message }] })
    const holds = this.#applies()
    if (holds === false) return nothing
    if (holds !== true) return refused(holds.error)
    try {
      const violations = this.#violations()
      return this.#program.annotations.length > 0
        ? { violations, ...this.#annotate() }
        : violations.length > 0
          ? { ...nothing, violations }
          : nothing
    } catch (error) {
      if (error instanceof OutOfBudget) return refused(error.message)
      throw error
    }
  }

  #applies(): boolean | { readonly error: string } {
    const { conditions, variables } = this.#program
    if (conditions.length === 0) return true
    const seen = this.#seen
    this.#conditions ??= new Conditions(conditions, { values: seen.forConditions(), params: seen.params }, variables)
    const holds = this.#conditions.hold()
    seen.judged(this.#conditions.errors)
    return holds
  }

  #sequence(expressions: readonly (Expression | undefined)[], budget: number = limits.policy): Sequence {
    return new Sequence(expressions, this.#seen, this.#program.variables, budget)
  }

  /**
   * Messages are computed only if a validation fails, within the remaining budget. If the budget might not suffice, they are always computed,
   * because running out of budget is an error.
   */
  #violations(): Violation[] {
    const { validations, messages, variables } = this.#program
    this.#validations ??= this.#sequence(validations)
    const outcomes = this.#validations.run()
    const { left } = this.#validations
    const maxCost = (messages.filter((each) => each !== undefined).length + variables.byName.size) * limits.expression
    if (maxCost <= left && outcomes.every((outcome) => outcome?.value === true)) return []
    this.#messages ??= this.#sequence(messages, left)
    const texts = textsOf(this.#messages)
    return validations.flatMap((validation, index) => violation(validation, index, outcomes[index], texts) ?? [])
  }

  #annotate(): Omit<Verdict, 'violations'> {
    const { annotations } = this.#program
    this.#annotations ??= this.#sequence(annotations)
    const outcomes = this.#annotations.run()
    const found: { key: string; value: string }[] = []
    const faults: string[] = []
    annotations.forEach(({ key }, index) => {
      const { value, error } = outcomes[index] as Outcome
      if (error !== undefined) faults.push(error)
      else if (typeof value === 'string' && value.trim() !== '') found.push({ key, value: shortened(value.trim()) })
    })
    return { annotations: found, faults }
  }
}

function textsOf(messages: Sequence): Texts {
  try {
    return { outcomes: messages.run() }
  } catch (error) {
    if (error instanceof OutOfBudget) return { fault: `failed messageExpression: ${error.message}` }
    throw error
  }
}

function violation({ fallback, reason }: Validation, index: number, outcome: Outcome | undefined, texts: Texts): Violation | undefined {
  if (outcome?.error !== undefined) return { index, message: outcome.error }
  if ('fault' in texts) return { index, message: texts.fault }
  if (outcome?.value === true) return undefined
  return { index, message: usable(texts.outcomes[index]) ?? fallback, reason: reason ?? 'Invalid' }
}
