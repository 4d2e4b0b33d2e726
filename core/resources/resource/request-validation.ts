/** Validation of device requests (KEP-4381). */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import type { DeviceClaim, DeviceConfiguration } from './claim.ts'
import { validateData, validateDriver, validateFullyQualified, validateList, validateName, validateSet } from './name-validation.ts'
import type { DeviceConstraint, DeviceRequest } from './request.ts'

const max = { requests: 32, constraints: 32, config: 32, alternatives: 8 }

interface Amount {
  allocationMode?: string | undefined
  count?: number | undefined
}

export function defaultAmount(request: Amount): void {
  request.allocationMode ??= 'ExactCount'
  if (request.allocationMode === 'ExactCount') request.count ||= 1
}

export function validateAmount({ allocationMode, count = 0 }: Amount, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('count')
  if (allocationMode === 'All' && count !== 0) errors.invalid(at, count, "must not be specified when allocationMode is 'All'")
  if (allocationMode === 'ExactCount' && count <= 0) errors.invalid(at, count, 'must be greater than zero')
  errors.moveLast(path.child('tolerations'))
}

/** Names are validated before. */
export function validateRequest({ exactly, firstAvailable = [] }: Infer<typeof DeviceRequest>, path: FieldPath, errors: FieldErrors): void {
  const rule = 'exactly one of `exactly` or `firstAvailable` is required'
  if (exactly && firstAvailable.length > 0) {
    // Neither is validated then.
    const parts = [path.child('exactly'), path.child('firstAvailable')].map(String)
    errors.drop(({ field }) => parts.some((part) => field.startsWith(part)))
    errors.invalid(path, undefined, `${rule}, but multiple fields are set`)
    return
  }
  if (!exactly && firstAvailable.length === 0) errors.required(path, rule)
  validateSet(
    firstAvailable,
    max.alternatives,
    (alternative) => alternative.name,
    path.child('firstAvailable'),
    errors,
    () => {},
  )
}

/** Names of requests, with alternatives as `<request>/<alternative>`. */
export function requestNames({
  requests,
}: {
  readonly requests?: readonly Infer<typeof DeviceRequest>[] | undefined
}): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { name, firstAvailable = [] } of requests ?? []) {
    names.add(name)
    for (const alternative of firstAvailable) names.add(`${name}/${alternative.name}`)
  }
  return names
}

export function validateRequestName(name: string, known: ReadonlySet<string>, path: FieldPath, errors: FieldErrors): void {
  const parts = name.split('/')
  if (parts.length <= 2) for (const part of parts) validateName(part, path, errors)
  if (known.has(name)) return
  errors.invalid(path, name, "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'")
}

export function validateRequestNames(given: readonly string[], known: ReadonlySet<string>, path: FieldPath, errors: FieldErrors): void {
  validateSet(
    given,
    max.requests,
    (name) => name,
    path,
    errors,
    (name, at) => validateRequestName(name, known, at, errors),
  )
}

export function validateConfiguration({ opaque }: Infer<typeof DeviceConfiguration>, path: FieldPath, errors: FieldErrors) {
  const at = path.child('opaque')
  if (!opaque) return errors.required(at)
  validateDriver(opaque.driver, at.child('driver'), errors)
  validateData(opaque.parameters, at.child('parameters'), errors)
}

/** Names must be unique; constraints and configurations must refer to existing requests. */
export function validateClaim(
  { requests, constraints = [], config = [] }: Infer<typeof DeviceClaim>,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  const names = requestNames({ requests })
  const at = path.child('requests')
  // Too many requests are not validated.
  if ((requests ?? []).length > max.requests) errors.drop(({ field }) => field.startsWith(`${at}[`))
  validateSet(
    requests ?? [],
    max.requests,
    ({ name }) => name,
    at,
    errors,
    () => undefined,
  )
  validateList(constraints, max.constraints, path.child('constraints'), errors, (constraint, at) => {
    validateRequestNames(constraint.requests ?? [], names, at.child('requests'), errors)
    validateAttribute(constraint, at, errors, context)
  })
  validateList(config, max.config, path.child('config'), errors, (each, at) => {
    validateRequestNames(each.requests ?? [], names, at.child('requests'), errors)
    validateConfiguration(each, at, errors)
  })
}

function validateAttribute(
  { matchAttribute, distinctAttribute }: Infer<typeof DeviceConstraint>,
  path: FieldPath,
  errors: FieldErrors,
  { settings }: HookContext,
): void {
  if (matchAttribute !== undefined) validateFullyQualified(matchAttribute, path.child('matchAttribute'), errors)
  else if (distinctAttribute !== undefined) validateFullyQualified(distinctAttribute, path.child('distinctAttribute'), errors)
  else if (settings.enabled('DRAConsumableCapacity')) {
    errors.required(path, 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set')
  } else errors.required(path.child('matchAttribute'))
}
