/** Selectors of a request as authorizers see them: requirements that must all hold (KEP-4601). */
import { type FieldRequirement, parseFieldSelector } from '../../request/field-selector.ts'
import type { LabelOperator } from '../../request/label-requirement.ts'
import { parseLabelSelector } from '../../request/label-selector.ts'
import type { Attributes } from './authorizer.ts'

/** metav1.LabelSelectorRequirement and metav1.FieldSelectorRequirement. */
export interface SelectorRequirement {
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  readonly values?: readonly string[]
}

/** An unparsable selector counts as none: it would only narrow the request, which fails later. */
function readable<T>(text: string | undefined, parse: (text: string) => readonly T[]): readonly T[] {
  if (text === undefined || text === '') return []
  try {
    return parse(text)
  } catch {
    return []
  }
}

/** The parsed field selector; empty when absent or unparsable. */
const fieldRequirements = ({ fieldSelector }: Attributes): readonly FieldRequirement[] => readable(fieldSelector, parseFieldSelector)

/** Whether the field selector requires this value of this field. */
export const requiresField = (attributes: Attributes, field: string, value: string): boolean =>
  fieldRequirements(attributes).some((each) => each.operator === '=' && each.field === field && each.value === value)

const operators: { readonly [operator in LabelOperator]?: SelectorRequirement['operator'] } = {
  in: 'In',
  '=': 'In',
  '==': 'In',
  notin: 'NotIn',
  '!=': 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
}

/** The field selector as API requirements. */
export const fieldSelectorRequirements = (attributes: Attributes): readonly SelectorRequirement[] =>
  fieldRequirements(attributes).map(({ field, operator, value }) => ({
    key: field,
    operator: operator === '=' ? 'In' : 'NotIn',
    values: [value],
  }))

/** The label selector as API requirements; numeric comparisons have no such form and are left out. */
export const labelSelectorRequirements = ({ labelSelector }: Attributes): readonly SelectorRequirement[] =>
  readable(labelSelector, (text) => parseLabelSelector(text).requirements).flatMap(({ key, operator, values }) => {
    const known = operators[operator]
    return known === undefined ? [] : [{ key, operator: known, ...(values.length > 0 && { values }) }]
  })
