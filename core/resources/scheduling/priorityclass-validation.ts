import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import type { PriorityClass } from './priorityclass.ts'

type Class = Infer<typeof PriorityClass>

const systemPrefix = 'system-'
const highestUserValue = 1_000_000_000
const systemClasses = new Map([
  ['system-node-critical', 2 * highestUserValue + 1000],
  ['system-cluster-critical', 2 * highestUserValue],
])

/** The system's classes can't be deleted. */
export const systemClassKept = (name: string) =>
  systemClasses.has(name) ? 'this is a system priority class and cannot be deleted' : undefined

/** Differences from the system's class of that name. */
function systemProblem({ value = 0, globalDefault = false }: Class, name: string): string | undefined {
  const known = systemClasses.get(name)
  if (known === undefined) return `${name} is not a known system priority class`
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

/** Reserved names and values above the user range require a system class. */
export function validatePriorityClass(object: Class, errors: FieldErrors): void {
  const name = object.metadata?.name ?? ''
  if (!name.startsWith(systemPrefix)) {
    if ((object.value ?? 0) <= highestUserValue) return
    errors.forbidden(FieldPath.of('value'), `maximum allowed value of a user defined priority is ${highestUserValue}`)
    return
  }
  const problem = systemProblem(object, name)
  if (problem === undefined) return
  const reserved = `priority class names with '${systemPrefix}' prefix are reserved for system use only`
  errors.forbidden(FieldPath.of('metadata', 'name'), `${reserved}. error: ${problem}`)
}
