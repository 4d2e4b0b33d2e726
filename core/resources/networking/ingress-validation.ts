/** Validation of ingresses: hosts, paths and backends. */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { portNumber } from '../../schema/formats/formats.ts'
import { parseAddress } from '../../schema/formats/ip.ts'
import { given } from '../../schema/json/given-empty.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import type { TypedLocalObjectReference } from '../core/references.ts'
import { validateIngressHostname } from '../core/service-update-validation.ts'
import { asJson, validateAddress, validateFormat, validateRequiredFormat, validateSupported } from '../validation.ts'
import type { HTTPIngressPath, Ingress, IngressBackend, IngressSpec } from './ingress.ts'
import type { IngressClassParametersReference } from './ingressclass.ts'

/** Forbidden parts, which normalization would change. */
const forbiddenParts = ['//', '/./', '/../', '%2f', '%2F']
const forbiddenEnds = ['/..', '/.']
export const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix']

export function validateIngressSpec(spec: Infer<typeof IngressSpec>, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec
  if (rules.length === 0 && defaultBackend === undefined) {
    errors.invalid(path, asJson(given(spec, 'rules')), 'either `defaultBackend` or `rules` must be specified')
  }
  if (defaultBackend) validateBackend(defaultBackend, path.child('defaultBackend'), errors, context)
  rules.forEach(({ host, http }, index) => {
    const at = path.child('rules').index(index)
    if (host) validateHost(host, at.child('host'), errors)
    if (http) validatePaths(http.paths ?? [], at.child('http').child('paths'), errors, context)
  })
  tls.forEach(({ hosts = [], secretName }, index) => {
    const at = path.child('tls').index(index)
    hosts.forEach((host, number) => {
      validateHostName(host, at.child('hosts').index(number), errors)
    })
    if (secretName) {
      errors.forgivable('names of secrets', () => validateFormat(secretName, 'dns1123Subdomain', at.child('secretName'), errors))
    }
  })
  validateFormat(ingressClassName, 'dns1123Subdomain', path.child('ingressClassName'), errors)
}

const classAnnotation = '<labels>/ingress.class'

/** The class of a new ingress: the annotation that the field replaced must not differ from it. */
export function validateClass(
  { metadata, spec }: Infer<typeof Ingress>,
  errors: FieldErrors,
  { platform }: HookContext,
  old?: object,
): void {
  const key = platform.name(classAnnotation)
  const annotation = metadata?.annotations?.[key]
  if (old || annotation === undefined || spec?.ingressClassName === undefined || annotation === spec.ingressClassName) return
  errors.invalid(FieldPath.of('annotations', key), annotation, 'must match `ingressClassName` when both are specified')
}

export function classWarnings({ metadata, spec }: Infer<typeof Ingress>, old: object | undefined, { platform }: HookContext): string[] {
  const key = platform.name(classAnnotation)
  if (old || metadata?.annotations?.[key] === undefined || spec?.ingressClassName !== undefined) return []
  return [`annotation ${JSON.stringify(key)} is deprecated, please use 'spec.ingressClassName' instead`]
}

function validateHostName(host: string, path: FieldPath, errors: FieldErrors): void {
  validateFormat(host, host.includes('*') ? 'wildcardSubdomain' : 'dns1123Subdomain', path, errors)
}

function validateHost(host: string, path: FieldPath, errors: FieldErrors): void {
  if (parseAddress(host) !== undefined) errors.invalid(path, host, 'must be a DNS name, not an IP address')
  validateHostName(host, path, errors)
}

type Path = Infer<typeof HTTPIngressPath>

function validatePaths(paths: readonly Path[], path: FieldPath, errors: FieldErrors, context: HookContext): void {
  if (paths.length === 0) errors.required(path)
  paths.forEach((each, index) => {
    const at = path.index(index)
    if (each.pathType == null) errors.required(at.child('pathType'), 'pathType must be specified')
    else {
      if (!pathTypes.includes(each.pathType)) errors.notSupported(at.child('pathType'), each.pathType, pathTypes)
      else validatePath(each, at.child('path'), errors)
      validateBackend(each.backend, at.child('backend'), errors, context)
    }
  })
}

function validatePath({ path = '', pathType }: Path, where: FieldPath, errors: FieldErrors): void {
  const optional = pathType === 'ImplementationSpecific'
  if (!path.startsWith('/') && !(optional && path === '')) errors.invalid(where, path, 'must be an absolute path')
  if (optional) return
  for (const part of forbiddenParts) if (path.includes(part)) errors.invalid(where, path, `must not contain '${part}'`)
  for (const end of forbiddenEnds) if (path.endsWith(end)) errors.invalid(where, path, `cannot end with '${end}'`)
}

function validateBackend(
  { service, resource }: Infer<typeof IngressBackend>,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  if (service && resource) errors.invalid(path, '', 'cannot set both resource and service backends')
  else if (resource) validateObjectReference(resource, path.child('resource'), errors)
  else if (service) validateServiceBackend(service, path, errors, context)
  else errors.invalid(path, '', 'resource or service backend is required')
}

function validateServiceBackend(
  { name, port: { name: portName = '', number = 0 } = {} }: NonNullable<Infer<typeof IngressBackend>['service']>,
  path: FieldPath,
  errors: FieldErrors,
  { settings }: HookContext,
): void {
  const at = path.child('service')
  const format = settings.enabled('RelaxedServiceNameValidation') ? 'dns1123Label' : 'dns1035Label'
  errors.forgivable('names of services', () => validateRequiredFormat(name, format, at.child('name'), errors))
  if (portName && number) errors.invalid(path, '', 'cannot set both port name & port number')
  else if (portName) validateFormat(portName, 'portName', at.child('port').child('name'), errors)
  else if (number) for (const problem of portNumber(number)) errors.invalid(at.child('port').child('number'), number, problem)
  else errors.required(path, 'port name or number is required')
}

type Reference = Infer<typeof TypedLocalObjectReference>

/** Validates a reference to an object of any kind. */
function validateObjectReference({ apiGroup, kind, name }: Reference, path: FieldPath, errors: FieldErrors): void {
  if (apiGroup != null) validateFormat(apiGroup, 'dns1123Subdomain', path.child('apiGroup'), errors)
  validateRequiredFormat(kind, 'pathSegment', path.child('kind'), errors)
  validateRequiredFormat(name, 'pathSegment', path.child('name'), errors)
}

type Parameters = Infer<typeof IngressClassParametersReference>

/** Parameters of an ingress class: cluster-scoped, or with a namespace. */
export function validateParameters(reference: Parameters, path: FieldPath, errors: FieldErrors): void {
  validateObjectReference(reference, path, errors)
  const { scope, namespace } = reference
  const at = path.child('namespace')
  if (scope == null) errors.required(path.child('scope'))
  else validateSupported(scope, ['Cluster', 'Namespace'], path.child('scope'), errors)
  if (scope === 'Namespace') {
    if (namespace === undefined) errors.required(at, "`parameters.scope` is set to 'Namespace'")
    else validateFormat(namespace, 'dns1123Label', at, errors)
  }
  if (scope === 'Cluster' && namespace !== undefined) errors.forbidden(at, "`parameters.scope` is set to 'Cluster'")
}

/** Validates the places where traffic enters. */
export function validateIngressStatus({ status }: Infer<typeof Ingress>, _old: object, errors: FieldErrors): void {
  const path = FieldPath.of('status', 'loadBalancer', 'ingress')
  for (const [index, { ip, hostname }] of (status?.loadBalancer?.ingress ?? []).entries()) {
    if (ip) validateAddress(ip, 'ip', path.index(index).child('ip'), errors)
    validateIngressHostname(hostname, path.index(index).child('hostname'), errors)
  }
}
