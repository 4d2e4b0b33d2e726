/** Fields of a custom resource's scale: replicas and selector (reference: pkg/registry/customresource/validator.go). */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { get } from '../../schema/json/members.ts'
import { printJson } from '../../schema/json/text.ts'
import type { Json, JsonObject } from '../../schema/model.ts'
import type { Scale } from '../definition.ts'

const maxReplicas = 2 ** 31 - 1

function typeName(value: Json): string {
  if (typeof value === 'bigint') return 'int64'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'boolean' ? 'bool' : 'string'
}

/** Value and type in the reference's error format. */
function described(value: Json): string {
  if (value === null) return '<nil> is of the type <nil>'
  if (Array.isArray(value)) return `${printJson(value)} is of the type []interface {}`
  if (typeof value === 'object') return `${printJson(value)} is of the type map[string]interface {}`
  const type = typeName(value)
  return `${String(value)} is of the type ${type}`
}

interface Found {
  readonly value?: Json
  readonly problem?: string
}

/** The value at a path; an error when a parent is not an object. */
function find(object: JsonObject, path: string): Found {
  const names = path.replace(/^\./, '').split('.')
  let value: Json = object
  for (const [index, name] of names.entries()) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { problem: `.${names.slice(0, index).join('.')} accessor error: ${described(value)}, expected map[string]interface{}` }
    }
    const next = get(value, name)
    if (next === undefined) return {}
    value = next
  }
  return { value }
}

function validateNumber(object: JsonObject, path: string, errors: FieldErrors): void {
  const at = FieldPath.of(path)
  const { value = 0, problem } = find(object, path)
  if (problem !== undefined) errors.invalid(at, 0, problem)
  else if (typeof value !== 'bigint' && !Number.isInteger(value)) {
    errors.invalid(at, 0, `.${path.replace(/^\./, '')} accessor error: ${described(value)}, expected int64`)
  } else if ((value as number) < 0) errors.invalid(at, value, 'should be a non-negative integer')
  else if ((value as number) > maxReplicas) errors.invalid(at, value, `should be less than or equal to ${maxReplicas}`)
}

/** Validates the desired number of replicas. */
export function validateScaleSpec({ specReplicas }: Scale, object: JsonObject, errors: FieldErrors): void {
  validateNumber(object, specReplicas, errors)
}

/** Validates the observed number of replicas, and the selector. */
export function validateScaleStatus({ statusReplicas, selector }: Scale, object: JsonObject, errors: FieldErrors): void {
  validateNumber(object, statusReplicas, errors)
  if (selector === undefined) return
  const { value = '', problem } = find(object, selector)
  const detail = problem ?? (typeof value === 'string' ? undefined : `${selector} accessor error: ${described(value)}, expected string`)
  if (detail !== undefined) errors.invalid(FieldPath.of(selector), '', detail)
}
