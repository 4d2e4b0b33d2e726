/** Validates admission policies and bindings, except their expressions (expression-validation.ts). */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import type { Infer } from '../../schema/model.ts'
import { validateConditions } from '../meta/condition-validation.ts'
import { repeats, validateFormat, validateSupported } from '../validation.ts'
import type { MatchResources, ParamKind, ParamRef, Variable } from './match.ts'
import type { MutatingAdmissionPolicySpec, Mutation } from './mutatingadmissionpolicy.ts'
import type {
  AuditAnnotation,
  ValidatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyStatus,
  Validation,
} from './validatingadmissionpolicy.ts'

/** Match constraints of a policy. */
interface Policy {
  readonly failurePolicy?: string | undefined
  readonly paramKind?: Infer<typeof ParamKind> | undefined
  readonly matchConstraints?: Infer<typeof MatchResources> | undefined
}

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']

export function defaultMatch(match: Infer<typeof MatchResources>): void {
  match.matchPolicy ??= 'Equivalent'
  match.namespaceSelector ??= {}
  match.objectSelector ??= {}
}

/** Version v1beta1 publishes no values. */
function validateChoice(value: string | undefined, path: FieldPath, errors: FieldErrors, allowed: readonly string[]): void {
  if (value !== undefined) validateSupported(value, allowed, path, errors)
}

/** What comes before the parts of a policy. */
export function validatePolicyStart({ matchConstraints, failurePolicy, paramKind }: Policy, path: FieldPath, errors: FieldErrors): void {
  validateChoice(failurePolicy, path.child('failurePolicy'), errors, ['Fail', 'Ignore'])
  if (paramKind) validateParamKind(paramKind, path.child('paramKind'), errors)
  if (matchConstraints == null) errors.required(path.child('matchConstraints'))
}

function validateConstraints({ matchConstraints }: Policy, path: FieldPath, errors: FieldErrors): void {
  if (matchConstraints && !matchConstraints.resourceRules?.length) errors.required(path.child('matchConstraints').child('resourceRules'))
}

export function validateValidatingSpec(spec: Infer<typeof ValidatingAdmissionPolicySpec>, path: FieldPath, errors: FieldErrors): void {
  validateConstraints(spec, path, errors)
  errors.moveLast(path.child('matchConditions'))
  validateConditionNames(spec.matchConditions, path.child('matchConditions'), errors)
  errors.moveLast(path.child('variables'))
  if (spec.validations?.length || spec.auditAnnotations?.length) return
  for (const name of ['validations', 'auditAnnotations']) {
    errors.required(path.child(name), 'validations or auditAnnotations must contain at least one item')
  }
}

/** Mutations of what doesn't exist are impossible. */
const mutable = ['*', 'CONNECT', 'CREATE', 'UPDATE']

export function validateMatchPolicy({ matchPolicy }: Infer<typeof MatchResources>, path: FieldPath, errors: FieldErrors): void {
  validateChoice(matchPolicy, path.child('matchPolicy'), errors, ['Equivalent', 'Exact'])
}

/** Validates each condition further, and puts its errors into the reference's order: of its name, which was validated before, last. */
export function eachCondition<T>(
  conditions: readonly T[],
  path: FieldPath,
  errors: FieldErrors,
  validate: (condition: T, at: FieldPath) => void,
): void {
  const faulty = errors.itemsBelow(path)
  conditions.forEach((condition, index) => {
    const { count } = errors
    const at = path.index(index)
    validate(condition, at)
    if (!faulty.has(index) && errors.count === count) return
    errors.moveLast(at)
    errors.moveLast(at.child('name'))
  })
}

/** What comes before the expressions. */
export function validateMutatingSpec(spec: Infer<typeof MutatingAdmissionPolicySpec>, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('matchConstraints')
  validateConstraints(spec, path, errors)
  validateMutable(spec.matchConstraints, at, errors)
  errors.moveLast(path.child('matchConditions'))
  validateConditionNames(spec.matchConditions, path.child('matchConditions'), errors)
  for (const name of ['variables', 'mutations', 'reinvocationPolicy']) errors.moveLast(path.child(name))
}

/** The operations of rules; the reference names no rule here. */
export function validateMutable(match: Infer<typeof MatchResources> | undefined, path: FieldPath, errors: FieldErrors): void {
  for (const { operations } of match?.resourceRules ?? [])
    for (const operation of operations ?? []) validateSupported(operation, mutable, path.child('resourceRules').child('operations'), errors)
}

/** `compile`: validates the expression of the member of the type, which may be empty. */
export function validateMutation(
  { patchType, applyConfiguration, jsonPatch }: Infer<typeof Mutation>,
  path: FieldPath,
  errors: FieldErrors,
  compile: () => void,
): void {
  const at = path.child('patchType')
  const apply = ['applyConfiguration', applyConfiguration] as const
  const json = ['jsonPatch', jsonPatch] as const
  if (!patchType) errors.required(at)
  else if (patchType === 'ApplyConfiguration') validateMember(patchType, apply, json, path, errors, compile)
  else if (patchType === 'JSONPatch') validateMember(patchType, json, apply, path, errors, compile)
  else errors.notSupported(at, patchType, ['ApplyConfiguration', 'JSONPatch'])
}

type Member = readonly [name: string, value: { readonly expression?: string | undefined } | undefined]

/** The member of the type must be set, the other one not. */
function validateMember(
  type: string,
  [name, member]: Member,
  [otherName, other]: Member,
  path: FieldPath,
  errors: FieldErrors,
  compile: () => void,
): void {
  const at = path.child(name)
  if (!member) errors.required(at, `must be specified when patchType is ${type}`)
  else if (!member.expression?.trim()) errors.required(at.child('expression'))
  else compile()
  if (other) errors.invalid(path.child(otherName), `{${otherName}}`, `must not be specified when patchType is ${type}`)
}

/** Requires a non-empty expression. */
function validateExpression(expression: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (!expression?.trim()) errors.required(path.child('expression'), 'expression is not specified')
}

/** Compile the expressions of a validation, which are not empty. */
interface ValidationExpressions {
  compile(path: FieldPath): void
  compileMessage(path: FieldPath): void
}

export function validateValidation(
  { expression, message = '', messageExpression = '', reason }: Infer<typeof Validation>,
  path: FieldPath,
  errors: FieldErrors,
  { compile, compileMessage }: ValidationExpressions,
): void {
  const at = { expression: path.child('expression'), messageExpression: path.child('messageExpression'), message: path.child('message') }
  const blank = 'must be non-empty if specified'
  if (expression.trim() === '') errors.required(at.expression, 'expression is not specified')
  else compile(at.expression)
  if (messageExpression.trim() !== '') compileMessage(at.messageExpression)
  else if (messageExpression !== '') errors.invalid(at.messageExpression, messageExpression, blank)
  if (message !== '' && message.trim() === '') errors.invalid(at.message, message, blank)
  else if (/[\n\r]/.test(message.trim())) errors.invalid(at.message, message, 'must not contain line breaks')
  validateChoice(reason, path.child('reason'), errors, reasons)
}

/** Validates an annotation; its key is prefixed by the policy's name. `compile`: validates its expression, which is not empty. */
export function validateAnnotation(
  { key, valueExpression }: Infer<typeof AuditAnnotation>,
  policy: string,
  path: FieldPath,
  errors: FieldErrors,
  compile: (path: FieldPath) => void,
): void {
  const at = { key: path.child('key'), value: path.child('valueExpression') }
  if (policy === '') errors.invalid(at.key, key, 'requires metadata.name be non-empty')
  else validateFormat(`${policy}/${key}`, 'labelKey', at.key, errors)
  const bytes = new TextEncoder().encode(valueExpression.trim()).length
  if (bytes === 0) errors.required(at.value, 'valueExpression is not specified')
  else if (bytes > maxAnnotationLength) errors.required(at.value, `must not exceed ${maxAnnotationLength} bytes in length`)
  else compile(at.value)
}

const maxAnnotationLength = 5 * 1024

/** Reserved words (Common Expression Language, 'Syntax'). */
const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
)

export function validateVariable({ name, expression }: Infer<typeof Variable>, path: FieldPath, errors: FieldErrors): void {
  if (name.trim() === '') errors.required(path.child('name'), 'name is not specified')
  else if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || reserved.has(name)) {
    errors.invalid(path.child('name'), name, 'must be a valid CEL identifier')
  }
  validateExpression(expression, path, errors)
}

function validateParamKind({ apiVersion = '', kind = '' }: Infer<typeof ParamKind>, path: FieldPath, errors: FieldErrors): void {
  const at = { version: path.child('apiVersion'), kind: path.child('kind') }
  const parts = apiVersion.split('/')
  const [version = '', group = ''] = parts.toReversed()
  const report = (value: string, problems: readonly string[], where: FieldPath, start = '') => {
    if (problems.length > 0) errors.invalid(where, value, `${start}${problems.join(',')}`)
  }
  if (apiVersion === '') errors.required(at.version)
  else if (parts.length > 2) errors.invalid(at.version, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)
  else {
    if (group !== '') report(group, formats.dns1123Subdomain(group), at.version)
    if (version === '') errors.invalid(at.version, apiVersion, 'version must be specified')
    else report(version, formats.dns1035Label(version), at.version)
  }
  if (kind === '') errors.required(at.kind)
  else report(kind, formats.dns1035Label(kind.toLowerCase()), at.kind, 'may have mixed case, but should otherwise match: ')
}

const max = { conditions: 64, annotations: 20 }

/** Names of match conditions must be unique, and their number is limited. */
export function validateConditionNames(
  conditions: readonly { readonly name: string }[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const names = (conditions ?? []).map(({ name }) => name)
  if (names.length > max.conditions) errors.tooMany(path, names.length, max.conditions)
  const isRepeat = repeats()
  names.forEach((name, index) => {
    if (name !== '' && isRepeat(name)) errors.duplicate(path.index(index).child('name'), name)
  })
}

const exclusive = 'name and selector are mutually exclusive'

/** The name of parameters, before their selector. */
export function validateParamName({ name, selector }: Infer<typeof ParamRef>, path: FieldPath, errors: FieldErrors): void {
  if (!name) return
  validateFormat(name, 'pathSegment', path.child('name'), errors)
  if (selector) errors.forbidden(path.child('name'), exclusive)
}

/** The rest of a reference to parameters, after their selector. */
export function validateParamRef(
  { name, selector, parameterNotFoundAction }: Infer<typeof ParamRef>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (name && selector) errors.forbidden(path.child('selector'), exclusive)
  if (!name && !selector) errors.required(path, 'one of name or selector must be specified')
  const at = path.child('parameterNotFoundAction')
  if (!parameterNotFoundAction) errors.required(at)
  else validateSupported(parameterNotFoundAction, ['Deny', 'Allow'], at, errors)
}

export function validatePolicyName(policyName: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (!policyName) errors.required(path.child('policyName'))
  else validateFormat(policyName, 'dns1123Subdomain', path.child('policyName'), errors)
}

export function validateActions(actions: readonly string[] | undefined, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('validationActions')
  if (!actions?.length) errors.required(at, 'at least one validation action is required')
  const isRepeat = repeats()
  actions?.forEach((action, index) => {
    if (isRepeat(action)) errors.duplicate(at.index(index), action)
  })
  if (actions?.includes('Deny') && actions.includes('Warn')) {
    const why = 'repeating the same validation failure information in the API response and headers serves no purpose'
    errors.invalid(at, [...actions], `must not contain both Deny and Warn (${why})`)
  }
}

/** The state of a validating policy that controllers report. */
export function validatePolicyStatus(
  { typeChecking, conditions }: Infer<typeof ValidatingAdmissionPolicyStatus>,
  errors: FieldErrors,
): void {
  const path = FieldPath.of('status')
  typeChecking?.expressionWarnings?.forEach(({ warning, fieldRef }, index) => {
    const at = path.child('typeChecking').child('expressionWarnings').index(index)
    if (!warning) errors.required(at.child('warning'))
    if (!fieldRef.trim()) errors.required(at.child('fieldRef'))
  })
  validateConditions(conditions, path.child('conditions'), errors)
}
