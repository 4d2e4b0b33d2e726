/** Validates environment variables, and references to pod fields and container resources. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateFormat, validateRequiredFormat, validateSupported } from '../validation.ts'
import type { EnvFromSource, EnvVar, FileKeySelector } from './env.ts'
import type { ObjectFieldSelector, ResourceFieldSelector } from './field-selector.ts'

const envFields = [
  ...['metadata.name', 'metadata.namespace', 'metadata.uid', 'spec.nodeName', 'spec.serviceAccountName'],
  ...['status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs'],
]
const volumeFields = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid']
/** Field paths with a pod version. */
const podFields = new Set([
  ...[...envFields, ...volumeFields, 'spec.host', 'spec.restartPolicy', 'spec.schedulerName'],
  ...['status.phase', 'status.nominatedNodeName'],
])
const resourceFields = [
  ...['limits.cpu', 'limits.ephemeral-storage', 'limits.memory'],
  ...['requests.cpu', 'requests.ephemeral-storage', 'requests.memory'],
]
const hugePages = /^(?:requests|limits)\.hugepages-/
const divisors = {
  cpu: ['1m', '1'],
  bytes: ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'],
}

/** Splits `path['key']` into path and key. */
function subscripted(text: string): { path: string; key: string } | undefined {
  const match = /^([^[]+)\['(.*)'\]$/s.exec(text)
  return match ? { path: match[1] ?? '', key: match[2] ?? '' } : undefined
}

export function validateFieldRef(
  { apiVersion, fieldPath }: Infer<typeof ObjectFieldSelector>,
  use: 'env' | 'volume',
  path: FieldPath,
  errors: FieldErrors,
) {
  const at = path.child('fieldPath')
  if (!apiVersion) return errors.required(path.child('apiVersion'))
  if (!fieldPath) return errors.required(at)
  const convert = (why: string) => errors.invalid(at, fieldPath, `error converting fieldPath: ${why}`)
  if (apiVersion !== 'v1') return convert(`unsupported pod version: ${apiVersion}`)
  const part = subscripted(fieldPath)
  if (part) {
    if (part.path === 'metadata.annotations') validateFormat(part.key.toLowerCase(), 'qualifiedName', path, errors)
    else if (part.path === 'metadata.labels') validateFormat(part.key, 'qualifiedName', path, errors)
    else convert(`field label does not support subscript: ${fieldPath}`)
  } else if (!podFields.has(fieldPath)) convert(`field label not supported: ${fieldPath}`)
  else validateSupported(fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath, use === 'env' ? envFields : volumeFields, at, errors)
}

export function validateResourceFieldRef(
  { containerName, resource, divisor }: Infer<typeof ResourceFieldSelector>,
  use: 'env' | 'volume',
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (use === 'volume' && !containerName) errors.required(path.child('containerName'))
  else if (!resource) errors.required(path.child('resource'))
  else if (!hugePages.test(resource)) validateSupported(resource, resourceFields, path.child('resource'), errors)
  if (divisor !== undefined && divisor !== '0') validateDivisor(resource, divisor, path.child('divisor'), errors)
}

function validateDivisor(resource: string, divisor: string, path: FieldPath, errors: FieldErrors): void {
  const bytes = (what: string) => {
    if (divisors.bytes.includes(divisor)) return
    errors.invalid(path, resource, `only divisor's values ${divisors.bytes.join(', ')} are supported with the ${what} resource`)
  }
  if (resource.endsWith('.cpu')) {
    if (!divisors.cpu.includes(divisor)) {
      errors.invalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource")
    }
  } else if (resource.endsWith('.memory')) bytes('memory')
  else if (resource.endsWith('.ephemeral-storage')) bytes('local ephemeral storage')
  else if (hugePages.test(resource)) bytes('hugepages')
}

function validateKeyRef({ name, key }: { name?: string | undefined; key: string }, path: FieldPath, errors: FieldErrors): void {
  validateFormat(name ?? '', 'dns1123Subdomain', path.child('name'), errors)
  validateRequiredFormat(key, 'configMapKey', path.child('key'), errors)
}

function validateFileKeyRef({ key, volumeName, path: file }: Infer<typeof FileKeySelector>, path: FieldPath, errors: FieldErrors): void {
  validateRequiredFormat(key, 'envVarName', path.child('key'), errors)
  validateRequiredFormat(volumeName, 'dns1123Label', path.child('volumeName'), errors)
  validateRequiredFormat(file, 'noParentReference', path.child('path'), errors)
}

function validateValueFrom({ value, valueFrom }: Infer<typeof EnvVar>, path: FieldPath, errors: FieldErrors, files: boolean): void {
  if (valueFrom === undefined) return
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom
  if (fieldRef) validateFieldRef(fieldRef, 'env', path.child('fieldRef'), errors)
  if (resourceFieldRef) validateResourceFieldRef(resourceFieldRef, 'env', path.child('resourceFieldRef'), errors)
  if (configMapKeyRef) validateKeyRef(configMapKeyRef, path.child('configMapKeyRef'), errors)
  if (secretKeyRef) validateKeyRef(secretKeyRef, path.child('secretKeyRef'), errors)
  if (fileKeyRef) validateFileKeyRef(fileKeyRef, path.child('fileKeyRef'), errors)
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(Boolean).length
  if (sources === 0) {
    const last = files ? '`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`' : '`configMapKeyRef` or `secretKeyRef`'
    errors.invalid(path, '', `must specify one of: \`fieldRef\`, \`resourceFieldRef\`, ${last}`)
  } else if (value) errors.invalid(path, '', 'may not be specified when `value` is not empty')
  else if (sources > 1) errors.invalid(path, '', 'may not have more than one field specified at a time')
}

export function validateEnv(variables: readonly Infer<typeof EnvVar>[], path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const files = context.settings.enabled('EnvFiles')
  variables.forEach((variable, index) => {
    const at = path.index(index)
    validateRequiredFormat(variable.name, 'envVarName', at.child('name'), errors)
    validateValueFrom(variable, at.child('valueFrom'), errors, files)
  })
}

export function validateEnvFrom(sources: readonly Infer<typeof EnvFromSource>[], path: FieldPath, errors: FieldErrors): void {
  sources.forEach(({ prefix, configMapRef, secretRef }, index) => {
    const at = path.index(index)
    if (prefix) validateFormat(prefix, 'envVarName', at.child('prefix'), errors)
    if (configMapRef) validateRequiredFormat(configMapRef.name, 'dns1123Subdomain', at.child('configMapRef').child('name'), errors)
    if (secretRef) validateRequiredFormat(secretRef.name, 'dns1123Subdomain', at.child('secretRef').child('name'), errors)
    // The reference names the list, not its item.
    if (!configMapRef && !secretRef) errors.invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`')
    else if (configMapRef && secretRef) errors.invalid(path, '', 'may not have more than one field specified at a time')
  })
}
