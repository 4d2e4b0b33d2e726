// Shared by both versions.
export { MatchCondition, MatchResources, NamedRuleWithOperations, ParamKind } from '../match.ts'
export { ApplyConfiguration, JSONPatch, Mutation } from '../mutatingadmissionpolicy.ts'
export * from './match.ts'
export * from './mutatingadmissionpolicy.ts'
export * from './mutatingadmissionpolicybinding.ts'
