import { equal } from '../../schema/equal.ts'
import { isObject } from '../../schema/is-object.ts'
import type { Json, JsonObject } from '../../schema/model.ts'

const kindsKey = 'x-kubernetes-group-version-kind'
const shared = ['definitions', 'parameters'] as const

interface Sections {
  readonly paths: JsonObject
  readonly definitions: JsonObject
  readonly parameters: JsonObject
}

const sectionOf = (document: JsonObject, name: keyof Sections): JsonObject => {
  const section = document[name]
  return isObject(section) ? section : {}
}

const sorted = (section: JsonObject): JsonObject => Object.fromEntries(Object.entries(section).sort(([a], [b]) => (a < b ? -1 : 1)))

/**
 * One Swagger document from several, as the reference merges those of aggregated servers: a path is that of the first document that has it,
 * together with the definitions and parameters that it refers to. One with a name that stands for something else already is renamed,
 * `NAME_v2` and so on.
 */
export function mergeSwagger(documents: readonly [JsonObject, ...JsonObject[]]): JsonObject {
  const [first, ...others] = documents
  if (others.length === 0) return first
  const merged = {
    paths: { ...sectionOf(first, 'paths') },
    definitions: { ...sectionOf(first, 'definitions') },
    parameters: { ...sectionOf(first, 'parameters') },
  }
  for (const document of others) {
    const copy = createCopy(document, merged)
    for (const [path, item] of Object.entries(sectionOf(document, 'paths'))) merged.paths[path] ??= copy(item)
  }
  return { ...first, paths: sorted(merged.paths), definitions: sorted(merged.definitions), parameters: sorted(merged.parameters) }
}

/** Copies values of a document, and what they refer to. */
function createCopy(document: JsonObject, merged: Sections): (value: Json) => Json {
  const copied = new Map<string, string>()

  function refer(reference: string): string {
    const known = copied.get(reference)
    if (known !== undefined) return known
    const section = shared.find((name) => reference.startsWith(`#/${name}/`))
    const name = reference.slice(reference.lastIndexOf('/') + 1)
    const value = section && sectionOf(document, section)[name]
    if (section === undefined || value === undefined) return reference
    const target = merged[section]
    const found = nameFor(name, value, target)
    const renamed = `#/${section}/${found}`
    copied.set(reference, renamed)
    // The name is taken before what is inside is copied, which may refer to it.
    const existing = target[found]
    target[found] ??= {}
    target[found] = existing === undefined ? copy(value) : withKinds(existing, value)
    return renamed
  }

  function copy(value: Json): Json {
    if (Array.isArray(value)) return value.map(copy)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, own]) => [key, key === '$ref' && typeof own === 'string' ? refer(own) : copy(own)]),
    )
  }

  return copy
}

/** The first of `NAME`, `NAME_v2`, … that is free or stands for an equal value. */
function nameFor(name: string, value: Json, taken: JsonObject): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}_v${number}`
    const existing = taken[candidate]
    if (existing === undefined || equal(withoutKinds(existing), withoutKinds(value))) return candidate
  }
}

const kindsOf = (value: Json): readonly Json[] => {
  const kinds = isObject(value) ? value[kindsKey] : undefined
  return Array.isArray(kinds) ? kinds : []
}

function withoutKinds(value: Json): Json {
  if (!isObject(value)) return value
  const { [kindsKey]: _kinds, ...rest } = value
  return rest
}

/** A definition with the kinds of both. */
function withKinds(existing: Json, value: Json): Json {
  const kinds = kindsOf(existing)
  const more = kindsOf(value).filter((kind) => !kinds.some((known) => equal(known, kind)))
  return isObject(existing) && more.length > 0 ? { ...existing, [kindsKey]: [...kinds, ...more] } : existing
}
