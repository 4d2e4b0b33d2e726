/** Applies defaults in place: field defaults of a message, then its hook (maps have only that), then its children. */
import { clone, set } from './json/members.ts'
import type { Field, HookContext, Json, JsonObject, Message, Schema } from './model.ts'
import { reaching } from './reaches.ts'
import { scalarRules } from './scalars.ts'

type Apply = (value: Json, context: HookContext) => void

interface Plan {
  readonly defaults: readonly {
    readonly name: string
    readonly value: Json
    readonly replaces: Json | undefined
    readonly nullable: boolean
  }[]
  readonly hook: Message['defaults']
  readonly children: readonly { readonly name: string; readonly apply: Apply }[]
  readonly inlined: readonly Apply[]
  readonly others: { readonly fill: Fill; readonly fields: ReadonlyMap<string, Field> } | undefined
}

/** Replaces null, or applies defaults to the value; returns the result. */
type Fill = (value: Json, context: HookContext) => Json

/** Computed once per message; keyed by the immutable schema. */
const plans = new WeakMap<Message, Plan>()

/** The zero value that counts as unset, for scalars that can't distinguish the two. */
function replaced(field: Field): Json | undefined {
  const { type } = field.schema
  if (field.pointer || type === 'message' || type === 'list' || type === 'map' || type === 'any') return undefined
  const rules = scalarRules[type]
  return type === 'bytes' ? '' : rules.omitsZero ? rules.zero : undefined
}

/** Whether a schema or anything below it has defaults. */
export const hasDefaults = reaching(
  (schema, field) =>
    field?.default !== undefined ||
    schema.facets?.nullDefault !== undefined ||
    ((schema.type === 'message' || schema.type === 'map') && schema.defaults !== undefined),
)

/** Applies defaults to list items or map values. */
function fillOf(schema: Schema): Fill {
  const apply = applierOf(schema)
  const replacement = schema.facets?.nullable ? undefined : schema.facets?.nullDefault
  return (value, context) => {
    const present = value === null && replacement !== undefined ? clone(replacement) : value
    apply?.(present, context)
    return present
  }
}

function applierOf(schema: Schema): Apply | undefined {
  if (!hasDefaults(schema)) return undefined
  switch (schema.type) {
    case 'message':
      return (value, context) => applyTo(schema, value, context)
    case 'list': {
      const fill = fillOf(schema.items)
      return (value, context) => {
        if (!Array.isArray(value)) return
        for (let i = 0; i < value.length; i++) {
          const item = value[i] as Json
          const filled = fill(item, context)
          if (filled !== item) value[i] = filled
        }
      }
    }
    case 'map': {
      const { defaults } = schema
      const values = applierOf(schema.values)
      return (value, context) => {
        if (typeof value !== 'object' || value === null || Array.isArray(value)) return
        defaults?.(value)
        if (values) for (const item of Object.values(value)) values(item as Json, context)
      }
    }
    default:
      return undefined
  }
}

/** A default that is left out like an unset field: written, it would have an owner. */
const isOmitted = ({ pointer, omitEmpty }: Field, value: Json) => !pointer && omitEmpty && (value === 0 || value === '' || value === false)

function planOf(schema: Message): Plan {
  const known = plans.get(schema)
  if (known) return known
  const own = Object.entries(schema.fields).filter(([, field]) => !field.inline)
  const inlined = Object.values(schema.fields).filter((field) => field.inline)
  const others = schema.additional && hasDefaults(schema.additional) ? fillOf(schema.additional) : undefined
  const plan: Plan = {
    defaults: own.flatMap(([name, field]) =>
      field.default === undefined || isOmitted(field, field.default)
        ? []
        : [{ name, value: field.default, replaces: replaced(field), nullable: field.schema.facets?.nullable === true }],
    ),
    hook: schema.defaults?.bind(schema),
    children: own.flatMap(([name, field]) => {
      const apply = applierOf(field.schema)
      return apply ? [{ name, apply }] : []
    }),
    inlined: inlined.flatMap((field) => applierOf(field.schema) ?? []),
    others: others && { fill: others, fields: schema.json },
  }
  plans.set(schema, plan)
  return plan
}

function applyTo(schema: Message, given: Json, context: HookContext, known?: JsonObject): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return
  const object: JsonObject = given
  const { defaults, hook, children, inlined, others } = planOf(schema)
  for (const { name, value, replaces, nullable } of defaults) {
    const current = Object.hasOwn(object, name) ? object[name] : undefined
    if (current === undefined || (current === null && !nullable) || current === replaces) set(object, name, clone(value))
  }
  hook?.(object as never, context)
  for (const apply of inlined) apply(object, context)
  for (const { name, apply } of children) {
    const child = Object.hasOwn(object, name) ? object[name] : undefined
    if (child !== undefined && (known === undefined || child !== known[name])) apply(child, context)
  }
  if (!others) return
  for (const key of Object.keys(object)) if (!others.fields.has(key)) set(object, key, others.fill(object[key] as Json, context))
}

/**
 * Applies the schema's defaults to a decoded object, in place. A default is used when the field is unset, and for a non-pointer
 * scalar also when it is zero. Parts of the schema without defaults are not visited, nor fields that the object shares with `known`, which has its
 * defaults.
 */
export function applyDefaults(schema: Message, value: Json, context: HookContext, known?: JsonObject): void {
  applyTo(schema, value, context, known)
}
