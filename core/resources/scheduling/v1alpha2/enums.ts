export const DisruptionMode = ['Pod', 'PodGroup'] as const
