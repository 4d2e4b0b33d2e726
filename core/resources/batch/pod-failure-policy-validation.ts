/** Validates pod failure policies of jobs. */

import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { quote } from '../../schema/go/quote.ts'
import { given } from '../../schema/json/given-empty.ts'
import type { Infer } from '../../schema/model.ts'
import { repeats, validateFormat } from '../validation.ts'
import type {
  JobSpec,
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from './job.ts'

const max = { rules: 20, patterns: 20, values: 255 }
const statuses = ['False', 'True', 'Unknown']
const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore']
const operators = ['In', 'NotIn']

export function validatePodFailurePolicy(
  { rules }: Infer<typeof PodFailurePolicy>,
  spec: Infer<typeof JobSpec>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const at = path.child('rules')
  const pod = spec.template?.spec
  const names = new Set([...(pod?.containers ?? []), ...(pod?.initContainers ?? [])].map(({ name }) => name))
  if (rules === null) return
  if (rules.length > max.rules) errors.tooMany(at, rules.length, max.rules)
  rules.forEach((rule, index) => {
    const here = at.index(index)
    validateAction(rule.action, spec.backoffLimitPerIndex, here.child('action'), errors)
    validateRule(rule, names, here, errors)
  })
}

function validateAction(action: string, limitPerIndex: number | undefined, path: FieldPath, errors: FieldErrors): void {
  if (action === 'FailIndex') {
    if (limitPerIndex === undefined) errors.invalid(path, action, 'requires the backoffLimitPerIndex to be set')
  } else validateRequired(action, actions, path, errors)
}

function validateRequired(value: string | undefined, allowed: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (!value) errors.required(path, `valid values: [${allowed.map(quote).join(' ')}]`)
  else if (!allowed.includes(value)) errors.notSupported(path, value, allowed)
}

function validateRule(
  { onExitCodes, onPodConditions = [] }: Infer<typeof PodFailurePolicyRule>,
  names: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (onExitCodes) validateExitCodes(onExitCodes, names, path.child('onExitCodes'), errors)
  if (onPodConditions.length > max.patterns) errors.tooMany(path.child('onPodConditions'), onPodConditions.length, max.patterns)
  onPodConditions.forEach((pattern, index) => {
    validatePattern(pattern, path.child('onPodConditions').index(index), errors)
  })
  if (onExitCodes && onPodConditions.length > 0) {
    errors.invalidUnshown(path, 'specifying both OnExitCodes and OnPodConditions is not supported')
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    errors.invalidUnshown(path, 'specifying one of OnExitCodes and OnPodConditions is required')
  }
}

function validatePattern(
  { type, status }: Infer<typeof PodFailurePolicyOnPodConditionsPattern>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateFormat(type, 'qualifiedName', path.child('type'), errors)
  validateRequired(status, statuses, path.child('status'), errors)
}

function validateExitCodes(
  requirement: Infer<typeof PodFailurePolicyOnExitCodesRequirement>,
  names: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { operator, containerName, values } = requirement
  validateRequired(operator, operators, path.child('operator'), errors)
  if (containerName !== undefined && !names.has(containerName)) {
    errors.invalid(path.child('containerName'), containerName, 'must be one of the container or initContainer names in the pod template')
  }
  const at = path.child('values')
  const codes = values ?? []
  if (codes.length === 0) errors.invalid(at, given(requirement, 'values'), 'at least one value is required')
  else if (codes.length > max.values) errors.tooMany(at, codes.length, max.values)
  const isRepeat = repeats()
  codes.forEach((code, index) => {
    if (operator === 'In' && code === 0) errors.invalid(at.index(index), code, 'must not be 0 for the In operator')
    if (isRepeat(code)) errors.duplicate(at.index(index), code)
  })
  if (codes.some((code, index) => code < (codes[index - 1] ?? code))) errors.invalid(at, codes, 'must be ordered')
}
