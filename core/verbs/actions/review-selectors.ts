/** Selectors in access reviews (KEP-4601): validation, and their text form for authorizers. */

import { fieldSelectorText, parseFieldSelector } from '../../request/field-selector.ts'
import { type LabelOperator, type LabelRequirement, requirementFault, requirementText } from '../../request/label-requirement.ts'
import { parseLabelSelector } from '../../request/label-selector.ts'
import type { LabelSelectorAttributes, ResourceAttributes } from '../../resources/authorization/attributes.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { labelValue, qualifiedName } from '../../schema/formats/name-formats.ts'
import type { Infer } from '../../schema/model.ts'

type Requirement = NonNullable<SelectorAttributes['requirements']>[number]

type SelectorAttributes = Infer<typeof LabelSelectorAttributes>

export type ReviewedSelectors = Pick<Infer<typeof ResourceAttributes>, 'fieldSelector' | 'labelSelector'>

/** A selector as text; unsupported requirements are left out. */
interface Selection {
  readonly text: string
  /** A requirement was left out, which widens the request. */
  readonly partial: boolean
}

/** Unknown operators are accepted, because newer clients may send them. */
function validateValues({ operator = '', values }: Requirement, path: FieldPath, errors: FieldErrors): void {
  const count = (values ?? []).length
  if ((operator === 'In' || operator === 'NotIn') && count === 0)
    errors.required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'")
  if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0)
    errors.forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
}

function validateLabelRequirement(requirement: Requirement, path: FieldPath, errors: FieldErrors): void {
  const { key = '', values } = requirement
  validateValues(requirement, path, errors)
  for (const fault of qualifiedName(key)) errors.invalid(path.child('key'), key, fault)
  for (const [index, value] of (values ?? []).entries())
    for (const fault of labelValue(value)) errors.invalid(path.child('values').index(index), value, fault)
}

function validateFieldRequirement(requirement: Requirement, path: FieldPath, errors: FieldErrors): void {
  if (!requirement.key) errors.required(path.child('key'), 'must be specified')
  validateValues(requirement, path, errors)
}

function validateSelector(
  { rawSelector = '', requirements }: SelectorAttributes,
  validateRequirement: typeof validateFieldRequirement,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const all = requirements ?? []
  if (rawSelector !== '' && all.length > 0)
    errors.invalid(path.child('rawSelector'), rawSelector, 'may not specified at the same time as requirements')
  if (rawSelector === '' && all.length === 0)
    errors.required(path.child('requirements'), `when ${path} is specified, requirements or rawSelector is required`)
  for (const [index, requirement] of all.entries()) validateRequirement(requirement, path.child('requirements').index(index), errors)
}

export function validateSelectors({ fieldSelector, labelSelector }: ReviewedSelectors, path: FieldPath, errors: FieldErrors): void {
  if (fieldSelector) validateSelector(fieldSelector, validateFieldRequirement, path.child('fieldSelector'), errors)
  if (labelSelector) validateSelector(labelSelector, validateLabelRequirement, path.child('labelSelector'), errors)
}

function raw(text: string, parse: (text: string) => unknown): Selection {
  try {
    parse(text)
    return { text, partial: false }
  } catch {
    return { text: '', partial: true }
  }
}

function joined(all: readonly Requirement[], textOf: (requirement: Requirement) => string | undefined): Selection {
  const texts = all.map(textOf)
  const known = texts.filter((text) => text !== undefined)
  return { text: known.join(','), partial: known.length < texts.length }
}

/** A field requirement as text; only a single value can be expressed. */
function fieldText({ key = '', operator, values }: Requirement): string | undefined {
  const [value, ...others] = values ?? []
  if (value === undefined || others.length > 0 || (operator !== 'In' && operator !== 'NotIn')) return undefined
  return fieldSelectorText([{ field: key, operator: operator === 'In' ? '=' : '!=', value }])
}

const labelOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
])

function labelText({ key = '', operator = '', values }: Requirement): string | undefined {
  const known = labelOperators.get(operator)
  if (known === undefined) return undefined
  const requirement: LabelRequirement = { key, operator: known, values: values ?? [] }
  return requirementFault(requirement) === undefined ? requirementText(requirement) : undefined
}

const selection = (
  { rawSelector = '', requirements }: SelectorAttributes,
  parse: (text: string) => unknown,
  textOf: (requirement: Requirement) => string | undefined,
) => (rawSelector !== '' ? raw(rawSelector, parse) : joined(requirements ?? [], textOf))

/** The selectors as authorization attributes, and the errors in them. */
export function selectorTexts({ fieldSelector, labelSelector }: ReviewedSelectors): {
  readonly attributes: { readonly fieldSelector?: string; readonly labelSelector?: string }
  readonly problems: readonly string[]
} {
  const found = {
    ...(fieldSelector && { fieldSelector: selection(fieldSelector, parseFieldSelector, fieldText) }),
    ...(labelSelector && { labelSelector: selection(labelSelector, parseLabelSelector, labelText) }),
  }
  const entries = Object.entries(found)
  return {
    attributes: Object.fromEntries(entries.filter(([, { text }]) => text !== '').map(([name, { text }]) => [name, text])),
    problems: entries.flatMap(([name, { text, partial }]) =>
      partial ? [`spec.resourceAttributes.${name} ${text === '' ? '' : 'partially '}ignored due to parse error`] : [],
    ),
  }
}
