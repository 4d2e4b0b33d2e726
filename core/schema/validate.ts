/** Validation from the schema: facets, what may not be empty, then the hooks of messages. */
import { equal } from './equal.ts'
import { type Check, checksOf, type Dialect, duplicateCheck } from './facets.ts'
import type { FieldErrors } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import type { Field, HookContext, Json, JsonObject, Message, Schema } from './model.ts'
import { typeCheck } from './openapi-types.ts'
import { reaching } from './reaches.ts'
import { scalarRules } from './scalars.ts'

/** Returns after adding what is wrong with a value that is set. */
type Visit = (value: Json, path: FieldPath, errors: FieldErrors, context: HookContext) => void

interface Member {
  readonly name: string
  readonly visit: Visit | undefined
  /** The error of an absent value, if it is one. */
  readonly needed: 'value' | 'key' | undefined
}

interface Plan {
  readonly members: readonly Member[]
  readonly others: Visit | undefined
  /** Inlined messages first. */
  readonly hooks: readonly Message[]
}

/** Worked out once per message; keyed by the immutable schema. */
const plans = new WeakMap<Message, Plan>()
const visitors = new WeakMap<Message, Visit>()

/** Facets that are not about the value itself. */
const silent = new Set(['nullable', 'preserveUnknown', 'embeddedResource', 'openEnum'])
const hasChecks = reaching(
  (schema, field) =>
    field?.notEmpty === true ||
    Object.keys(schema.facets ?? {}).some((name) => !silent.has(name)) ||
    (schema.type === 'message' && (schema.validate !== undefined || schema.dialect === 'openapi')),
)

function visitorOf(schema: Schema, dialect: Dialect): Visit | undefined {
  const own = dialect === 'openapi' || hasChecks(schema)
  if (!own) return undefined
  const isType = dialect === 'openapi' ? typeCheck(schema) : undefined
  const checks = checksOf(schema, dialect)
  const parts = partsOf(schema, dialect)
  const duplicates: Check | undefined = dialect === 'openapi' && schema.type === 'list' ? duplicateCheck(schema) : undefined
  return (value, path, errors, context) => {
    if (isType && !isType(value, path, errors)) return
    if (value === null) return
    for (const check of checks) check(value, path, errors)
    parts?.(value, path, errors, context)
    duplicates?.(value, path, errors)
  }
}

function partsOf(schema: Schema, dialect: Dialect): Visit | undefined {
  switch (schema.type) {
    case 'message':
      return (value, path, errors, context) => visitMessage(schema, value, path, errors, context)
    case 'list': {
      const visit = visitorOf(schema.items, dialect)
      return (
        visit &&
        ((value, path, errors, context) => {
          if (Array.isArray(value)) for (let i = 0; i < value.length; i++) visit(value[i] as Json, path.index(i), errors, context)
        })
      )
    }
    case 'map': {
      const visit = visitorOf(schema.values, dialect)
      return (
        visit &&
        ((value, path, errors, context) => {
          if (typeof value !== 'object' || value === null) return
          for (const [key, item] of Object.entries(value)) visit(item, memberPath(path, key, dialect), errors, context)
        })
      )
    }
    default:
      return undefined
  }
}

/** A key of a map: `limits[cpu]`, or as an OpenAPI validator names it `limits.cpu`. */
const memberPath = (path: FieldPath, key: string, dialect: Dialect) => (dialect === 'openapi' ? path.child(key) : path.key(key))

function memberOf(name: string, field: Field, dialect: Dialect): Member {
  const needed = field.notEmpty ? 'value' : dialect === 'openapi' && field.required ? 'key' : undefined
  return { name, visit: visitorOf(field.schema, dialect), needed }
}

function hooksOf(schema: Message): Message[] {
  const inlined = Object.values(schema.fields).flatMap((field) => (field.inline ? hooksOf(field.schema as Message) : []))
  return schema.validate ? [...inlined, schema] : inlined
}

function planOf(schema: Message): Plan {
  let plan = plans.get(schema)
  if (plan === undefined) {
    const dialect = schema.dialect ?? 'typed'
    plan = {
      members: [...schema.json].map(([name, field]) => memberOf(name, field, dialect)).filter(({ visit, needed }) => visit || needed),
      others: schema.additional && visitorOf(schema.additional, dialect),
      hooks: hooksOf(schema),
    }
    plans.set(schema, plan)
  }
  return plan
}

const isEmpty = (value: Json) =>
  value === null || value === '' || (typeof value === 'object' && (Array.isArray(value) ? value : Object.keys(value)).length === 0)

function visitMessage(schema: Message, value: Json, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const { members, others, hooks } = planOf(schema)
  for (const { name, visit, needed } of members) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    if (needed && (member === undefined || (needed === 'value' && isEmpty(member)))) errors.required(path.child(name))
    else if (visit && member !== undefined) visit(member, path.child(name), errors, context)
  }
  if (others) {
    for (const key of Object.keys(value)) {
      if (!schema.json.has(key)) others(value[key] as Json, path.child(key), errors, context)
    }
  }
  for (const hook of hooks) hook.validate?.(value as never, path, errors, context)
}

/** Adds all errors of a value: of its parts first, then those that the hooks of its message find. */
export function validate(schema: Message, value: Json, path: FieldPath, errors: FieldErrors, context: HookContext): void {
  let visit = visitors.get(schema)
  if (visit === undefined) {
    visit = visitorOf(schema, schema.dialect ?? 'typed') ?? (() => undefined)
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

/** What errors show in place of a value that is not there. */
function unset({ pointer, schema }: Field): Json | undefined {
  if (pointer) return undefined
  if (schema.type === 'message') return {}
  return schema.type === 'list' || schema.type === 'map' || schema.type === 'any' ? null : scalarRules[schema.type].zero
}

/** Adds `field is immutable` for each field marked immutable that an update sets, changes or removes. */
export function validateImmutable(schema: Message, value: JsonObject, old: JsonObject, path: FieldPath, errors: FieldErrors): void {
  if (!hasImmutable(schema)) return
  for (const [name, field] of schema.json) {
    const now = value[name]
    const before = old[name]
    if (field.immutable) {
      if (!equal(now, before)) errors.invalid(path.child(name), now ?? unset(field), 'field is immutable')
    } else if (now !== undefined && now !== null && before !== undefined && before !== null) {
      compare(field.schema, now, before, path.child(name), errors)
    }
  }
}
