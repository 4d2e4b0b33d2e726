/** Fields with feature gates: dropped while their gate is off, unless the stored object uses them. */
import { dropGivenEmpty, givenEmpty } from './json/given-empty.ts'
import type { Field, Gated, Json, JsonObject, Message, Schema } from './model.ts'
import { reaching } from './reaches.ts'

/** Whether a feature gate is on. */
export type Enabled = (gate: string) => boolean

/** Removes a use of a gate. Returns whether the value changed: an empty list or map equals an absent one. */
type Remove = () => boolean
/** Called for every use of a gate. */
type Found = (gate: string, remove: Remove) => void
type Visit = (value: Json, found: Found) => void

interface Member {
  readonly name: string
  readonly gate: string | undefined
  readonly visit: Visit | undefined
}

/** Computed once per message; keyed by the immutable schema. */
const plans = new WeakMap<Message, readonly Member[]>()

/** Whether there are defaults that a feature gate may take away before an object is stored: reading it brings them back. */
export const hasGatedDefaults = reaching((_schema, field) => field?.gate !== undefined && field.default !== undefined)

const hasGates = reaching((schema, field) => field?.gate !== undefined || (schema.type === 'message' && schema.gated !== undefined))

function visitorOf(schema: Schema): Visit | undefined {
  if (!hasGates(schema)) return undefined
  switch (schema.type) {
    case 'message':
      return (value, found) => visitMessage(schema, value, found)
    case 'list':
    case 'map': {
      const visit = visitorOf(schema.type === 'list' ? schema.items : schema.values)
      return (value, found) => {
        if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) visit?.(item, found)
      }
    }
    default:
      return undefined
  }
}

function memberOf([name, field]: readonly [string, Field]): Member[] {
  const visit = visitorOf(field.schema)
  return field.gate === undefined && visit === undefined ? [] : [{ name, gate: field.gate, visit }]
}

function forgetEmpty(value: JsonObject, name: string): false {
  dropGivenEmpty(value, name)
  return false
}

/** `shared`: an object whose parts are not visited where the value has the same ones. */
function visitMessage(schema: Message, value: Json, found: Found, shared?: JsonObject): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  let members = plans.get(schema)
  if (members === undefined) {
    members = [...schema.json].flatMap(memberOf)
    plans.set(schema, members)
  }
  for (const { name, gate, visit } of members) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    if (member === undefined || member === null) {
      // Validation tells an empty list from none: a disabled field is neither.
      if (gate !== undefined && givenEmpty(value, name) !== undefined) found(gate, () => forgetEmpty(value, name))
      continue
    }
    if (typeof member === 'object' && shared?.[name] === member) continue
    if (gate !== undefined) found(gate, () => delete value[name])
    visit?.(member, found)
  }
  for (const { gate, uses, drop } of (schema.gated ?? []) as readonly Gated<JsonObject>[])
    if (uses(value))
      found(gate, () => {
        drop(value)
        return true
      })
}

/**
 * Removes fields with a disabled gate, in place. If `old` uses a gate anywhere, its fields are kept, so that updates by old
 * clients lose nothing. Returns whether that changed the object.
 */
export function dropDisabled(schema: Message, object: JsonObject, old: JsonObject | undefined, enabled: Enabled): boolean {
  if (!hasGates(schema)) return false
  const isOff = (gate: string) => !gate.split(',').every(enabled)
  const uses: (readonly [gate: string, remove: Remove])[] = []
  // The stored object uses the gates of what both share.
  const note = (gate: string, remove: Remove) => {
    if (isOff(gate)) uses.push([gate, remove])
  }
  visitMessage(schema, object, note, old)
  if (uses.length === 0) return false
  const used = new Set<string>()
  if (old) visitMessage(schema, old, (gate) => used.add(gate))
  return uses
    .filter(([gate]) => !used.has(gate))
    .map(([, remove]) => remove())
    .includes(true)
}
