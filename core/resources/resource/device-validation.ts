/** Validation of devices: attributes, capacities, counters, taints (KEP-4381, 4815, 5055, 5075). */

import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { parseQuantity, scaledQuantity } from '../../schema/formats/quantity.ts'
import { given } from '../../schema/json/given-empty.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { add, compare } from '../core/quantities.ts'
import { isNative } from '../core/resource-validation.ts'
import { validateNodeSelector } from '../core/scheduling-validation.ts'
import { asJson, validateFormat, validateRequiredFormat, validateSupported } from '../validation.ts'
import type {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  Counter,
  Device,
  DeviceAttribute,
  DeviceCapacity,
  DeviceTaint,
} from './device.ts'
import { DeviceTaintEffect } from './enums.ts'
import {
  validateBinding,
  validateLabel,
  validateList,
  validateMap,
  validateName,
  validateQualified,
  validateSet,
} from './name-validation.ts'
import type { DeviceToleration } from './request.ts'

const max = { facts: 32, values: 48, taints: 16, consumptions: 2, counters: 32, options: 10, text: 64 }

/** semver.org 2.0.0. */
const number = '(0|[1-9]\\d*)'
const pre = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)'
const build = '[0-9a-zA-Z-]+'
/** Maximum characters: the pattern is slow on longer texts, because it tries numbers as names, too. */
const maxVersionLength = 256
const version = new RegExp(`^${number}\\.${number}\\.${number}(-${pre}(\\.${pre})*)?(\\+${build}(\\.${build})*)?$`)

/** `perDevice`: each device has its own node selection. */
export function validateDevice(
  device: Infer<typeof Device>,
  perDevice: boolean,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  const { name, attributes = {}, capacity = {}, taints = [], consumesCounters = [], allowMultipleAllocations = false } = device
  validateName(name, path.child('name'), errors)
  const facts = Object.keys(attributes).length + Object.keys(capacity).length
  if (facts > max.facts) errors.invalid(path, facts, `the total number of attributes and capacities must not exceed ${max.facts}`)
  const values = Object.values(attributes).reduce(
    (sum, each) => sum + (lists.reduce((own, name) => own + (each[name]?.length ?? 0), 0) || 1),
    0,
  )
  if (values > max.values) errors.invalid(path, values, `the total number of attribute values must not exceed ${max.values}`)
  validateMap(attributes, Number.POSITIVE_INFINITY, path.child('attributes'), errors, validateQualified, validateAttribute)
  validateMap(capacity, Number.POSITIVE_INFINITY, path.child('capacity'), errors, validateQualified, (each, at) =>
    validateCapacity(each, allowMultipleAllocations, at, errors),
  )
  validateList(taints, max.taints, path.child('taints'), errors, validateTaint)
  const counterSet = (each: (typeof consumesCounters)[number]) => each.counterSet
  validateSet(consumesCounters, max.consumptions, counterSet, path.child('consumesCounters'), errors, (each, at) => {
    validateLabel(each.counterSet, at.child('counterSet'), errors)
    validateCounters(each.counters, at.child('counters'), errors)
  })
  validateNodes(device, perDevice, path, errors)
  validateBinding(device, path, errors)
  validateMappings(device, path.child('nodeAllocatableResourceMappings'), errors, context)
}

/** KEP-5517. */
function validateMappings(
  { nodeAllocatableResourceMappings = {}, capacity = {} }: Infer<typeof Device>,
  path: FieldPath,
  errors: FieldErrors,
  context: HookContext,
): void {
  for (const [name, { capacityKey, allocationMultiplier: factor }] of Object.entries(nodeAllocatableResourceMappings)) {
    const at = path.key(name)
    if (!isNative(name, context)) errors.invalid(at, name, 'must be a node allocatable resource name')
    if (capacityKey === undefined && factor === undefined)
      errors.invalid(at, '', 'at least one of allocationMultiplier or capacityKey must be set')
    if (factor !== undefined && compare(factor, '0') <= 0) errors.invalid(at.child('allocationMultiplier'), factor, 'must be positive')
    if (capacityKey === '') errors.invalid(at.child('capacityKey'), '', 'capacityKey must not be an empty string')
    else if (capacityKey !== undefined && !Object.hasOwn(capacity, capacityKey)) errors.notFound(at.child('capacityKey'), capacityKey)
  }
}

export function validateCounters(
  counters: { readonly [name: string]: Infer<typeof Counter> } | undefined,
  path: FieldPath,
  errors: FieldErrors,
) {
  if (Object.keys(counters ?? {}).length === 0) return errors.required(path)
  validateMap(counters ?? {}, max.counters, path, errors, validateName, () => undefined)
}

function validateNodes(device: Infer<typeof Device>, perDevice: boolean, path: FieldPath, errors: FieldErrors) {
  const { nodeName, nodeSelector, allNodes } = device
  if (!perDevice) {
    if (nodeName === undefined && nodeSelector === undefined && allNodes === undefined) return
    const detail =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
    return errors.invalid(path, undefined, detail)
  }
  const ways: string[] = []
  if (nodeName === '') errors.invalid(path.child('nodeName'), nodeName, 'must not be empty')
  else if (nodeName !== undefined) {
    ways.push('`nodeName`')
    validateFormat(nodeName, 'dns1123Subdomain', path.child('nodeName'), errors)
  }
  if (nodeSelector) {
    ways.push('`nodeSelector`')
    validateNodeSelector(nodeSelector, path.child('nodeSelector'), errors)
  }
  if (allNodes) ways.push('`allNodes`')
  else if (allNodes === false) errors.invalid(path.child('allNodes'), false, 'must be either unset or set to true')
  const detail =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
  if (ways.length === 0) errors.required(path, detail)
  if (ways.length > 1) errors.invalid(path, `{${ways.join(', ')}}`, detail)
}

const lists = ['bools', 'ints', 'strings', 'versions'] as const
const kinds = ['bool', 'int', 'string', 'version', ...lists] as const

/** Whether the attribute is a list (KEP-5491), also one that was given as an empty one. */
export const hasList = (attribute: Infer<typeof DeviceAttribute>): boolean => lists.some((name) => given(attribute, name) !== undefined)

function validateAttribute(attribute: Infer<typeof DeviceAttribute>, path: FieldPath, errors: FieldErrors): void {
  validateText(attribute.string, path.child('string'), errors)
  validateVersion(attribute.version, path.child('version'), errors)
  for (const name of lists) {
    if (given(attribute, name)?.length === 0) errors.invalid(path.child(name), [], 'must not be empty if specified')
    const validateItem = name === 'strings' ? validateText : name === 'versions' ? validateVersion : undefined
    attribute[name]?.forEach((each, index) => {
      validateItem?.(String(each), path.child(name).index(index), errors)
    })
  }
  const set = kinds.filter((name) => given(attribute, name) !== undefined).length
  if (set !== 1) errors.invalid(path, set === 0 ? '' : asJson(attribute), 'exactly one value must be specified')
}

function validateText(text: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (text !== undefined && text.length > max.text) errors.tooLong(path, max.text)
}

function validateVersion(text: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (text === undefined) return
  if (text.length > maxVersionLength || !version.test(text))
    errors.invalid(path, text, 'must be a string compatible with semver.org spec 2.0.0')
  validateText(text, path, errors)
}

export function validateTaint({ key, value = '', effect }: Infer<typeof DeviceTaint>, path: FieldPath, errors: FieldErrors): void {
  validateFormat(key, 'labelKey', path.child('key'), errors)
  if (value !== '') validateFormat(value, 'labelValue', path.child('value'), errors)
  if (effect === '') errors.required(path.child('effect'))
  else validateSupported(effect, [...DeviceTaintEffect].sort(), path.child('effect'), errors)
}

function validateCapacity(
  { value, requestPolicy }: Infer<typeof DeviceCapacity>,
  shared: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const at = path.child('requestPolicy')
  if (requestPolicy && !shared) errors.forbidden(at, 'allowMultipleAllocations must be true')
  else if (requestPolicy) validatePolicy(requestPolicy, value, at, errors)
}

function validatePolicy(policy: Infer<typeof CapacityRequestPolicy>, capacity: string, path: FieldPath, errors: FieldErrors): void {
  const { validValues = [], validRange } = policy
  if (validValues.length > 0 && validRange) {
    errors.forbidden(path, 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time')
  } else if (validValues.length > 0) {
    if (policy.default === undefined) errors.required(path.child('default'), 'required when validValues is defined')
    else validateValues(policy.default, validValues, capacity, path.child('validValues'), errors)
  } else if (validRange) {
    if (policy.default === undefined) errors.required(path.child('default'), 'required when validRange is defined')
    else validateRange(policy.default, validRange, capacity, path.child('validRange'), errors)
  }
}

const whole = (quantity: string) => scaledQuantity(parseQuantity(quantity), 0)

function validateValues(usual: string, values: readonly string[], capacity: string, path: FieldPath, errors: FieldErrors): void {
  values.forEach((value, index) => {
    const before = values[index - 1]
    if (before !== undefined && compare(before, value) > 0)
      errors.invalid(path.index(index), value, 'values must be sorted in ascending order')
  })
  validateSet(
    values,
    max.options,
    (value) => String(whole(value)),
    path,
    errors,
    (value, at) => {
      if (compare(value, capacity) > 0) errors.invalid(at, value, `option is larger than capacity value: ${capacity}`)
    },
  )
  if (!values.some((value) => compare(value, usual) === 0)) {
    errors.invalid(path, usual, 'default value is not valid according to the requestPolicy')
  }
}

function validateRange(
  usual: string,
  range: Infer<typeof CapacityRequestPolicyRange>,
  capacity: string,
  path: FieldPath,
  errors: FieldErrors,
) {
  const { min, max, step } = range
  const at = { min: path.child('min'), max: path.child('max'), step: path.child('step') }
  if (!min) return errors.required(at.min, 'required when validRange is defined')
  if (compare(min, capacity) > 0) errors.invalid(at.min, min, `min is larger than capacity value: ${capacity}`)
  if (compare(usual, min) < 0) errors.invalid(at.min, usual, `default is less than min: ${min}`)
  if (max !== undefined) {
    if (compare(min, max) > 0) errors.invalid(at.max, min, `min is larger than max: ${max}`)
    if (compare(max, capacity) > 0) errors.invalid(at.max, max, `max is larger than capacity value: ${capacity}`)
    if (compare(usual, max) > 0) errors.invalid(at.max, usual, `default is more than max: ${max}`)
  }
  if (step === undefined) return
  const first = add(min, step)
  if (compare(first, capacity) > 0) errors.invalid(at.step, step, `one step ${first} is larger than capacity value: ${capacity}`)
  for (const value of max === undefined ? [usual] : [usual, max]) {
    const size = whole(step)
    if (size !== 0n && (whole(value) - whole(min)) % size === 0n) continue
    errors.invalid(at.step, value, `value is not a multiple of a given step (${step}) from (${min})`)
  }
}

/** Validates tolerations of device taints. */
export function validateToleration({ key = '', operator = '', value = '' }: Toleration, path: FieldPath, errors: FieldErrors): void {
  if (key !== '') validateRequiredFormat(key, 'labelKey', path.child('key'), errors)
  if (operator === '') errors.required(path.child('operator'))
  else if (operator === 'Exists' && value !== '') errors.invalid(path.child('value'), value, 'must be empty for operator `Exists`')
  else if (operator === 'Equal') validateFormat(value, 'labelValue', path.child('value'), errors)
}

type Toleration = Infer<typeof DeviceToleration>
