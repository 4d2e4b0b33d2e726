/** Validates policy expressions: each must compile with the variables available at its place. */
import { boolType, type CelType, nullType, stringType } from '../../cel/types.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { equal } from '../../schema/json/equal.ts'
import type { HookContext, Infer, Json } from '../../schema/model.ts'
import { type InPart, partsOf } from '../in-parts.ts'
import { asJson, repeats } from '../validation.ts'
import { applyConfigurationType, type ExpressionScope, jsonPatchListType } from './expressions.ts'
import type { MatchCondition } from './match.ts'
import type { MutatingAdmissionPolicySpec } from './mutatingadmissionpolicy.ts'
import { createPolicyCompiler, type PolicyCompiler, variableType } from './policy-compiler.ts'
import { eachCondition, validateAnnotation, validateMutation, validateValidation } from './policy-validation.ts'
import type { ValidatingAdmissionPolicySpec } from './validatingadmissionpolicy.ts'

type Conditions = readonly Infer<typeof MatchCondition>[] | null | undefined
type ValidatingSpec = Infer<typeof ValidatingAdmissionPolicySpec>
type MutatingSpec = Infer<typeof MutatingAdmissionPolicySpec>
/** Adds compile errors of a field's expression; empty ones are reported elsewhere. `shown`: the expression in errors, if it is another text. */
type ExpressionValidator = (
  path: FieldPath,
  expression: string | undefined,
  result: readonly CelType[],
  more?: ExpressionScope,
  shown?: string,
) => void

const maxAnnotations = 20

/** Each expression is compiled in a part of the validation. */
function expressionValidator(compiler: PolicyCompiler, scope: ExpressionScope, errors: FieldErrors, inPart: InPart): ExpressionValidator {
  return (path, expression, result, more, shown = expression) => {
    if (!expression?.trim()) return
    const issues = inPart(() => {
      const compiled = compiler.compile(expression, { ...scope, ...more }, result)
      return 'issues' in compiled ? compiled.issues : undefined
    })
    if (issues !== undefined) errors.invalid(path, shown, issues)
  }
}

/** Match conditions have no `variables`. */
function validateConditions(conditions: Conditions, params: boolean, path: FieldPath, errors: FieldErrors, inPart: InPart): void {
  const validateExpression = expressionValidator(createPolicyCompiler(), { params, authorizer: true }, errors, inPart)
  eachCondition(conditions ?? [], path, errors, ({ expression }, at) => {
    validateExpression(at.child('expression'), expression.trim(), [boolType])
  })
}

/** Declares the variables, and returns the scope of expressions that may use them. */
function validateVariables(
  { variables, paramKind }: Pick<ValidatingSpec, 'variables' | 'paramKind'>,
  compiler: PolicyCompiler,
  path: FieldPath,
  errors: FieldErrors,
  inPart: InPart,
): ExpressionScope {
  const params = paramKind != null
  errors.moveLast(path)
  if (!variables?.length) return { params, authorizer: true }
  const scope = { params, authorizer: true, variables: compiler.variables }
  variables.forEach(({ name, expression }, index) => {
    if (expression.trim() === '') return
    const { type, issues } = inPart(() => {
      const compiled = compiler.compile(expression, scope)
      return { type: variableType(compiled), issues: 'issues' in compiled ? compiled.issues : undefined }
    })
    compiler.declare(name, type)
    if (issues !== undefined) errors.invalid(path.index(index).child('expression'), expression, issues)
  })
  return scope
}

/** Whether an update leaves the match conditions and their parameters unchanged. */
const keepsConditions = (spec: ValidatingSpec | MutatingSpec, old: ValidatingSpec | MutatingSpec | undefined) =>
  old !== undefined &&
  equal((spec.matchConditions ?? []) as Json, (old.matchConditions ?? []) as Json) &&
  equal((spec.paramKind ?? null) as Json, (old.paramKind ?? null) as Json)

const specPath = FieldPath.of('spec')

/** `policy`: the name of the policy, which audit annotations start with. */
export function validateValidatingExpressions(
  spec: ValidatingSpec,
  policy: string,
  errors: FieldErrors,
  { part }: HookContext,
  old?: ValidatingSpec,
): void {
  const inPart = partsOf(part)
  const params = spec.paramKind != null
  if (!keepsConditions(spec, old)) validateConditions(spec.matchConditions, params, specPath.child('matchConditions'), errors, inPart)
  const compiler = createPolicyCompiler()
  const scope = validateVariables(spec, compiler, specPath.child('variables'), errors, inPart)
  const validateExpression = expressionValidator(compiler, scope, errors, inPart)
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
      validateExpression(at, valueExpression?.trim(), [stringType, nullType], {}, valueExpression),
    )
    if (isRepeat(key)) errors.duplicate(path.index(index).child('key'), key)
  }
}

/** Expressions, and what the reference validates between and after them. */
export function validateMutatingExpressions(spec: MutatingSpec, errors: FieldErrors, { part }: HookContext, old?: MutatingSpec): void {
  const inPart = partsOf(part)
  if (!keepsConditions(spec, old))
    validateConditions(spec.matchConditions, spec.paramKind != null, specPath.child('matchConditions'), errors, inPart)
  const compiler = createPolicyCompiler()
  const scope = validateVariables(spec, compiler, specPath.child('variables'), errors, inPart)
  const validateExpression = expressionValidator(compiler, { ...scope, patches: true }, errors, inPart)
  if (!spec.mutations?.length) errors.required(specPath.child('mutations'), 'mutations must contain at least one item')
  spec.mutations?.forEach((mutation, index) => {
    const { patchType, applyConfiguration, jsonPatch } = mutation
    const path = specPath.child('mutations').index(index)
    validateMutation(mutation, path, errors, () => {
      const [name, member, type] =
        patchType === 'JSONPatch'
          ? (['jsonPatch', jsonPatch, jsonPatchListType] as const)
          : (['applyConfiguration', applyConfiguration, applyConfigurationType] as const)
      validateExpression(path.child(name).child('expression'), member?.expression?.trim(), [type])
    })
  })
  errors.moveLast(specPath.child('reinvocationPolicy'))
  if (!spec.reinvocationPolicy) errors.required(specPath.child('reinvocationPolicy'))
}
