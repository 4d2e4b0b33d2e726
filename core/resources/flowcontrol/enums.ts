export const ConditionStatus = ['True', 'False', 'Unknown'] as const
