/** Strategy of custom resources (reference: pkg/registry/customresource/strategy.go). */
import { applyDefaults } from '../../schema/defaults.ts'
import { validateEmbedded } from '../../schema/embedded.ts'
import { type FieldErrorReason, FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import type { HookContext, Json, JsonObject, Message } from '../../schema/model.ts'
import { validateListTypes } from '../../schema/openapi/list-types.ts'
import { validatePart } from '../../schema/validate.ts'
import type { ApiObject, Scale, Strategy } from '../definition.ts'
import { validateScaleSpec, validateScaleStatus } from './replicas.ts'
import { hasRules, validateRules } from './validate-validation.ts'

const builtInFinalizers: readonly string[] = ['orphan', 'foregroundDeletion']

function finalizerWarnings(name: string, known: readonly string[]): string[] {
  const start = `metadata.finalizers: ${JSON.stringify(name)}:`
  const warnings = formats.qualifiedName(name).map((problem) => `${start} ${problem}`)
  if (name.includes('/') || known.includes(name)) return warnings
  const path = name.includes('.') ? ' including a path (/)' : ''
  return [
    ...warnings,
    `${start} prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
  ]
}

function warnings(object: ApiObject, old: ApiObject | undefined, { platform }: HookContext): string[] {
  const before = new Set(old?.metadata.finalizers)
  const added = (object.metadata.finalizers ?? []).filter((name) => !before.has(name))
  return [...new Set(added)].sort().flatMap((name) => finalizerWarnings(name, [...builtInFinalizers, platform.finalizer]))
}

/** Adds the errors of sets and map lists, unless the stored object has such errors, too. */
function validateLists(schema: Message, object: Json, old: Json | undefined, errors: FieldErrors): void {
  const found = new FieldErrors()
  validateListTypes(schema, object, FieldPath.root, found)
  if (found.count === 0) return
  const before = new FieldErrors()
  if (old !== undefined) validateListTypes(schema, old, FieldPath.root, before)
  if (before.count === 0) errors.include(found)
}

/** Errors after which rules are not evaluated: wrong type or size, missing value, value not in the enum. */
const blocking = new Set<FieldErrorReason>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

function validateObjectRules(
  schema: Message,
  object: Json,
  old: Json | undefined,
  errors: FieldErrors,
  { warn, part, rules }: HookContext,
): void {
  if (errors.list.some(({ reason }) => blocking.has(reason))) {
    const detail =
      'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
    if (hasRules(schema)) errors.invalid(FieldPath.root, undefined, detail)
    return
  }
  validateRules(schema, object, old, FieldPath.root, errors, { root: true, warn: warn ?? (() => undefined), part, metrics: rules })
}

/** The strategy for objects of one version. */
export function objectStrategy(schema: Message, scale: Scale | undefined): Strategy {
  return {
    warnings,
    // A create drops the status after defaulting; when stored objects are read, the schema's default applies.
    completeCreate(object, context) {
      if (object['status'] !== undefined || schema.json.get('status')?.default === undefined) return undefined
      const complete = { ...object }
      applyDefaults(schema, complete as Json, context)
      return complete
    },
    validate(object, errors, context, old) {
      const value = object as JsonObject
      if (scale) {
        validateScaleSpec(scale, value, errors)
        validateScaleStatus(scale, value, errors)
      }
      validateEmbedded(schema, value, FieldPath.root, errors)
      validateLists(schema, value, old as JsonObject | undefined, errors)
      validateObjectRules(schema, value, old as JsonObject | undefined, errors, context)
    },
    validateStatus(object, old, errors, context) {
      const value = object as JsonObject
      const status = schema.json.get('status')?.schema
      if (status && object['status'] !== undefined) {
        validatePart(status, object['status'] as Json, FieldPath.of('status'), errors, old['status'] as Json | undefined)
      }
      if (scale) validateScaleStatus(scale, value, errors)
      validateLists(schema, value, old as JsonObject, errors)
      validateObjectRules(schema, value, old as JsonObject, errors, context)
    },
  }
}
