export const DeviceAllocationMode = ['ExactCount', 'All'] as const

export const DeviceTaintEffect = ['None', 'NoSchedule', 'NoExecute'] as const
