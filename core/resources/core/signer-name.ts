import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { type FormatName, formats } from '../../schema/formats.ts'

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
