// Shared by both versions.
export { DeviceTaint } from '../device.ts'
export { CELDeviceSelector, DeviceSelector } from '../request.ts'
export { DeviceTaintRule, DeviceTaintRuleSpec, DeviceTaintRuleStatus, DeviceTaintSelector } from '../v1beta2/devicetaintrule.ts'
export * from './devicetaintrule.ts'
export * from './resourcepoolstatusrequest.ts'
