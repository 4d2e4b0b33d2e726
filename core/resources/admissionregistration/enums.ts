export const FailurePolicyType = ['Ignore', 'Fail'] as const

export const MatchPolicyType = ['Exact', 'Equivalent'] as const

export const ReinvocationPolicyType = ['Never', 'IfNeeded'] as const

export const SideEffectClass = ['Unknown', 'None', 'Some', 'NoneOnDryRun'] as const
