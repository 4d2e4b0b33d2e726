// Shared by both versions.
export {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceAllocationResult,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
} from '../allocation.ts'
export { DeviceClaimConfiguration, DeviceConfiguration, OpaqueDeviceConfiguration } from '../claim.ts'
export {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  Counter,
  DeviceAttribute,
  DeviceCapacity,
  DeviceCounterConsumption,
  DeviceTaint,
  NodeAllocatableResourceMapping,
} from '../device.ts'
export { DeviceClass, DeviceClassConfiguration, DeviceClassSpec } from '../deviceclass.ts'
export { CapacityRequirements, CELDeviceSelector, DeviceConstraint, DeviceSelector, DeviceToleration } from '../request.ts'
export { ResourceClaimConsumerReference, ResourceClaimStatus } from '../resourceclaim.ts'
export { CounterSet, ResourcePool } from '../resourceslice.ts'
export * from './claim.ts'
export * from './device.ts'
export * from './deviceclass.ts'
export * from './request.ts'
export * from './resourceclaim.ts'
export * from './resourceclaimtemplate.ts'
export * from './resourceslice.ts'
