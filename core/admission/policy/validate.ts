/** What a ValidatingAdmissionPolicy says about one request with one parameter (policy/validating/validator.go). */
import { conditionsHold } from './conditions.ts'
import { Activation, type Expression, type Inputs, limits, type Outcome, OutOfBudget } from './evaluation.ts'
import type { ValidatingProgram, Validation } from './validating-program.ts'

/** Why a validation does not hold. */
export interface Violation {
  /** Of the validation in its policy. */
  readonly index: number
  readonly message: string
  /** Absent: an error, not a refusal. */
  readonly reason?: string
}

export interface Verdict {
  readonly violations: readonly Violation[]
  /** Audit annotations by the policy's keys. */
  readonly annotations: readonly { readonly key: string; readonly value: string }[]
  /** Audit annotations that could not be computed: they refuse the request whatever the binding's actions. */
  readonly faults: readonly string[]
}

export interface ConditionInputs {
  readonly inputs: Inputs
  /** As `inputs`, for match conditions: they see neither the namespace nor the resource of another version. Made where there are some. */
  conditions(): Inputs
}

const nothing: Verdict = { violations: [], annotations: [], faults: [] }

/** Bytes of a message that an expression gives. */
const longestMessage = 5 * 1024
/** Bytes of the value of an audit annotation. */
const longestAnnotation = 10 * 1024

const bytesOf = (text: string) => new TextEncoder().encode(text).length

/** Outcomes of all expressions, or OutOfBudget. */
async function evaluateAll(activation: Activation, expressions: readonly (Expression | undefined)[]): Promise<(Outcome | undefined)[]> {
  const outcomes: (Outcome | undefined)[] = []
  for (const expression of expressions) {
    const outcome = expression && activation.evaluate(expression)
    outcomes.push(outcome instanceof Promise ? await outcome : outcome)
  }
  return outcomes
}

/** A message that an expression gave; undefined: it is of no use. */
function usable(outcome: Outcome | undefined): string | undefined {
  if (typeof outcome?.value !== 'string') return undefined
  const text = outcome.value.trim()
  return text === '' || text.includes('\n') || bytesOf(text) > longestMessage ? undefined : text
}

/**
 * Messages are computed when a validation does not hold. They are computed for all validations, within what these have left to spend;
 * where that might not do, they are computed even if all hold, since it is an error then.
 */
async function violations({ validations, variables }: ValidatingProgram, inputs: Inputs): Promise<Violation[]> {
  const activation = new Activation(inputs, variables, limits.policy)
  const outcomes = await evaluateAll(activation, validations)
  const messages = validations.map(({ message }) => message)
  const most = (messages.filter((each) => each !== undefined).length + variables.byName.size) * limits.expression
  const hold = outcomes.every((outcome) => outcome?.value === true)
  if (hold && most <= activation.left) return []
  const texts = await messagesOf(messages, new Activation(inputs, variables, activation.left))
  return validations.flatMap((validation, index) => violation(validation, index, outcomes[index], texts) ?? [])
}

type Texts = { readonly outcomes: readonly (Outcome | undefined)[] } | { readonly fault: string }

async function messagesOf(messages: readonly (Expression | undefined)[], activation: Activation): Promise<Texts> {
  try {
    return { outcomes: await evaluateAll(activation, messages) }
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

async function annotate({ annotations, variables }: ValidatingProgram, inputs: Inputs): Promise<Omit<Verdict, 'violations'>> {
  const outcomes = await evaluateAll(new Activation(inputs, variables, limits.policy), annotations)
  const found: { key: string; value: string }[] = []
  const faults: string[] = []
  annotations.forEach(({ key }, index) => {
    const { value, error } = outcomes[index] as Outcome
    if (error !== undefined) faults.push(error)
    else if (typeof value === 'string' && value.trim() !== '') found.push({ key, value: shortened(value.trim()) })
  })
  return { annotations: found, faults }
}

/** The first bytes, of whole characters. */
function shortened(value: string): string {
  if (value.length * 3 <= longestAnnotation) return value
  const bytes = new TextEncoder().encode(value)
  return bytes.length <= longestAnnotation ? value : new TextDecoder().decode(bytes.subarray(0, longestAnnotation)).replace(/\ufffd$/, '')
}

/** Errors among the violations have no reason; the failure policy says what they count. */
export async function evaluatePolicy(program: ValidatingProgram, { inputs, conditions }: ConditionInputs): Promise<Verdict> {
  const refused = (message: string): Verdict => ({ ...nothing, violations: [{ index: 0, message }] })
  if (program.conditions.length > 0) {
    const hold = await conditionsHold(program.conditions, conditions(), program.variables)
    if (hold === false) return nothing
    if (hold !== true) return refused(hold.error)
  }
  try {
    const found = await violations(program, inputs)
    return program.annotations.length === 0
      ? { ...nothing, violations: found }
      : { violations: found, ...(await annotate(program, inputs)) }
  } catch (error) {
    if (error instanceof OutOfBudget) return refused(error.message)
    throw error
  }
}
