/** Validation of device selectors: expressions over `device` that yield a bool (KEP-4381). */
import { createCelEnvironment, typeName } from '../../cel/environment.ts'
import { quantityType } from '../../cel/library/quantities.ts'
import { boolType, type CelType, dynType, mapType, objectType, stringType } from '../../cel/types.ts'
import { once } from '../../common/once.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'

/** Characters of an expression; longer ones are not compiled. */
export const maxExpression = 10 * 1024
const maxCost = 1_000_000
const max = { facts: 32, domain: 63, identifier: 32, value: 64 }

const sized = (type: CelType, maxElements: number): CelType => ({ ...type, maxElements })

/** Values by domain and identifier. */
const factsOf = (values: CelType) =>
  sized(mapType(sized(stringType, max.domain), sized(mapType(sized(stringType, max.identifier), values), max.facts)), max.facts)

const deviceType = objectType('kubernetes.DRADevice', {
  driver: sized(stringType, max.domain),
  attributes: factsOf(sized(dynType, max.value)),
  capacity: factsOf(quantityType),
  allowMultipleAllocations: sized(boolType, 1),
})

/** Created on first use. */
const environment = once(() => createCelEnvironment({ variables: { device: deviceType }, bindings: true }))

export function validateSelector({ expression }: { readonly expression: string }, path: FieldPath, errors: FieldErrors): void {
  if (expression.length > maxExpression) return
  const at = path.child('expression')
  const compiled = environment().compile(expression)
  if ('issues' in compiled) {
    errors.invalid(at, expression, compiled.issues)
    return
  }
  const { type } = compiled.program
  if (type.kind !== 'bool' && type.kind !== 'dyn') {
    errors.invalid(at, expression, `must evaluate to bool or the unknown type, not ${typeName(type)}`)
    return
  }
  if (compiled.program.estimateCost().max > maxCost) errors.forbidden(at, 'too complex, exceeds cost limit')
}
