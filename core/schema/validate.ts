/** Validates values against their schema: facets, required values, then the hooks of messages. */

import { validatorsOf } from './facets.ts'
import { FieldErrors } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import { equal } from './json/equal.ts'
import { givenEmpty } from './json/given-empty.ts'
import type { Field, HookContext, Json, JsonObject, Message, Schema } from './model.ts'
import { Correlation } from './openapi/correlation.ts'
import { shapeOf } from './openapi/shape.ts'
import { type OpenApiValidator, openapiValidator } from './openapi/validate.ts'
import { reaching } from './reaches.ts'
import { scalarRules } from './scalars.ts'

/** Validates a value that is set. */
type Visit = (value: Json, path: FieldPath, errors: FieldErrors, context: HookContext) => void

interface Member {
  readonly name: string
  readonly visit: Visit | undefined
  /** Absent or empty is an error. */
  readonly needed: boolean
}

interface Plan {
  readonly members: readonly Member[]
  /** Inlined messages first. */
  readonly hooks: readonly Message[]
}

/** Computed once per message; keyed by the immutable schema. */
const plans = new WeakMap<Message, Plan>()
const visitors = new WeakMap<Message, Visit>()

/** Facets that need no validation. */
const silent = new Set(['nullable', 'preserveUnknown', 'embeddedResource', 'openEnum', 'publishedEnum', 'declared'])
const needsValidation = reaching(
  (schema, field) =>
    field?.notEmpty === true ||
    Object.keys(schema.facets ?? {}).some((name) => !silent.has(name)) ||
    (schema.type === 'message' && (schema.validate ?? schema.validateFirst) !== undefined),
)

function visitorOf(schema: Schema): Visit | undefined {
  if (!needsValidation(schema) || (schema.type === 'message' && schema.byKind)) return undefined
  const validators = validatorsOf(schema)
  const parts = partsOf(schema)
  return (value, path, errors, context) => {
    if (value === null) return
    for (const each of validators) each(value, path, errors)
    parts?.(value, path, errors, context)
  }
}

function partsOf(schema: Schema): Visit | undefined {
  switch (schema.type) {
    case 'message':
      return (value, path, errors, context) => visitMessage(schema, value, path, errors, context)
    case 'list': {
      const visit = visitorOf(schema.items)
      return (
        visit &&
        ((value, path, errors, context) => {
          if (!Array.isArray(value)) return
          for (let i = 0; i < value.length && !errors.closed; i++) visit(value[i] as Json, path.index(i), errors, context)
        })
      )
    }
    case 'map': {
      const visit = visitorOf(schema.values)
      return (
        visit &&
        ((value, path, errors, context) => {
          if (typeof value !== 'object' || value === null) return
          for (const key in value) {
            if (errors.closed) return
            visit((value as JsonObject)[key] as Json, path.key(key), errors, context)
          }
        })
      )
    }
    default:
      return undefined
  }
}

function memberOf(name: string, field: Field): Member {
  return { name, visit: visitorOf(field.schema), needed: field.notEmpty === true }
}

function hooksOf(schema: Message): Message[] {
  const inlined = Object.values(schema.fields).flatMap((field) => (field.inline ? hooksOf(field.schema as Message) : []))
  return schema.validate ? [...inlined, schema] : inlined
}

function planOf(schema: Message): Plan {
  let plan = plans.get(schema)
  if (plan === undefined) {
    plan = {
      members: [...schema.json].map(([name, field]) => memberOf(name, field)).filter(({ visit, needed }) => visit || needed),
      hooks: hooksOf(schema),
    }
    plans.set(schema, plan)
  }
  return plan
}

const isEmpty = (value: Json) =>
  value === null || value === '' || (typeof value === 'object' && (Array.isArray(value) ? value : Object.keys(value)).length === 0)

function visitMessage(schema: Message, value: Json, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || errors.closed) return
  const { members, hooks } = planOf(schema)
  schema.validateFirst?.(value as never, path, errors, context)
  for (const { name, visit, needed } of members) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    if (needed && (member === undefined || isEmpty(member))) errors.required(path.child(name))
    else if (visit && member !== undefined) visit(member, path.child(name), errors, context)
  }
  if (hooks.length === 0) return
  errors.untilClosed(() => {
    for (const hook of hooks) hook.validate?.(value as never, path, errors, context)
  })
}

const openapiValidators = new WeakMap<Schema, OpenApiValidator>()

/** Most objects are valid: the stored object is only compared when there are errors. */
function openapiErrors(schema: Schema, value: Json, old: Json | undefined): FieldErrors {
  let validator = openapiValidators.get(schema)
  if (validator === undefined) {
    validator = openapiValidator(shapeOf(schema))
    openapiValidators.set(schema, validator)
  }
  const errors = new FieldErrors()
  validator(value, errors, undefined)
  if (errors.count === 0 || old === undefined) return errors
  const left = new FieldErrors()
  validator(value, left, new Correlation(schema, value, old))
  return left
}

/**
 * Validates a part of a custom resource. Error texts name fields relative to the part, as in the reference.
 * `old`: the stored part; errors of unchanged values are forgiven.
 */
export function validatePart(schema: Schema, value: Json, path: FieldPath, errors: FieldErrors, old?: Json): void {
  errors.include(openapiErrors(schema, value, old), (error) => ({ ...error, field: path.before(error.field) }))
}

/**
 * Validates a value: first its fields, then the hooks of its message. `old`: the stored value, for custom
 * resources, where errors of unchanged parts are forgiven.
 */
export function validate(schema: Message, value: Json, path: FieldPath, errors: FieldErrors, context: HookContext, old?: Json): void {
  if (schema.open) {
    validatePart(schema, value, path, errors, old)
    return
  }
  let visit = visitors.get(schema)
  if (visit === undefined) {
    visit = visitorOf(schema) ?? (() => undefined)
    visitors.set(schema, visit)
  }
  visit(value, path, errors, context)
}

const hasImmutable = reaching((_, field) => field?.immutable === true)

function itemBy(keys: readonly string[], items: readonly Json[], item: JsonObject): Json | undefined {
  return items.find((old) => keys.every((key) => equal((old as JsonObject)[key], item[key])))
}

function compare(schema: Schema, value: Json, old: Json, path: FieldPath, errors: FieldErrors): void {
  if (!hasImmutable(schema)) return
  if (schema.type === 'message') validateImmutable(schema, value as JsonObject, old as JsonObject, path, errors)
  if (schema.type === 'list' && schema.keys && Array.isArray(value) && Array.isArray(old)) {
    const keys = schema.keys
    value.forEach((item, index) => {
      const before = itemBy(keys, old, item as JsonObject)
      if (before !== undefined) compare(schema.items, item, before, path.index(index), errors)
    })
  }
  if (schema.type === 'map') {
    for (const [key, item] of Object.entries(value as JsonObject)) {
      if (Object.hasOwn(old as JsonObject, key)) compare(schema.values, item, (old as JsonObject)[key] as Json, path.key(key), errors)
    }
  }
}

/** The value that errors show for an absent field. */
function unset({ pointer, schema }: Field): Json | undefined {
  if (pointer) return undefined
  if (schema.type === 'message') return {}
  return schema.type === 'list' || schema.type === 'map' || schema.type === 'any' ? null : scalarRules[schema.type].zero
}

/** Adds `field is immutable` for each immutable field that an update sets, changes or removes. */
export function validateImmutable(schema: Message, value: JsonObject, old: JsonObject, path: FieldPath, errors: FieldErrors): void {
  if (!hasImmutable(schema)) return
  for (const [name, field] of schema.json) {
    const now = value[name]
    const before = old[name]
    if (field.immutable) {
      if (!equal(now, before)) errors.invalid(path.child(name), now ?? givenEmpty(value, name) ?? unset(field), 'field is immutable')
    } else if (now !== undefined && now !== null && before !== undefined && before !== null) {
      compare(field.schema, now, before, path.child(name), errors)
    }
  }
}
