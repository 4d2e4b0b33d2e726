import { atomicList, bool, field, int64, map, message, pointer, quantity, required, string } from '../../schema/model.ts'
import { validateToleration } from './device-validation.ts'
import { DeviceAllocationMode, DeviceTaintEffect } from './enums.ts'
import { validateName } from './name-validation.ts'
import { defaultAmount, validateAmount, validateRequest } from './request-validation.ts'
import { maxExpression, validateSelector } from './selector-validation.ts'

export const DeviceToleration = message('DeviceToleration', 'Lets a claim have devices with matching taints.', () => ({
  key: field(1, string, 'Key of the taints; empty with Exists for all.'),
  operator: field(2, string, 'Equal or Exists.', { goType: '.DeviceTolerationOperator', enum: ['Exists', 'Equal'], default: 'Equal' }),
  value: field(3, string, 'Value to compare with; empty for Exists.'),
  effect: field(4, string, 'Effect of the taints; empty for all.', { goType: '.DeviceTaintEffect', enum: DeviceTaintEffect }),
  tolerationSeconds: pointer(5, int64, 'Seconds until eviction by NoExecute; absent for never.'),
})).with({ validateFirst: validateToleration })

export const CELDeviceSelector = message('CELDeviceSelector', 'A choice of devices by a CEL expression.', () => ({
  expression: required(1, string, 'Expression over `device` that yields true for devices that match.', { maxLength: maxExpression }),
})).with({ validate: validateSelector })

export const CapacityRequirements = message('CapacityRequirements', 'Requested capacity.', () => ({
  requests: field(1, map(quantity), 'Amount by capacity.', { goType: 'map[.QualifiedName]resource.Quantity' }),
}))

export const DeviceSelector = message('DeviceSelector', 'A choice of devices; one member is set.', () => ({
  cel: pointer(1, CELDeviceSelector, 'By a CEL expression.', { notEmpty: true }),
}))

export const ExactDeviceRequest = message('ExactDeviceRequest', 'A request for devices of one class.', () => ({
  deviceClassName: required(1, string, 'Class of the devices.', { notEmpty: true, format: 'dns1123Subdomain' }),
  selectors: field(2, atomicList(DeviceSelector), 'Selectors that devices must all match.', { maxItems: 32 }),
  allocationMode: field(3, string, 'ExactCount, or All devices that match.', {
    goType: '.DeviceAllocationMode',
    enum: DeviceAllocationMode,
  }),
  count: field(4, int64, 'Number of devices, with ExactCount; 1 by default.'),
  adminAccess: pointer(5, bool, 'Requests administrative access; requires a labelled namespace.', { gate: 'DRAAdminAccess' }),
  tolerations: field(6, atomicList(DeviceToleration), 'Taints that are accepted.', { gate: 'DRADeviceTaints' }),
  capacity: pointer(7, CapacityRequirements, 'Capacity that each device must offer.', { gate: 'DRAConsumableCapacity' }),
})).with({ defaults: (request) => defaultAmount(request), validate: (request, path, errors) => validateAmount(request, path, errors) })

export const DeviceSubRequest = message('DeviceSubRequest', 'An alternative of a request.', () => ({
  name: required(1, string, 'DNS label, unique in the request.'),
  deviceClassName: required(2, string, 'Class of the devices.', { notEmpty: true, format: 'dns1123Subdomain' }),
  selectors: field(3, atomicList(DeviceSelector), 'Selectors that devices must all match.', { maxItems: 32 }),
  allocationMode: field(4, string, 'ExactCount, or All devices that match.', {
    goType: '.DeviceAllocationMode',
    enum: DeviceAllocationMode,
  }),
  count: field(5, int64, 'Number of devices, with ExactCount; 1 by default.'),
  tolerations: field(6, atomicList(DeviceToleration), 'Taints that are accepted.', { gate: 'DRADeviceTaints' }),
  capacity: pointer(7, CapacityRequirements, 'Capacity that each device must offer.', { gate: 'DRAConsumableCapacity' }),
})).with({
  defaults: (request) => defaultAmount(request),
  validateFirst: ({ name }, path, errors) => validateName(name, path.child('name'), errors),
  validate: (request, path, errors) => validateAmount(request, path, errors),
})

export const DeviceRequest = message('DeviceRequest', 'A request for devices; one of the two members is set.', () => ({
  name: required(1, string, 'DNS label, unique in the claim.'),
  exactly: pointer(2, ExactDeviceRequest, 'Devices of one class.'),
  firstAvailable: field(3, atomicList(DeviceSubRequest), 'Alternatives in order of preference.', {
    gate: 'DRAPrioritizedList',
  }),
})).with({
  validateFirst: ({ name }, path, errors) => validateName(name, path.child('name'), errors),
  validate: (request, path, errors) => validateRequest(request, path, errors),
})

export const DeviceConstraint = message(
  'DeviceConstraint',
  'Requests, with an attribute that is the same or different in all of their devices.',
  () => ({
    requests: field(1, atomicList(string), 'Requests whose devices are compared; all when empty.'),
    matchAttribute: pointer(2, string, 'Attribute that must be equal on all of them.', { goType: '.FullyQualifiedName' }),
    distinctAttribute: pointer(3, string, 'Attribute that must differ on all of them.', {
      goType: '.FullyQualifiedName',
      gate: 'DRAConsumableCapacity',
    }),
  }),
)
