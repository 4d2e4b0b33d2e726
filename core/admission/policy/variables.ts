import type { Steps } from '../../common/steps.ts'
import type { ExpressionScope } from '../../resources/admissionregistration/expressions.ts'
import type { Variable } from '../../resources/admissionregistration/match.ts'
import { type PolicyCompiler, variableType } from '../../resources/admissionregistration/policy-compiler.ts'
import type { Infer } from '../../schema/model.ts'
import type { Expression } from '../expressions/sequence.ts'

/** Compiles and declares the variables of a policy, each a step: a later one may refer to those before it. */
export function* declareVariables(
  variables: readonly Infer<typeof Variable>[],
  compiler: PolicyCompiler,
  scope: ExpressionScope,
): Steps<ReadonlyMap<string, Expression>> {
  const byName = new Map<string, Expression>()
  for (const { name, expression: text } of variables) {
    const compiled = compiler.compile(text, scope)
    compiler.declare(name, variableType(compiled))
    byName.set(name, { text, compiled })
    yield
  }
  return byName
}
