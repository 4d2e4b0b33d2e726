/** The annotation for `spec.behavior`: JSON with capitalized names, and null for unset members. */
import { isObject } from '../../../schema/json/is-object.ts'
import type { Json, JsonObject } from '../../../schema/model.ts'

const ruleNames = ['stabilizationWindowSeconds', 'selectPolicy', 'policies', 'tolerance']
const policyNames = ['type', 'value', 'periodSeconds']

const upper = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
function renamed(names: readonly string[], value: JsonObject, item: (value: Json) => Json = (each) => each): JsonObject {
  return Object.fromEntries(names.map((name) => [upper(name), item(value[name] ?? null)]))
}

const rulesText = (rules: Json | undefined): Json =>
  isObject(rules)
    ? renamed(ruleNames, rules, (value) =>
        Array.isArray(value) ? value.map((policy) => renamed(policyNames, policy as JsonObject)) : value,
      )
    : null

export function behaviorText({ scaleUp, scaleDown }: JsonObject): string {
  return JSON.stringify({ ScaleUp: rulesText(scaleUp), ScaleDown: rulesText(scaleDown) })
}

/** Converts names of any case to those of the schema; drops nulls. */
function restored(value: Json): Json {
  if (Array.isArray(value)) return value.map(restored)
  if (!isObject(value)) return value
  const known = new Map(['scaleUp', 'scaleDown', ...ruleNames, ...policyNames].map((name) => [name.toLowerCase(), name]))
  const members = Object.entries(value).flatMap(([name, member]) => {
    const own = known.get(name.toLowerCase())
    return own === undefined || member === null ? [] : [[own, restored(member)] as const]
  })
  return Object.fromEntries(members)
}

/** The behavior; undefined when absent or malformed. */
export function behaviorFromText(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined
  try {
    const value = restored(JSON.parse(text) as Json)
    return isObject(value) && Object.keys(value).length > 0 ? value : undefined
  } catch {
    return undefined
  }
}
