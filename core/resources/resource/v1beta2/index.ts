// Shared by both versions.
export {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceAllocationResult,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
} from '../allocation.ts'
export { DeviceClaim, DeviceClaimConfiguration, DeviceConfiguration, OpaqueDeviceConfiguration, ResourceClaimSpec } from '../claim.ts'
export {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  Counter,
  Device,
  DeviceAttribute,
  DeviceCapacity,
  DeviceCounterConsumption,
  DeviceTaint,
  NodeAllocatableResourceMapping,
} from '../device.ts'
export { DeviceClass, DeviceClassConfiguration, DeviceClassSpec } from '../deviceclass.ts'
export {
  CapacityRequirements,
  CELDeviceSelector,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
} from '../request.ts'
export { ResourceClaim, ResourceClaimConsumerReference, ResourceClaimStatus } from '../resourceclaim.ts'
export { ResourceClaimTemplate, ResourceClaimTemplateSpec } from '../resourceclaimtemplate.ts'
export { CounterSet, ResourcePool, ResourceSlice, ResourceSliceSpec } from '../resourceslice.ts'
export * from './deviceclass.ts'
export * from './devicetaintrule.ts'
export * from './resourceclaim.ts'
export * from './resourceclaimtemplate.ts'
export * from './resourceslice.ts'
