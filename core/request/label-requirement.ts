import { FieldErrors } from '../schema/field-error.ts'
import { FieldPath } from '../schema/field-path.ts'
import { labelValue, qualifiedName } from '../schema/formats/name-formats.ts'

export type Labels = { readonly [key: string]: string }

/** Operators as selectors spell them (apimachinery pkg/selection). */
export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!'

export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

const maxInt64 = 2n ** 63n - 1n
const maxDigits = 19

/** A decimal 64-bit integer, or undefined. */
export function integer(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined
  const digits = text.replace(/^[+-]/, '').replace(/^0+/, '')
  if (digits.length > maxDigits) return undefined
  const value = BigInt(`${text.startsWith('-') ? '-' : ''}${digits || '0'}`)
  return value > maxInt64 || value < -maxInt64 - 1n ? undefined : value
}

/** Allowed number of values per operator, with the error text. */
const arity: { readonly [operator in LabelOperator]: readonly [min: number, max: number, text: string] } = {
  in: [1, Infinity, "for 'in', 'notin' operators, values set can't be empty"],
  notin: [1, Infinity, "for 'in', 'notin' operators, values set can't be empty"],
  '=': [1, 1, 'exact-match compatibility requires one single value'],
  '==': [1, 1, 'exact-match compatibility requires one single value'],
  '!=': [1, 1, 'exact-match compatibility requires one single value'],
  gt: [1, 1, "for 'Gt', 'Lt' operators, exactly one value is required"],
  lt: [1, 1, "for 'Gt', 'Lt' operators, exactly one value is required"],
  exists: [0, 0, 'values set must be empty for exists and does not exist'],
  '!': [0, 0, 'values set must be empty for exists and does not exist'],
}

/** Validation error of a requirement; undefined: it is valid. */
export function requirementFault({ key, operator, values }: LabelRequirement): string | undefined {
  const errors = new FieldErrors()
  const keyFaults = qualifiedName(key)
  if (keyFaults.length > 0) errors.invalid(FieldPath.of('key'), key, keyFaults.join('; '))
  const path = FieldPath.of('values')
  const [min, max, text] = arity[operator]
  if (values.length < min || values.length > max) errors.invalid(path, [...values], text)
  for (const [index, value] of values.entries()) {
    if ((operator === 'gt' || operator === 'lt') && integer(value) === undefined)
      errors.invalid(path.index(index), value, "for 'Gt', 'Lt' operators, the value must be an integer")
    const faults = labelValue(value)
    if (faults.length > 0) errors.invalid(path.index(index).key(key), value, faults.join('; '))
  }
  if (errors.list.length === 0) return undefined
  const texts = [...new Set(errors.list.map(({ field, message }) => `${field}: ${message}`))]
  return texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
}

/** Compiles a requirement into a test of labels. Keys such as `constructor` are ordinary keys. */
export function requirementTest({ key, operator, values }: LabelRequirement): (labels: Labels) => boolean {
  const [only = ''] = values
  switch (operator) {
    case '=':
    case '==':
      return (labels) => Object.hasOwn(labels, key) && labels[key] === only
    case '!=':
      return (labels) => !Object.hasOwn(labels, key) || labels[key] !== only
    case 'in': {
      const allowed = new Set(values)
      return (labels) => Object.hasOwn(labels, key) && allowed.has(labels[key] as string)
    }
    case 'notin': {
      const refused = new Set(values)
      return (labels) => !Object.hasOwn(labels, key) || !refused.has(labels[key] as string)
    }
    case 'exists':
      return (labels) => Object.hasOwn(labels, key)
    case '!':
      return (labels) => !Object.hasOwn(labels, key)
    default:
      return comparison(key, operator, integer(only))
  }
}

function comparison(key: string, operator: 'gt' | 'lt', bound: bigint | undefined): (labels: Labels) => boolean {
  return (labels) => {
    const value = Object.hasOwn(labels, key) ? integer(labels[key] as string) : undefined
    if (value === undefined || bound === undefined) return false
    return operator === 'gt' ? value > bound : value < bound
  }
}

/** Formats a requirement: `tier in (back,front)`. */
export function requirementText({ key, operator, values }: LabelRequirement): string {
  const list = values.length > 1 ? [...values].sort().join(',') : (values[0] ?? '')
  switch (operator) {
    case 'exists':
      return key
    case '!':
      return `!${key}`
    case 'in':
    case 'notin':
      return `${key} ${operator} (${list})`
    case 'gt':
      return `${key}>${list}`
    case 'lt':
      return `${key}<${list}`
    default:
      return `${key}${operator}${list}`
  }
}
