import { eachInSlices, type Slices, sortInSlices } from '../../common/slices.ts'
import { equal } from '../../schema/json/equal.ts'
import { isObject } from '../../schema/json/is-object.ts'
import { get, set } from '../../schema/json/members.ts'
import type { Json, JsonObject } from '../../schema/model.ts'

/** The Swagger document of one source. Its depth, and the values of each path and definition, are bounded. */
export interface NamedSwagger {
  readonly name: string
  readonly document: JsonObject
}

const kindsKey = 'x-kubernetes-group-version-kind'
const shared = ['definitions', 'parameters'] as const
const sections = ['paths', ...shared] as const

/** Members of each section, by name. */
type Sections = { readonly [section in (typeof sections)[number]]: Map<string, Json> }

const sectionOf = (document: JsonObject, name: string): JsonObject => {
  const section = get(document, name)
  return isObject(section) ? section : {}
}

const none = (): Sections => ({ paths: new Map(), definitions: new Map(), parameters: new Map() })

/**
 * One Swagger document from several, as the reference merges those of aggregated servers: a path is that of the first document that has it,
 * together with the definitions and parameters that it refers to. One with a name that stands for something else already is renamed,
 * `NAME_v2` and so on. A document that can't be merged is left out; `leftOut` gets its name and the error.
 */
export async function mergeSwagger(
  documents: readonly [NamedSwagger, ...NamedSwagger[]],
  slices: Slices,
  leftOut: (name: string, error: unknown) => void,
): Promise<JsonObject> {
  const [{ document: first }, ...others] = documents
  if (others.length === 0) return first
  const merged = none()
  for (const section of sections)
    await eachInSlices(Object.entries(sectionOf(first, section)), slices, ([name, value]) => void merged[section].set(name, value))
  for (const { name, document } of others) {
    try {
      await add(await referred(document, merged.paths, slices), merged, slices)
    } catch (error) {
      leftOut(name, error)
    }
  }
  const result: JsonObject = { ...first }
  for (const section of sections) result[section] = await sorted(merged[section], slices)
  return result
}

async function sorted(section: ReadonlyMap<string, Json>, slices: Slices): Promise<JsonObject> {
  const object: JsonObject = {}
  const entries = await sortInSlices([...section], ([a], [b]) => (a < b ? -1 : 1), slices)
  await eachInSlices(entries, slices, ([name, value]) => set(object, name, value))
  return object
}

/** Calls `refer` with each reference in a value. */
function eachReference(value: Json, refer: (reference: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, own] of Object.entries(value)) {
    if (key === '$ref' && typeof own === 'string') refer(own)
    else eachReference(own, refer)
  }
}

/** Where a reference of a document leads. */
function targetOf(reference: string): { readonly section: (typeof shared)[number]; readonly name: string } | undefined {
  for (const section of shared) {
    const prefix = `#/${section}/`
    if (reference.startsWith(prefix)) return { section, name: reference.slice(prefix.length) }
  }
  return undefined
}

/** The paths that are not among the known ones, and what they refer to, which may refer to itself. */
async function referred(document: JsonObject, known: ReadonlyMap<string, Json>, slices: Slices): Promise<Sections> {
  const found = none()
  const waiting: Json[] = []
  const refer = (reference: string) => {
    const { section, name } = targetOf(reference) ?? {}
    if (section === undefined || name === undefined || found[section].has(name)) return
    const value = get(sectionOf(document, section), name)
    if (value === undefined) return
    found[section].set(name, value)
    waiting.push(value)
  }
  await eachInSlices(Object.entries(sectionOf(document, 'paths')), slices, ([path, item]) => {
    if (known.has(path)) return
    found.paths.set(path, item)
    eachReference(item, refer)
  })
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (slices.over) await slices.next()
    eachReference(value, refer)
  }
  return found
}

/** Adds a source to what is merged, all or nothing. */
async function add(source: Sections, merged: Sections, slices: Slices): Promise<void> {
  /** New references, by the old ones. */
  const renamed = new Map<string, string>()
  for (const section of shared) {
    for (const [name, value] of source[section]) {
      const found = await nameFor(name, value, source[section], merged[section], slices)
      if (found !== name) renamed.set(`#/${section}/${name}`, `#/${section}/${found}`)
    }
  }
  const added: (readonly [target: Map<string, Json>, name: string, value: Json])[] = []
  for (const section of sections) {
    await eachInSlices([...source[section]], slices, ([name, value]) => {
      const own = targetOf(renamed.get(`#/${section}/${name}`) ?? '')?.name ?? name
      const existing = merged[section].get(own)
      added.push([merged[section], own, existing === undefined ? withReferences(value, renamed) : withKinds(existing, value)])
    })
  }
  await eachInSlices(added, slices, ([target, name, value]) => void target.set(name, value))
}

/** The value with other references; the same one if there are none. */
function withReferences(value: Json, renamed: ReadonlyMap<string, string>): Json {
  if (renamed.size === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withReferences(item, renamed))
  const copy: JsonObject = {}
  for (const [key, own] of Object.entries(value))
    set(copy, key, key === '$ref' && typeof own === 'string' ? (renamed.get(own) ?? own) : withReferences(own, renamed))
  return copy
}

/** The first of `NAME`, `NAME_v2`, … that is free, also in the source, or that stands for an equal value. */
async function nameFor(
  name: string,
  value: Json,
  source: ReadonlyMap<string, Json>,
  taken: ReadonlyMap<string, Json>,
  slices: Slices,
): Promise<string> {
  const own = withoutKinds(value)
  for (let number = 1; ; number++) {
    if (slices.over) await slices.next()
    const candidate = number === 1 ? name : `${name}_v${number}`
    const existing = taken.get(candidate)
    const isFree = existing === undefined && (number === 1 || !source.has(candidate))
    if (isFree || (existing !== undefined && equal(withoutKinds(existing), own))) return candidate
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

const kindText = (kind: Json) => (isObject(kind) ? JSON.stringify([kind['group'], kind['version'], kind['kind']]) : '')

/** A definition with the kinds of both. */
function withKinds(existing: Json, value: Json): Json {
  const kinds = kindsOf(existing)
  const known = new Set(kinds.map(kindText))
  const more = kindsOf(value).filter((kind) => !known.has(kindText(kind)))
  return isObject(existing) && more.length > 0 ? { ...existing, [kindsKey]: [...kinds, ...more] } : existing
}
