/** Validation of references to objects of any version. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { validateRequiredFormat } from '../validation.ts'
import type { CrossVersionObjectReference } from './metrics.ts'

/** Rule for the API version: it must name a group, may be of the core group, or is not validated. */
export type VersionRule = 'group' | 'any' | 'unchecked'

/** A rule that stored objects of older releases break. */
const versions = 'API versions of metrics'

export function validateReference(
  { kind, name, apiVersion = '' }: Infer<typeof CrossVersionObjectReference>,
  path: FieldPath,
  errors: FieldErrors,
  rule: VersionRule,
): void {
  validateRequiredFormat(kind, 'pathSegment', path.child('kind'), errors)
  validateRequiredFormat(name, 'pathSegment', path.child('name'), errors)
  const at = path.child('apiVersion')
  const slashes = apiVersion.split('/').length - 1
  if (rule === 'unchecked') return
  if (slashes > 1) {
    const refuse = () => errors.invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)
    if (rule === 'any') errors.forgivable(versions, refuse)
    else refuse()
  } else if (rule === 'group' && (slashes === 0 || apiVersion.startsWith('/'))) {
    errors.invalid(at, apiVersion, 'apiVersion must specify API group')
  }
}
