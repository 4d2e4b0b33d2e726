/** Validation of resource quotas. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { given } from '../../schema/json/given-empty.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { asJson } from '../validation.ts'
import { ResourceQuotaScope } from './enums.ts'
import type { ResourceList } from './quantities.ts'
import { isQuotaResource, validateAmount, validateResourceName } from './resource-validation.ts'
import type { ResourceQuota as ResourceQuotaSchema } from './resourcequota.ts'

type ResourceQuota = Infer<typeof ResourceQuotaSchema>
type Spec = NonNullable<ResourceQuota['spec']>

const computed = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']
const podScopes = ['Terminating', 'NotTerminating', 'NotBestEffort', 'PriorityClass', 'CrossNamespacePodAffinity']
const existing = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity']
const scopeNames: readonly string[] = ResourceQuotaScope
const conflicts = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const

/** Whether objects in the scope can use the resource. */
function applies(scope: string, resource: string): boolean {
  if (scope === 'BestEffort') return resource === 'pods'
  if (podScopes.includes(scope)) return resource === 'pods' || computed.includes(resource)
  if (scope === 'VolumeAttributesClass') return resource === 'persistentvolumeclaims' || resource === 'requests.storage'
  return true
}

function validateAmounts(amounts: ResourceList = {}, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  for (const [name, amount] of Object.entries(amounts)) {
    const at = path.key(name)
    validateResourceName(name, at, errors)
    if (!name.includes('/') && !isQuotaResource(name)) errors.invalid(at, name, 'must be a standard resource for quota')
    validateAmount(name, amount, at, errors, context)
  }
}

/** Resources that objects in a scope can't use, up to the limit; cached by scope. */
function misfitsOf(hard: object): (scope: string) => readonly string[] {
  const names = Object.keys(hard).filter(isQuotaResource)
  const known = new Map<string, readonly string[]>()
  return (scope) => {
    let found = known.get(scope)
    if (found === undefined) {
      found = names.filter((name) => !applies(scope, name)).slice(0, maxMisfits)
      known.set(scope, found)
    }
    return found
  }
}

/** Maximum reported ones, which all have the same message. */
const maxMisfits = 10

function validateScopes({ hard = {}, scopes = [] }: Spec, path: FieldPath, errors: FieldErrors): void {
  const misfits = misfitsOf(hard)
  for (const scope of scopes) {
    if (!scopeNames.includes(scope)) errors.invalid(path, scopes, 'unsupported scope')
    for (const _ of misfits(scope)) errors.invalid(path, scopes, 'unsupported scope applied to resource')
  }
  validateConflicts(scopes, scopes, path, errors)
}

function validateConflicts(scopes: readonly string[], shown: string[], path: FieldPath, errors: FieldErrors): void {
  for (const pair of conflicts) if (pair.every((scope) => scopes.includes(scope))) errors.invalid(path, shown, 'conflicting scopes')
}

function validateSelector({ hard = {}, scopes = [], scopeSelector }: Spec, at: FieldPath, errors: FieldErrors): void {
  const path = at.child('matchExpressions')
  const expressions = scopeSelector?.matchExpressions ?? []
  const misfits = misfitsOf(hard)
  for (const { scopeName: scope, operator, values = [] } of expressions) {
    if (!scopeNames.includes(scope)) errors.invalid(path.child('scopeName'), scope, 'unsupported scope')
    for (const _ of misfits(scope))
      errors.addAsIs('FieldValueInvalid', path, errors.shown(at, asJson(scopeSelector)), 'unsupported scope applied to resource')
    if (existing.includes(scope) && operator !== 'Exists') {
      const names = existing.map((name) => `ResourceQuotaScope${name}`)
      const [best, notBest, terminating, notTerminating, cross] = names
      const why = `must be 'Exists' when scope is any of ${[terminating, notTerminating, best, notBest].join(', ')} or ${cross}`
      errors.invalid(path.child('operator'), operator, why)
    }
    validateValues(operator, values, path, errors)
  }
  validateConflicts(
    expressions.map(({ scopeName }) => scopeName),
    scopes,
    path,
    errors,
  )
}

function validateValues(operator: string, values: string[], path: FieldPath, errors: FieldErrors): void {
  if (operator === 'In' || operator === 'NotIn') {
    const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
    if (values.length === 0) errors.required(path.child('values'), why)
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
    if (values.length > 0) errors.invalid(path.child('values'), values, why)
  } else errors.invalid(path.child('operator'), operator, 'not a valid selector operator')
}

export function validateResourceQuota({ spec = {} }: ResourceQuota, errors: FieldErrors, context: HookContext): void {
  const path = FieldPath.of('spec')
  validateAmounts(spec.hard, path.child('hard'), errors, context)
  validateScopes(spec, path.child('scopes'), errors)
  if (spec.scopeSelector) validateSelector(spec, path.child('scopeSelector'), errors)
}

export function validateResourceQuotaUpdate({ spec = {} }: ResourceQuota, { spec: old = {} }: ResourceQuota, errors: FieldErrors): void {
  const now = new Set(spec.scopes)
  const before = new Set(old.scopes)
  const same = now.size === before.size && [...now].every((scope) => before.has(scope))
  if (!same) errors.invalid(FieldPath.of('spec', 'scopes'), given(spec, 'scopes') ?? null, 'field is immutable')
}

export function validateResourceQuotaStatus(
  { status = {} }: ResourceQuota,
  _old: ResourceQuota,
  errors: FieldErrors,
  context: HookContext,
): void {
  for (const side of ['hard', 'used'] as const) validateAmounts(status[side], FieldPath.of('status', side), errors, context)
}
