import { FieldPath } from '../../schema/field-path.ts'
import type { SubresourceStrategy } from '../definition.ts'
import { validateSpecFinalizer } from './namespace-validation.ts'

/** `/finalize`: removes finalizers from the spec after clean-up. */
export const specFinalizers: SubresourceStrategy = {
  reset: [['status']],
  write: (existing, incoming) => ({ ...incoming, status: existing['status'] }),
  validate(object, _old, errors, context) {
    const { finalizers = [] } = (object['spec'] ?? {}) as { finalizers?: string[] }
    const path = FieldPath.of('spec', 'finalizers')
    for (const [index, name] of finalizers.entries()) validateSpecFinalizer(name, path.index(index), errors, context)
  },
}
