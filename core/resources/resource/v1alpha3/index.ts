import type { ResourceDefinition } from '../../definition.ts'
import { deviceTaintRules } from './devicetaintrule.ts'
import { resourcePoolStatusRequests } from './resourcepoolstatusrequest.ts'

// Shared by both versions.
export { DeviceTaint } from '../device.ts'
export { CELDeviceSelector, DeviceSelector } from '../request.ts'
export { DeviceTaintRule, DeviceTaintRuleSpec, DeviceTaintRuleStatus, DeviceTaintSelector } from '../v1beta2/devicetaintrule.ts'
export * from './devicetaintrule.ts'
export * from './resourcepoolstatusrequest.ts'

export const definitions: readonly ResourceDefinition[] = [deviceTaintRules, resourcePoolStatusRequests]
