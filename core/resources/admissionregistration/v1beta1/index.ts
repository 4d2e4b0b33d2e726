import type { ResourceDefinition } from '../../definition.ts'
import { mutatingAdmissionPolicies } from './mutatingadmissionpolicy.ts'
import { mutatingAdmissionPolicyBindings } from './mutatingadmissionpolicybinding.ts'

// Shared by both versions.
export { MatchCondition, NamedRuleWithOperations, ParamKind, ParamRef, Variable } from '../match.ts'
export { ApplyConfiguration, JSONPatch, Mutation } from '../mutatingadmissionpolicy.ts'
export * from './match.ts'
export * from './mutatingadmissionpolicy.ts'
export * from './mutatingadmissionpolicybinding.ts'

export const definitions: readonly ResourceDefinition[] = [mutatingAdmissionPolicies, mutatingAdmissionPolicyBindings]
