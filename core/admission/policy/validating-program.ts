/** The compiled expressions of a ValidatingAdmissionPolicy. */
import { boolType, type CelType, nullType, stringType } from '../../cel/types.ts'
import { mapInSteps, type Steps } from '../../common/steps.ts'
import { createPolicyCompiler } from '../../resources/admissionregistration/policy-compiler.ts'
import type { ValidatingAdmissionPolicySpec } from '../../resources/admissionregistration/validatingadmissionpolicy.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Infer } from '../../schema/model.ts'
import type { Expression, Variables } from '../expressions/sequence.ts'
import { declareVariables } from './variables.ts'

export interface Validation extends Expression {
  /** Message without a messageExpression or when it fails. */
  readonly fallback: string
  readonly reason: string | undefined
}

export interface ValidatingProgram {
  readonly variables: Variables
  readonly conditions: readonly Expression[]
  readonly validations: readonly Validation[]
  /** By index of the validation. */
  readonly messages: readonly (Expression | undefined)[]
  readonly annotations: readonly (Expression & { readonly key: string })[]
}

/** A step for each expression. */
export function* compileValidating(policy: ApiObject): Steps<ValidatingProgram> {
  const spec = policy['spec'] as Infer<typeof ValidatingAdmissionPolicySpec>
  const compiler = createPolicyCompiler()
  const { variables } = compiler
  const scope = { params: spec.paramKind != null, authorizer: true, variables }
  const compile = (text: string, result: readonly CelType[]): Expression => ({ text, compiled: compiler.compile(text, scope, result) })
  const message = (text: string): Expression => ({
    text,
    compiled: compiler.compile(text, { ...scope, authorizer: false }, [stringType]),
  })
  const byName = yield* declareVariables(spec.variables ?? [], compiler, scope)
  const validations = spec.validations ?? []
  return {
    variables: { type: variables, byName },
    conditions: yield* mapInSteps(spec.matchConditions ?? [], ({ expression }) => compile(expression, [boolType])),
    validations: yield* mapInSteps(validations, ({ expression, message: text, reason }) => ({
      ...compile(expression, [boolType]),
      fallback: text?.trim() || `failed expression: ${expression.trim()}`,
      reason,
    })),
    messages: yield* mapInSteps(validations, ({ messageExpression }) => (messageExpression ? message(messageExpression) : undefined)),
    annotations: yield* mapInSteps(spec.auditAnnotations ?? [], ({ key, valueExpression }) => ({
      key,
      ...compile(valueExpression, [stringType, nullType]),
    })),
  }
}
