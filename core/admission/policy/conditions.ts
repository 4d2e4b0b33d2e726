import { aggregate } from '../../authz/rules.ts'
import { Activation, type Expression, type Inputs, limits, type Outcome, OutOfBudget, type Variables } from './evaluation.ts'

/** Whether all conditions hold, or what went wrong; one that is false outweighs others that fail. */
export async function conditionsHold(
  conditions: readonly Expression[],
  inputs: Inputs,
  variables: Variables,
): Promise<boolean | { readonly error: string }> {
  const activation = new Activation(inputs, variables, limits.conditions)
  const outcomes: Outcome[] = []
  try {
    for (const condition of conditions) outcomes.push(await activation.evaluate(condition))
  } catch (error) {
    if (error instanceof OutOfBudget) return { error: error.message }
    throw error
  }
  if (outcomes.some(({ value }) => value === false)) return false
  const errors = outcomes.flatMap(({ error }) => error ?? [])
  return errors.length === 0 || { error: aggregate(errors) }
}
