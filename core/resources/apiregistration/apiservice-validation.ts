import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { decodeBase64 } from '../../schema/formats/base64.ts'
import { portNumber } from '../../schema/formats/formats.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { validateFormat } from '../validation.ts'
import type { APIService, APIServiceSpec } from './apiservice.ts'

const spec = FieldPath.of('spec')

/** The name follows from group and version. */
export function nameProblems({ spec }: Infer<typeof APIService>, name: string, found: readonly string[]): readonly string[] {
  const { group = '', version = '' } = spec ?? {}
  const wanted = `${version}.${group}`
  return found.length > 0 || name === wanted ? found : [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`]
}

/** Validates that the service is reachable and, unless waived, verified by TLS. */
export function validateAPIService(object: Infer<typeof APIService>, errors: FieldErrors, { platform }: HookContext): void {
  const {
    group = '',
    version = '',
    groupPriorityMinimum: minimum,
    versionPriority: priority,
  } = object.spec ?? ({} as Infer<typeof APIServiceSpec>)
  if (group === '' && version !== 'v1')
    errors.required(spec.child('group'), `only v1 may have an empty group and it better be legacy ${platform.component}`)
  if (group !== '') validateFormat(group, 'dns1123Subdomain', spec.child('group'), errors)
  validateFormat(version, 'dns1035Label', spec.child('version'), errors)
  validatePriority('groupPriorityMinimum', minimum, 20_000, errors)
  validatePriority('versionPriority', priority, 1000, errors)
  if (object.spec) validateService(object.spec, errors)
}

function validatePriority(name: string, value: number | undefined, max: number, errors: FieldErrors): void {
  if (value === undefined || value <= 0 || value > max)
    errors.invalid(spec.child(name), value ?? 0, `must be positive and less than ${max}`)
}

function validateService({ service, caBundle, insecureSkipTLSVerify }: Infer<typeof APIServiceSpec>, errors: FieldErrors): void {
  const insecureAt = spec.child('insecureSkipTLSVerify')
  if (service === undefined) {
    if (caBundle)
      errors.invalid(spec.child('caBundle'), `${decodeBase64(caBundle).length} bytes`, 'local APIServices may not have a caBundle')
    if (insecureSkipTLSVerify) errors.invalid(insecureAt, true, 'local APIServices may not have insecureSkipTLSVerify')
    return
  }
  const at = spec.child('service')
  if (!service.namespace) errors.required(at.child('namespace'))
  if (!service.name) errors.required(at.child('name'))
  const problems = portNumber(service.port ?? 443)
  if (problems.length > 0) errors.invalid(at.child('port'), service.port ?? null, `port is not valid: ${problems.join(', ')}`)
  if (insecureSkipTLSVerify && caBundle) errors.invalid(insecureAt, true, 'may not be true if caBundle is present')
}
