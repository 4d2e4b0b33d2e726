/** Validates the rules that select requests for webhooks and policies. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { validateSupported } from '../validation.ts'
import type { Rule } from './match.ts'

/** A wildcard must be the only value. */
function validateWildcard(values: readonly string[], words: string, path: FieldPath, errors: FieldErrors): void {
  if (values.length > 1 && values.includes('*')) errors.invalid(path, [...values], `if '*' is present, must not specify other ${words}`)
}

const known = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']

export function validateOperations(operations: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (operations.length === 0) errors.required(path)
  validateWildcard(operations, 'operations', path, errors)
  operations.forEach((operation, index) => {
    validateSupported(operation, known, path.index(index), errors)
  })
}

const scopes = ['*', 'Cluster', 'Namespaced']

export function validateRule(
  { apiGroups = [], apiVersions = [], resources = [], scope }: Infer<typeof Rule>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (apiGroups.length === 0) errors.required(path.child('apiGroups'))
  validateWildcard(apiGroups, 'API groups', path.child('apiGroups'), errors)
  const versionsAt = path.child('apiVersions')
  if (apiVersions.length === 0) errors.required(versionsAt)
  validateWildcard(apiVersions, 'API versions', versionsAt, errors)
  apiVersions.forEach((version, index) => {
    if (version === '') errors.required(versionsAt.index(index))
  })
  validateResources(resources, path.child('resources'), errors)
  if (scope !== undefined) validateSupported(scope, scopes, path.child('scope'), errors)
}

// Such as `pods`, `pods/status`, `pods/*` or all `scale` subresources: values covered by a pattern are errors.
function validateResources(resources: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (resources.length === 0) errors.required(path)
  const wholeResources = new Set<string>()
  const wholeSubresources = new Set<string>()
  let plain = false
  resources.forEach((text, index) => {
    const at = path.index(index)
    if (text === '') {
      errors.required(at)
      return
    }
    const slash = text.indexOf('/')
    if (slash < 0) {
      plain = text !== '*'
      return
    }
    const resource = text.slice(0, slash)
    const subresource = text.slice(slash + 1)
    if (wholeResources.has(resource)) errors.invalid(at, text, `if '${resource}/*' is present, must not specify ${text}`)
    if (wholeSubresources.has(subresource)) errors.invalid(at, text, `if '*/${subresource}' is present, must not specify ${text}`)
    if (subresource === '*') wholeResources.add(resource)
    if (resource === '*') wholeSubresources.add(subresource)
  })
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.invalid(path, [...resources], "if '*/*' is present, must not specify other resources")
  }
  if (resources.includes('*') && plain) {
    errors.invalid(path, [...resources], "if '*' is present, must not specify other resources without subresources")
  }
}
