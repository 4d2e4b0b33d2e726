/** The kinds of the files that flags name. */
import { admissionConfiguration } from '../admission/file/admission.ts'
import { auditPolicy } from '../audit/file/audit-policy.ts'
import { authenticationConfiguration } from '../authn/file/authentication.ts'
import { authorizationConfiguration } from '../authz/file/authorization.ts'
import { egressSelectorConfiguration } from '../config/files/egress.ts'
import type { FileKind } from '../config/files/kind.ts'
import { tracingConfiguration } from '../config/files/tracing.ts'
import { labelValuesFile } from '../meta/metrics/label-values-file.ts'
import { encryptionConfiguration } from '../storage/encryption/file/encryption.ts'

const kinds = {
  AdmissionConfiguration: admissionConfiguration,
  AuthenticationConfiguration: authenticationConfiguration,
  AuthorizationConfiguration: authorizationConfiguration,
  EgressSelectorConfiguration: egressSelectorConfiguration,
  EncryptionConfiguration: encryptionConfiguration,
  MetricLabels: labelValuesFile,
  Policy: auditPolicy,
  TracingConfiguration: tracingConfiguration,
}

export type FileKindName = keyof typeof kinds

export const fileKinds: { readonly [K in FileKindName]: FileKind<unknown> } = kinds
