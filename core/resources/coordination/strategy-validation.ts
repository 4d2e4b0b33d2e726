import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { validateFormat, validateSupported } from '../validation.ts'
import { CoordinatedLeaseStrategy } from './enums.ts'

/** How the holder of a coordinated lease is chosen: a name with a domain is a strategy of others. The reference names the field twice. */
export function validateStrategy(strategy: string, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('strategy')
  if (strategy.includes('/')) validateFormat(strategy, 'qualifiedName', at, errors)
  else validateSupported(strategy, CoordinatedLeaseStrategy, at, errors)
}
