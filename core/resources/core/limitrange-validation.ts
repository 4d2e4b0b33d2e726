/** Validation and defaults of limit ranges. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import { parseQuantity, scaledQuantity } from '../../schema/formats/quantity.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import type { LimitRangeItem, LimitRange as LimitRangeSchema } from './limitrange.ts'
import { compare } from './quantities.ts'
import { allowsOvercommit, validateContainerResourceName, validateResourceName } from './resource-validation.ts'

type Item = Infer<typeof LimitRangeItem>

/** For containers: the default limit is the maximum; the default request is the limit, or else the minimum. */
export function defaultLimits(item: Item): void {
  if (item.type !== 'Container') return
  item.default = { ...item.max, ...item.default }
  item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest }
}

const types = ['Container', 'PersistentVolumeClaim', 'Pod']

export function validateLimitRange({ spec }: Infer<typeof LimitRangeSchema>, errors: FieldErrors, context: HookContext): void {
  const seen = new Set<string>()
  spec?.limits?.forEach((item, index) => {
    const at = FieldPath.of('spec', 'limits').index(index)
    validateType(item.type, at.child('type'), errors)
    if (seen.has(item.type)) errors.duplicate(at.child('type'), item.type)
    seen.add(item.type)
    validateItem(item, at, errors, context)
  })
}

function validateType(type: string, path: FieldPath, errors: FieldErrors): void {
  const problems = formats.qualifiedName(type)
  for (const problem of problems) errors.invalid(path, type, problem)
  if (problems.length === 0 && !type.includes('/') && !types.includes(type)) {
    errors.invalid(path, type, 'must be a standard limit type or fully qualified')
  }
}

function validateItem(item: Item, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const validateName = item.type === 'Pod' || item.type === 'Container' ? validateContainerResourceName : validateResourceName
  const isPod = item.type === 'Pod'
  const validateNames = (side: 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio') => {
    for (const name of Object.keys(item[side] ?? {})) validateName(name, path.child(side).key(name), errors, context)
  }
  validateNames('max')
  validateNames('min')
  for (const side of ['default', 'defaultRequest'] as const) {
    if (!isPod) validateNames(side)
    else if (Object.keys(item[side] ?? {}).length > 0) errors.forbidden(path.child(side), "may not be specified when `type` is 'Pod'")
  }
  if (item.type === 'PersistentVolumeClaim' && !item.min?.['storage'] && !item.max?.['storage']) {
    errors.required(path.child('limits'), 'either minimum or maximum storage value is required, but neither was provided')
  }
  validateNames('maxLimitRequestRatio')
  const own = isPod ? { ...item, default: {}, defaultRequest: {} } : item
  const names = [own.max, own.min, own.default, own.defaultRequest, own.maxLimitRequestRatio].flatMap((each) => Object.keys(each ?? {}))
  for (const name of new Set(names)) validateBounds(own, name, path, errors, context)
}

/** Minimum ≤ default request ≤ default ≤ maximum. */
function validateBounds(item: Item, name: string, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  const { [name]: min } = item.min ?? {}
  const { [name]: max } = item.max ?? {}
  const { [name]: limit } = item.default ?? {}
  const { [name]: request } = item.defaultRequest ?? {}
  const { [name]: ratio } = item.maxLimitRequestRatio ?? {}
  const exceeds = (a: string | undefined, b: string | undefined) => a !== undefined && b !== undefined && compare(a, b) > 0
  const refuse = (side: string, shown: string | undefined, why: string) => errors.invalid(path.child(side).key(name), shown, why)
  if (exceeds(min, max)) refuse('min', min, `min value ${min} is greater than max value ${max}`)
  if (exceeds(min, request)) refuse('defaultRequest', request, `min value ${min} is greater than default request value ${request}`)
  if (exceeds(request, max)) refuse('defaultRequest', request, `default request value ${request} is greater than max value ${max}`)
  if (exceeds(request, limit)) {
    refuse('defaultRequest', request, `default request value ${request} is greater than default limit value ${limit}`)
  }
  if (exceeds(min, limit)) refuse('default', min, `min value ${min} is greater than default value ${limit}`)
  if (exceeds(limit, max)) refuse('default', max, `default value ${limit} is greater than max value ${max}`)
  if (exceeds('1', ratio)) refuse('maxLimitRequestRatio', ratio, `ratio ${ratio} is less than 1`)
  if (ratio !== undefined && min !== undefined && max !== undefined) {
    const milli = (amount: string) => Number(scaledQuantity(parseQuantity(amount), -3))
    const maxRatio = milli(max) / milli(min)
    if (milli(ratio) / 1000 > maxRatio)
      refuse('maxLimitRequestRatio', ratio, `ratio ${ratio} is greater than max/min = ${maxRatio.toFixed(6)}`)
  }
  if (allowsOvercommit(name, context) || limit === undefined || request === undefined || compare(limit, request) === 0) return
  refuse('defaultRequest', request, `default value ${limit} must equal to defaultRequest value ${request} in ${name}`)
}
