/** Validation of roles and bindings. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { equal } from '../../schema/json/equal.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { asJson, validateFormat, validateRequiredFormat, validateSupported } from '../validation.ts'
import type { PolicyRule } from './rule.ts'
import type { RoleRef, Subject } from './subject.ts'

/** `<domain>` is a placeholder for the platform's domain. */
export const groupName = 'rbac.authorization.<domain>'

type Rules = readonly Infer<typeof PolicyRule>[] | null | undefined
interface Binding {
  readonly roleRef: Infer<typeof RoleRef>
  readonly subjects?: readonly Infer<typeof Subject>[] | undefined
}

const isSet = (list: readonly unknown[] | null | undefined) => list != null && list.length > 0

/** A rule must have verbs, and resources or non-resource URLs; the latter only in cluster roles. */
export function validateRules(rules: Rules, namespaced: boolean, errors: FieldErrors): void {
  rules?.forEach((rule, index) => {
    validateRule(rule, namespaced, FieldPath.of('rules').index(index), errors)
  })
}

function validateRule(rule: Infer<typeof PolicyRule>, namespaced: boolean, path: FieldPath, errors: FieldErrors): void {
  if (!isSet(rule.verbs)) errors.required(path.child('verbs'), 'verbs must contain at least one value')
  if (isSet(rule.nonResourceURLs)) {
    const at = path.child('nonResourceURLs')
    const urls = asJson(rule.nonResourceURLs)
    if (namespaced) errors.invalid(at, urls, 'namespaced rules cannot apply to non-resource URLs')
    if (isSet(rule.apiGroups) || isSet(rule.resources) || isSet(rule.resourceNames)) {
      errors.invalid(at, urls, 'rules cannot apply to both regular resources and non-resource URLs')
    }
    return
  }
  if (!isSet(rule.apiGroups)) errors.required(path.child('apiGroups'), 'resource rules must supply at least one api group')
  if (!isSet(rule.resources)) errors.required(path.child('resources'), 'resource rules must supply at least one resource')
}

/** Role kinds that a binding may refer to, and whether subjects inherit the binding's namespace. */
export interface BindingRules {
  readonly roles: readonly string[]
  readonly namespaced: boolean
}

export function validateBinding({ roleRef, subjects }: Binding, rules: BindingRules, errors: FieldErrors, { platform }: HookContext): void {
  const group = platform.name(groupName)
  const at = FieldPath.of('roleRef')
  validateSupported(roleRef.apiGroup, [group], at.child('apiGroup'), errors)
  validateSupported(roleRef.kind, rules.roles, at.child('kind'), errors)
  validateRequiredFormat(roleRef.name, 'pathSegment', at.child('name'), errors)
  subjects?.forEach((subject, index) => {
    validateSubject(subject, rules.namespaced, group, FieldPath.of('subjects').index(index), errors)
  })
}

function validateSubject(subject: Infer<typeof Subject>, namespaced: boolean, group: string, path: FieldPath, errors: FieldErrors): void {
  const { kind, name, apiGroup = '', namespace } = subject
  if (name === '') errors.required(path.child('name'))
  if (kind === 'ServiceAccount') {
    if (name !== '') validateFormat(name, 'dns1123Subdomain', path.child('name'), errors)
    validateSupported(apiGroup, [''], path.child('apiGroup'), errors)
    if (!namespaced && !namespace) errors.required(path.child('namespace'))
  } else if (kind === 'User' || kind === 'Group') validateSupported(apiGroup, [group], path.child('apiGroup'), errors)
  else errors.notSupported(path.child('kind'), kind, ['ServiceAccount', 'User', 'Group'])
}

/** The roleRef is immutable: permission to edit a binding depends on the role. */
export function validateRoleRefUpdate(binding: Binding, old: Binding, errors: FieldErrors): void {
  if (!equal(asJson(binding.roleRef), asJson(old.roleRef))) {
    errors.invalid(FieldPath.of('roleRef'), asJson(binding.roleRef), 'cannot change roleRef')
  }
}
