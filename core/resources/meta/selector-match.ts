import type { Infer } from '../../schema/model.ts'
import type { LabelSelector } from './selector.ts'

type Labels = { readonly [key: string]: string } | undefined

const labelOf = (labels: Labels, key: string) => (labels && Object.hasOwn(labels, key) ? labels[key] : undefined)

/** Whether the labels match a selector. An empty selector matches everything, an absent one nothing. */
export function selectorMatches(selector: Infer<typeof LabelSelector> | undefined, labels: Labels): boolean {
  if (selector === undefined) return false
  const equals = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labelOf(labels, key) === value)
  return equals && (selector.matchExpressions ?? []).every((requirement) => requirementHolds(requirement, labels))
}

function requirementHolds(
  { key, operator, values = [] }: { key: string; operator: string; values?: string[] | undefined },
  labels: Labels,
) {
  const value = labelOf(labels, key)
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return true
  }
}

/** Whether a selector has no requirements. */
export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: Infer<typeof LabelSelector>): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0
}
