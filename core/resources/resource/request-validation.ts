/** Rules for requests of devices (KEP 4381). */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { asJson, checkRequiredFormat } from '../checks.ts'
import type { DeviceClaim } from './claim.ts'
import type { DeviceRequest } from './request.ts'

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
}

export function validateRequest(
  { name, exactly, firstAvailable = [] }: Infer<typeof DeviceRequest>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkRequiredFormat(name, 'dns1123Label', path.child('name'), errors)
  if (exactly && firstAvailable.length > 0)
    errors.invalid(path, null, 'exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set')
  if (!exactly && firstAvailable.length === 0) errors.required(path, 'exactly one of `exactly` or `firstAvailable` is required')
  if (firstAvailable.length > 8) errors.tooMany(path.child('firstAvailable'), firstAvailable.length, 8)
  checkNames(firstAvailable, path.child('firstAvailable'), errors)
  firstAvailable.forEach((alternative, index) => {
    checkRequiredFormat(alternative.name, 'dns1123Label', path.child('firstAvailable').index(index).child('name'), errors)
  })
}

function checkNames(items: readonly { readonly name: string }[], path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>()
  items.forEach(({ name }, index) => {
    if (seen.has(name)) errors.duplicate(path.index(index).child('name'), name)
    seen.add(name)
  })
}

/** Names are unique, and constraints and configurations speak about requests that there are. */
export function validateClaim(
  { requests, constraints = [], config = [] }: Infer<typeof DeviceClaim>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkNames(requests ?? [], path.child('requests'), errors)
  const names = new Set<string>()
  for (const { name, firstAvailable = [] } of requests ?? []) {
    names.add(name)
    for (const alternative of firstAvailable) names.add(`${name}/${alternative.name}`)
  }
  for (const [field, items] of Object.entries({ constraints, config })) {
    items.forEach((item, index) => {
      item.requests?.forEach((name, number) => {
        const at = path.child(field).index(index).child('requests').index(number)
        if (!names.has(name))
          errors.invalid(
            at,
            asJson(name),
            "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
          )
      })
    })
  }
}
