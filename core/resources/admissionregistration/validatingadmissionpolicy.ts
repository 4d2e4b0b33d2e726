import { atomicList, field, int64, keyedList, list, message, pointer, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { Condition } from '../meta/condition.ts'
import { StatusReason } from '../meta/enums.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { validatingAdmissionPolicyColumns } from './columns.ts'
import { FailurePolicyType } from './enums.ts'
import { validateValidatingExpressions } from './expression-validation.ts'
import { MatchResources, matchConditions, ParamKind, Variable } from './match.ts'
import { validatePolicyStart, validatePolicyStatus, validateValidatingSpec } from './policy-validation.ts'
import { staticNameWarnings, validateStaticName } from './static-name.ts'

export const AuditAnnotation = message('AuditAnnotation', 'An annotation that a policy adds to audit events.', () => ({
  key: required(1, string, 'Key; prefixed with the name of the policy.'),
  valueExpression: required(2, string, 'Expression that yields text, or null for no annotation.'),
}))

export const ExpressionWarning = message('ExpressionWarning', 'A type checking warning for an expression.', () => ({
  fieldRef: required(2, string, 'Path of the expression.'),
  warning: required(3, string, 'The warning.'),
}))

export const TypeChecking = message('TypeChecking', 'Result of type checking.', () => ({
  expressionWarnings: field(1, atomicList(ExpressionWarning), 'Findings by expression.'),
}))

export const Validation = message('Validation', 'An expression that must hold.', () => ({
  expression: required(1, string, 'Expression that yields true for a valid request.'),
  message: field(2, string, 'Message of a refusal.'),
  reason: pointer(3, string, 'Reason of a refusal; Invalid by default.', { goType: 'v1.StatusReason', openEnum: StatusReason }),
  messageExpression: field(4, string, 'Expression that yields the message; wins over message.'),
}))

export const ValidatingAdmissionPolicySpec = message('ValidatingAdmissionPolicySpec', 'What a policy demands, and when.', () => ({
  paramKind: pointer(1, ParamKind, 'Kind of its parameters; absent for none.'),
  matchConstraints: pointer(2, MatchResources, 'Requests that it applies to.'),
  validations: field(3, atomicList(Validation), 'Expressions that must hold.'),
  failurePolicy: pointer(4, string, 'After an error: Fail or Ignore.', {
    goType: 'v1.FailurePolicyType',
    publishedEnum: FailurePolicyType,
  }),
  auditAnnotations: field(5, atomicList(AuditAnnotation), 'Annotations for audit events.'),
  matchConditions: matchConditions(6),
  variables: keyedList(7, Variable, 'name', 'Values for the expressions; a later one can use those before.'),
})).with({
  defaults(spec) {
    spec.failurePolicy ??= 'Fail'
  },
  validateFirst: (spec, path, errors) => validatePolicyStart(spec, path, errors),
  validate: (spec, path, errors) => validateValidatingSpec(spec, path, errors),
})

export const ValidatingAdmissionPolicyStatus = message('ValidatingAdmissionPolicyStatus', 'State of a policy.', () => ({
  observedGeneration: field(1, int64, 'Generation of the spec that this status was computed from.'),
  typeChecking: pointer(2, TypeChecking, 'Result of type checking; set when it is complete.'),
  conditions: field(3, list(Condition, { listType: 'map', keys: ['type'] }), 'Latest observations, one per condition type.'),
}))

export const ValidatingAdmissionPolicy = object(
  'ValidatingAdmissionPolicy',
  'Demands on objects on their way in, by CEL expressions.',
  specAndStatus(ValidatingAdmissionPolicySpec, ValidatingAdmissionPolicyStatus),
)

export const validatingAdmissionPolicies = resource({
  group: 'admissionregistration.<domain>',
  version: 'v1',
  names: ['validatingadmissionpolicies', 'validatingadmissionpolicy'],
  anyFinalizers: true,
  metadataOnUpdate: ['object'],
  categories: ['api-extensions'],
  namespaced: false,
  schema: ValidatingAdmissionPolicy,
  columns: validatingAdmissionPolicyColumns,
  lifecycle: { introduced: '1.30' },
  status: true,
  statusKeeps: 'metadata',
  generation: 'spec',
  updateNeedsVersion: true,
  strategy: {
    validate(object, errors, context, old) {
      const { metadata, spec } = object
      if (spec) validateValidatingExpressions(spec, metadata?.name ?? '', errors, context, old?.spec)
      if (old === undefined) validateStaticName(object, errors, context)
    },
    warnings: staticNameWarnings,
    validateStatus: ({ status }, _old, errors) => validatePolicyStatus(status ?? {}, errors),
  },
})
