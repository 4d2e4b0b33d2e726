import { atomicList, field, inline, message, pointer, raw, required, string } from '../../schema/model.ts'
import { DeviceConstraint, DeviceRequest } from './request.ts'
import { validateClaim } from './request-validation.ts'

export const OpaqueDeviceConfiguration = message('OpaqueDeviceConfiguration', 'Configuration that a driver understands.', () => ({
  driver: required(1, string, 'The driver.'),
  parameters: required(2, raw, 'The configuration, up to 10 kB; an object with kind and apiVersion.'),
}))

export const DeviceConfiguration = message('DeviceConfiguration', 'Configuration of devices; one member is set.', () => ({
  opaque: pointer(1, OpaqueDeviceConfiguration, 'Configuration for a driver.'),
}))

export const DeviceClaimConfiguration = message('DeviceClaimConfiguration', 'Configuration in a claim.', () => ({
  requests: field(1, atomicList(string), 'Requests that it is for; all when empty.'),
  deviceConfiguration: inline(2, DeviceConfiguration),
}))

export const DeviceClaim = message('DeviceClaim', 'Requested devices.', () => ({
  requests: field(1, atomicList(DeviceRequest), 'Requests, all of which must be satisfied.', {
    omitEmpty: false,
  }),
  constraints: field(2, atomicList(DeviceConstraint), 'What the devices must have in common, or not.'),
  config: field(3, atomicList(DeviceClaimConfiguration), 'Configurations for the drivers.'),
})).with({ validate: (claim, path, errors, context) => validateClaim(claim, path, errors, context) })

export const ResourceClaimSpec = message('ResourceClaimSpec', 'The request of a claim; cannot be changed.', () => ({
  devices: field(1, DeviceClaim, 'Devices.', { omitEmpty: false }),
}))
