import type { ResourceDefinition } from '../definition.ts'
import { mutatingAdmissionPolicies } from './mutatingadmissionpolicy.ts'
import { mutatingAdmissionPolicyBindings } from './mutatingadmissionpolicybinding.ts'
import { mutatingWebhookConfigurations } from './mutatingwebhookconfiguration.ts'
import { validatingAdmissionPolicies } from './validatingadmissionpolicy.ts'
import { validatingAdmissionPolicyBindings } from './validatingadmissionpolicybinding.ts'
import { validatingWebhookConfigurations } from './validatingwebhookconfiguration.ts'

export * from './enums.ts'
export * from './match.ts'
export * from './mutatingadmissionpolicy.ts'
export * from './mutatingadmissionpolicybinding.ts'
export * from './mutatingwebhookconfiguration.ts'
export * from './validatingadmissionpolicy.ts'
export * from './validatingadmissionpolicybinding.ts'
export * from './validatingwebhookconfiguration.ts'
export * from './webhook.ts'

export const definitions: readonly ResourceDefinition[] = [
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  mutatingWebhookConfigurations,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
]
