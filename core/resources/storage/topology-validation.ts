/** Validation of where volumes of a storage class can be provisioned. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from '../core/scheduling.ts'
import { repeats, validateFormat } from '../validation.ts'

type Requirement = Infer<typeof TopologySelectorLabelRequirement>

/** Terms must differ. As in the reference, a term without requirements repeats as many others as there are terms. */
export function validateTopologies(terms: readonly Infer<typeof TopologySelectorTerm>[], path: FieldPath, errors: FieldErrors): void {
  const count = new Map<string, number>()
  terms.forEach(({ matchLabelExpressions: requirements = [] }, index) => {
    const at = path.index(index).child('matchLabelExpressions')
    const isRepeat = repeats()
    requirements.forEach((requirement, position) => {
      validateRequirement(requirement, at.index(position), errors)
      if (isRepeat(requirement.key)) errors.duplicate(at.index(position).child('key'), requirement.key)
    })
    const meaning = meaningOf(requirements)
    const before = count.get(meaning) ?? 0
    const times = before + (requirements.length === 0 ? terms.length : 0)
    for (let time = 0; time < times; time++) errors.duplicate(at, '')
    count.set(meaning, before + 1)
  })
}

/** Equal for terms that allow the same values of the same keys. */
function meaningOf(requirements: readonly Requirement[]): string {
  return JSON.stringify([...new Map(requirements.map(({ key, values }) => [key, [...new Set(values)].sort()]))].sort())
}

function validateRequirement({ key, values: given }: Requirement, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('values')
  const values = given ?? []
  if (values.length === 0) errors.required(at)
  const isRepeat = repeats()
  values.forEach((value, index) => {
    if (isRepeat(value)) errors.duplicate(at.index(index), value)
  })
  validateFormat(key, 'labelKey', path.child('key'), errors)
}
