import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { type FormatName, formats } from '../../schema/formats/formats.ts'
import type { HookContext } from '../../schema/model.ts'

const maxDomainLength = 253
const maxLength = 571

/** Adds the errors of the first invalid label of a part of a signer name. */
function validateLabels(labels: readonly string[], format: FormatName, part: string, path: FieldPath, errors: FieldErrors): void {
  const label = labels.find((each) => formats[format](each).length > 0)
  if (label === undefined) return
  for (const problem of formats[format](label)) errors.invalid(path, part, `validating label ${JSON.stringify(label)}: ${problem}`)
}

/** `<domain>/<path>`, whose parts consist of labels (pkg/apis/core/validation/names.go). */
export function validateSignerName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(path)
  else if (name.split('/').length === 2) validateParts(name, path, errors)
  else errors.invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")
}

function validateParts(name: string, path: FieldPath, errors: FieldErrors): void {
  const [domain = '', rest = ''] = name.split('/')
  if (domain.length > maxDomainLength) errors.tooLong(path, maxDomainLength)
  const labels = domain.split('.')
  validateLabels(labels, 'dns1123Label', domain, path, errors)
  if (labels.length < 2) errors.invalid(path, domain, 'should be a domain with at least two segments separated by dots')
  validateLabels(rest.split('.'), 'dns1123Subdomain', rest, path, errors)
  if (name.length > maxLength) errors.tooLong(path, maxLength)
}

/** Whether the signer is one of the platform's own, which issue for a day at most. */
export function isPlatformSigner(name: string, { platform }: HookContext): boolean {
  const [host = ''] = name.split('/')
  return host === platform.labelDomain || host.endsWith(`.${platform.labelDomain}`)
}

/** Seconds for which pods may request certificates (pkg/apis/certificates/types.go). */
export const podCertificateSeconds = { min: 3600, max: 91 * 86_400, maxOfPlatform: 86_400 }

/** Problems of a ClusterTrustBundle's name: it starts with the signer's, so that RBAC by name can restrict it. `signer`: '' for none. */
export function bundleNameProblems(name: string, signer: string): readonly string[] {
  if (signer === '' && name.includes(':')) return ['ClusterTrustBundle without signer name must not have ":" in its name']
  const prefix = signer === '' ? '' : `${signer.replaceAll('/', ':')}:`
  if (!name.startsWith(prefix)) return [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`]
  return formats.dns1123Subdomain(name.slice(prefix.length))
}
