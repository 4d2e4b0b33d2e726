import type { Infer } from '../../schema/model.ts'
import { ageColumn, nameColumn, type Selector, sizeColumn, textColumn, unset } from '../cells.ts'
import type { ValidatingAdmissionPolicy } from './validatingadmissionpolicy.ts'
import type { ValidatingAdmissionPolicyBinding } from './validatingadmissionpolicybinding.ts'

/** Columns of both kinds of webhook configurations. */
export const webhookConfigurationColumns = [nameColumn, sizeColumn('Webhooks', 'Number of webhooks.', 'integer', '.webhooks'), ageColumn]

type PolicyRow = Infer<typeof ValidatingAdmissionPolicy>

const paramKind = textColumn<PolicyRow>('ParamKind', 'Kind of its parameters.', ({ spec }) =>
  spec?.paramKind ? `${spec.paramKind.apiVersion ?? ''}/${spec.paramKind.kind ?? ''}` : unset,
)

export const validatingAdmissionPolicyColumns = [
  nameColumn,
  sizeColumn('Validations', 'Number of checks.', 'integer', '.spec.validations'),
  paramKind,
  ageColumn,
]

export const mutatingAdmissionPolicyColumns = [
  nameColumn,
  sizeColumn('Mutations', 'Number of changes.', 'integer', '.spec.mutations'),
  paramKind,
  ageColumn,
]

type BindingRow = Infer<typeof ValidatingAdmissionPolicyBinding>

/** The reference prints the selector in Go syntax. */
function selectorValue({ matchLabels = {}, matchExpressions = [] }: Selector): string {
  const labels = Object.entries(matchLabels).sort(([a], [b]) => (a < b ? -1 : 1))
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  )
  return `&LabelSelector{MatchLabels:map[string]string{${labels.map(([key, value]) => `${key}: ${value},`).join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
}

function paramText({ spec }: BindingRow): string {
  const { name, namespace, selector } = spec?.paramRef ?? {}
  if (name) return `${namespace || '*'}/${name}`
  return selector ? selectorValue(selector) : unset
}

/** Columns of both kinds of policy bindings. */
export const policyBindingColumns = [
  nameColumn,
  textColumn('PolicyName', 'Policy that the binding applies.', '.spec.policyName'),
  textColumn('ParamRef', 'Its parameters.', paramText),
  ageColumn,
]
