import { badRequest } from '../answers/status.ts'
import type { FieldReader } from '../objects/storage/stored-object.ts'
import { hubOf } from '../resources/converter.ts'
import { type ApiObject, apiVersionOf, type Path, type ResourceDefinition } from '../resources/definition.ts'
import { clone } from '../schema/json/members.ts'
import { Name } from '../schema/json/scan.ts'
import type { Json } from '../schema/model.ts'

export interface FieldRequirement {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

/**
 * Parses a selector such as `status.phase!=Running,metadata.name=a`; `\`, `,` and `=` in values are escaped with `\`.
 * The result is sorted by the text of the terms. Throws BadRequest.
 */
export function parseFieldSelector(text: string): FieldRequirement[] {
  const found: FieldRequirement[] = []
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue
    const at = term.search(/!=|=/)
    if (at < 0) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`)
    const different = term[at] === '!'
    const start = at + (different || term[at + 1] === '=' ? 2 : 1)
    const [field, value] = [term.slice(0, at), unescaped(term.slice(start))]
    // As in the reference, a lone operator selects everything.
    if (field !== '' || value !== '') found.push({ field, operator: different ? '!=' : '=', value })
  }
  return found
}

function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === ',') {
      terms.push(text.slice(start, at))
      start = at + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

const escapable = '\\,='

function unescaped(value: string): string {
  let plain = ''
  const characters = [...value]
  for (let at = 0; at < characters.length; at++) {
    let character = characters[at] as string
    if (character === '\\') {
      const next = characters[++at] ?? ''
      if (next === '' || !escapable.includes(next)) throw badRequest(`invalid field selector: invalid escape sequence: \\${next}`)
      character = next
    } else if (character === ',' || character === '=')
      throw badRequest(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`)
    plain += character
  }
  return plain
}

/** Formats requirements; parsing the result gives equal ones. */
export function fieldSelectorText(requirements: readonly FieldRequirement[]): string {
  return requirements.map(({ field, operator, value }) => `${field}${operator}${value.replace(/[\\,=]/g, '\\$&')}`).join(',')
}

/** The value that a field must have, if any; other requirements may exclude it. */
export function exactField(requirements: readonly FieldRequirement[], field: string): string | undefined {
  return requirements.find((each) => each.operator === '=' && each.field === field)?.value
}

/** Reads a field of one object; equal names denote the same reader. */
export type FieldOf = (name: string, read: FieldReader) => string

/** The parts of a definition that selectors need. */
type Selectable = Pick<ResourceDefinition, 'selectable' | 'unselectable' | 'namespaced' | 'group' | 'version' | 'versioning'>

const metadataFields = ['metadata.name', 'metadata.namespace']

/**
 * Compiles requirements into a test of stored objects of one resource. Throws BadRequest for a field that is not selectable;
 * without selectable fields of its own, a resource has metadata.name and metadata.namespace.
 */
export function bindFieldSelector(requirements: readonly FieldRequirement[], definition: Selectable): (fieldOf: FieldOf) => boolean {
  const rules = new Map<string, FieldRule>()
  for (const { field, operator, value } of requirements) {
    let rule = rules.get(field)
    if (rule === undefined) {
      rule = { key: fieldKey(field, definition), read: fieldReader(field, definition), equals: new Set(), differs: new Set() }
      rules.set(field, rule)
    }
    const values = operator === '=' ? rule.equals : rule.differs
    values.add(value)
  }
  const all = [...rules.values()]
  return (fieldOf) => {
    for (const { key, read, equals, differs } of all) {
      const value = fieldOf(key, read)
      if (differs.has(value) || equals.size > 1 || (equals.size === 1 && !equals.has(value))) return false
    }
    return true
  }
}

/** Name for `FieldOf`: the same field name may mean another field in another version. */
export const fieldKey = (field: string, definition: Selectable): string =>
  hubOf(definition) ? `${apiVersionOf(definition)} ${field}` : field

/** All requirements on one field together: two different required values match nothing. */
interface FieldRule {
  /** Field name, with its version if the resource has several. */
  readonly key: string
  readonly read: FieldReader
  readonly equals: Set<string>
  readonly differs: Set<string>
}

/** The reader of a selectable field of the served version, for stored objects. Throws BadRequest for a field that is not selectable. */
export function fieldReader(field: string, definition: Selectable): FieldReader {
  const read = servedReader(field, definition)
  const hub = hubOf(definition)
  if (hub === undefined) return read
  const apiVersion = apiVersionOf(definition)
  // A conversion may change what it is given.
  return (object) => read(hub.converter.now(clone(object as Json) as ApiObject, apiVersion))
}

function servedReader(field: string, definition: Selectable): FieldReader {
  const { selectable, namespaced } = definition
  const own = selectable && Object.hasOwn(selectable, field) ? selectable[field] : undefined
  if (own !== undefined) return typeof own === 'string' ? pathReader(own) : own
  if (field === 'metadata.name' || (field === 'metadata.namespace' && (namespaced || !selectable))) return pathReader(`.${field}`)
  if (selectable) throw badRequest(definition.unselectable?.(field, apiVersionOf(definition)) ?? `field label not supported: ${field}`)
  throw badRequest(
    `${JSON.stringify(field)} is not a known field selector: only ${metadataFields.map((each) => JSON.stringify(each)).join(', ')}`,
  )
}

/** Reads the scalar at a path as text; empty when absent. */
export function pathReader(path: Path): FieldReader {
  const names = path.slice(1).split('.')
  const read = (object: ApiObject) => {
    let value: unknown = object
    for (const name of names) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return ''
      value = (value as { readonly [key: string]: unknown })[name]
    }
    return value === null || value === undefined || typeof value === 'object' ? '' : String(value)
  }
  return Object.assign(read, { path: names.map((name) => new Name(name)) })
}
