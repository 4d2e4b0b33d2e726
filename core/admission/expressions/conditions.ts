/** Match conditions of policies and webhooks. */
import { aggregate } from '../../access/authz/rules.ts'
import { OutOfBudget } from './faults.ts'
import { type Expression, type ExpressionInput, limits, noVariables, Sequence, type Variables } from './sequence.ts'

export class Conditions {
  readonly #sequence: Sequence
  #errors = 0

  constructor(conditions: readonly Expression[], seen: ExpressionInput, variables: Variables = noVariables) {
    this.#sequence = new Sequence(conditions, seen, variables, limits.conditions)
  }

  /** Number of conditions that failed with an error. */
  get errors(): number {
    return this.#errors
  }

  /** Whether all conditions are true, or the error; one false condition takes precedence over errors. Throws a Pending, as sequences do. */
  hold(): boolean | { readonly error: string } {
    try {
      const outcomes = this.#sequence.run()
      const errors = outcomes.flatMap((outcome) => outcome?.error ?? [])
      this.#errors = errors.length
      if (outcomes.some((outcome) => outcome?.value === false)) return false
      return errors.length === 0 || { error: aggregate(errors) }
    } catch (error) {
      if (error instanceof OutOfBudget) return { error: error.message }
      throw error
    }
  }
}
