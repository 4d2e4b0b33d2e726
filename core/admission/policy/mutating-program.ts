/** The compiled expressions of a MutatingAdmissionPolicy. */
import { boolType } from '../../cel/types.ts'
import { mapInSteps, type Steps } from '../../common/steps.ts'
import { applyConfigurationType, jsonPatchListType } from '../../resources/admissionregistration/expressions.ts'
import type { MutatingAdmissionPolicySpec } from '../../resources/admissionregistration/mutatingadmissionpolicy.ts'
import { createPolicyCompiler } from '../../resources/admissionregistration/policy-compiler.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Infer } from '../../schema/model.ts'
import type { Expression, Variables } from '../expressions/sequence.ts'
import { declareVariables } from './variables.ts'

export interface Mutation extends Expression {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch'
}

export interface MutatingProgram {
  readonly variables: Variables
  readonly conditions: readonly Expression[]
  readonly mutations: readonly Mutation[]
  /** Runs again after changes by others (`reinvocationPolicy: IfNeeded`). */
  readonly reinvocable: boolean
}

/** A step for each expression. */
export function* compileMutating(policy: ApiObject): Steps<MutatingProgram> {
  const spec = policy['spec'] as Infer<typeof MutatingAdmissionPolicySpec>
  const compiler = createPolicyCompiler()
  const { variables } = compiler
  const scope = { params: spec.paramKind != null, authorizer: true, variables }
  const byName = yield* declareVariables(spec.variables ?? [], compiler, scope)
  const patching = { ...scope, patches: true }
  return {
    variables: { type: variables, byName },
    conditions: yield* mapInSteps(spec.matchConditions ?? [], ({ expression: text }) => ({
      text,
      compiled: compiler.compile(text, scope, [boolType]),
    })),
    mutations: yield* mapInSteps(spec.mutations ?? [], ({ patchType, applyConfiguration, jsonPatch }) => {
      const applies = patchType === 'ApplyConfiguration'
      const text = (applies ? applyConfiguration?.expression : jsonPatch?.expression) ?? ''
      const result = applies ? applyConfigurationType : jsonPatchListType
      return { patchType: applies ? 'ApplyConfiguration' : 'JSONPatch', text, compiled: compiler.compile(text, patching, [result]) }
    }),
    reinvocable: spec.reinvocationPolicy === 'IfNeeded',
  }
}
