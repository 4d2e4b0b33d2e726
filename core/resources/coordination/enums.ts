export const CoordinatedLeaseStrategy = ['OldestEmulationVersion'] as const
