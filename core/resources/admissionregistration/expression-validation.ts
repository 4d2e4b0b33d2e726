/** Validates policy expressions: each must compile with the variables available at its place. */
import { boolType, type CelType, nullType, stringType } from '../../cel/types.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Infer, Json } from '../../schema/model.ts'
import { asJson, repeats } from '../validation.ts'
import { applyConfigurationType, type ExpressionScope, jsonPatchListType } from './expressions.ts'
import type { MatchCondition } from './match.ts'
import type { MutatingAdmissionPolicySpec } from './mutatingadmissionpolicy.ts'
import { createPolicyCompiler, type PolicyCompiler } from './policy-compiler.ts'
import { validateAnnotation, validateValidation } from './policy-validation.ts'
import type { ValidatingAdmissionPolicySpec } from './validatingadmissionpolicy.ts'

type Conditions = readonly Infer<typeof MatchCondition>[] | null | undefined
type ValidatingSpec = Infer<typeof ValidatingAdmissionPolicySpec>
type MutatingSpec = Infer<typeof MutatingAdmissionPolicySpec>
/** Adds compile errors of a field's expression; empty ones are reported elsewhere. */
type ExpressionValidator = (path: FieldPath, expression: string | undefined, result: readonly CelType[], more?: ExpressionScope) => void

const maxAnnotations = 20

function expressionValidator(compiler: PolicyCompiler, scope: ExpressionScope, errors: FieldErrors): ExpressionValidator {
  return (path, expression, result, more) => {
    if (!expression?.trim()) return
    const compiled = compiler.compile(expression, { ...scope, ...more }, result)
    if ('issues' in compiled) errors.invalid(path, expression, compiled.issues)
  }
}

/** Match conditions have no `variables`. */
function validateConditions(conditions: Conditions, params: boolean, path: FieldPath, errors: FieldErrors): void {
  const validateExpression = expressionValidator(createPolicyCompiler(), { params, authorizer: true }, errors)
  conditions?.forEach(
    ({ expression }, index) => void validateExpression(path.index(index).child('expression'), expression.trim(), [boolType]),
  )
}

/** Declares the variables, and returns the scope of expressions that may use them. */
function validateVariables(
  { variables, paramKind }: Pick<ValidatingSpec, 'variables' | 'paramKind'>,
  compiler: PolicyCompiler,
  path: FieldPath,
  errors: FieldErrors,
): ExpressionScope {
  const scope = { params: paramKind != null, authorizer: true }
  if (!variables?.length) return scope
  variables.forEach(({ name, expression }, index) => {
    if (expression.trim() === '') return
    const compiled = compiler.declare(name, expression, scope)
    if ('issues' in compiled) errors.invalid(path.index(index).child('expression'), expression, compiled.issues)
  })
  return { ...scope, variables: compiler.variables }
}

/** Whether an update leaves the match conditions and their parameters unchanged. */
const keepsConditions = (spec: ValidatingSpec | MutatingSpec, old: ValidatingSpec | MutatingSpec | undefined) =>
  old !== undefined &&
  equal((spec.matchConditions ?? []) as Json, (old.matchConditions ?? []) as Json) &&
  equal((spec.paramKind ?? null) as Json, (old.paramKind ?? null) as Json)

const specPath = FieldPath.of('spec')

/** `policy`: the name of the policy, which audit annotations start with. */
export function validateValidatingExpressions(spec: ValidatingSpec, policy: string, errors: FieldErrors, old?: ValidatingSpec): void {
  const params = spec.paramKind != null
  if (!keepsConditions(spec, old)) validateConditions(spec.matchConditions, params, specPath.child('matchConditions'), errors)
  const compiler = createPolicyCompiler()
  const scope = validateVariables(spec, compiler, specPath.child('variables'), errors)
  const validateExpression = expressionValidator(compiler, scope, errors)
  spec.validations?.forEach((validation, index) => {
    const { expression, messageExpression } = validation
    validateValidation(validation, specPath.child('validations').index(index), errors, {
      compile: (at) => validateExpression(at, expression, [boolType]),
      compileMessage: (at) => validateExpression(at, messageExpression, [stringType], { authorizer: false }),
    })
  })
  const { auditAnnotations = [] } = spec
  const path = specPath.child('auditAnnotations')
  if (auditAnnotations.length > maxAnnotations)
    errors.invalid(path, asJson(auditAnnotations), `must not have more than ${maxAnnotations} auditAnnotations`)
  const isRepeat = repeats()
  for (const [index, annotation] of auditAnnotations.entries()) {
    const { key, valueExpression } = annotation
    validateAnnotation(annotation, policy, path.index(index), errors, (at) =>
      validateExpression(at, valueExpression, [stringType, nullType]),
    )
    if (isRepeat(key)) errors.duplicate(path.index(index).child('key'), key)
  }
}

export function validateMutatingExpressions(spec: MutatingSpec, errors: FieldErrors, old?: MutatingSpec): void {
  if (!keepsConditions(spec, old))
    validateConditions(spec.matchConditions, spec.paramKind != null, specPath.child('matchConditions'), errors)
  const compiler = createPolicyCompiler()
  const scope = validateVariables(spec, compiler, specPath.child('variables'), errors)
  const validateExpression = expressionValidator(compiler, { ...scope, patches: true }, errors)
  spec.mutations?.forEach(({ patchType, applyConfiguration, jsonPatch }, index) => {
    const path = specPath.child('mutations').index(index)
    if (patchType === 'ApplyConfiguration')
      validateExpression(path.child('applyConfiguration').child('expression'), applyConfiguration?.expression?.trim(), [
        applyConfigurationType,
      ])
    if (patchType === 'JSONPatch')
      validateExpression(path.child('jsonPatch').child('expression'), jsonPatch?.expression?.trim(), [jsonPatchListType])
  })
}
