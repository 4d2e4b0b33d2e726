/** The kinds of the files that flags name. */

import { authenticationConfiguration } from '../access/authn/file/authentication.ts'
import { authorizationConfiguration } from '../access/authz/file/authorization.ts'
import { admissionConfiguration } from '../admission/file/admission.ts'
import { auditPolicy } from '../audit/file/audit-policy.ts'
import { egressSelectorConfiguration } from '../config/files/egress.ts'
import type { FileKind } from '../config/files/kind.ts'
import { tracingConfiguration } from '../config/files/tracing.ts'
import { encryptionConfiguration } from '../encryption/file/encryption.ts'
import { labelValuesFile } from '../meta/metrics/label-values-file.ts'

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
