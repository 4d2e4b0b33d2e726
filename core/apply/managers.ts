/** Encodes and decodes `metadata.managedFields` (metav1.ManagedFieldsEntry). */
import type { Json, JsonObject } from '../schema/model.ts'
import type { FieldSet } from './field-set.ts'
import { decodeFields, encodeFields } from './fields-v1.ts'

export type Operation = 'Apply' | 'Update'

/** Identity of a manager. For operation Apply it does not include the version. */
export interface Identity {
  readonly manager: string
  readonly operation: Operation
  readonly apiVersion: string
  readonly subresource: string
}

export interface Manager extends Identity {
  readonly fields: FieldSet
  /** RFC 3339 in UTC with whole seconds. */
  readonly time: string | undefined
  /** What these fields, or those before a change, were encoded as: most updates leave the fields of all managers as they are. */
  encoded?: Encoded | undefined
}

interface Encoded {
  readonly fields: FieldSet
  readonly trie: JsonObject
}

/** Managers by identity. */
export type Managers = ReadonlyMap<string, Manager>

const plain = /^[\w./-]*$/
const quoted = (text: string) => (plain.test(text) ? `"${text}"` : JSON.stringify(text))

/** The identity as JSON text; conflicts are ordered by it. */
export function identityOf({ manager, operation, apiVersion, subresource }: Identity): string {
  let text = manager === '' ? '{' : `{"manager":${quoted(manager)},`
  text += `"operation":"${operation}"`
  if (operation === 'Update') text += `,"apiVersion":${quoted(apiVersion)}`
  if (subresource !== '') text += `,"subresource":${quoted(subresource)}`
  return `${text}}`
}

const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : '')

function decodeEntry(entry: JsonObject, index: number): Manager {
  const { operation, fieldsV1, time } = entry
  if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`')
  const apiVersion = textOf(entry['apiVersion'])
  if (apiVersion === '') throw new Error('apiVersion must not be empty')
  const fieldsType = textOf(entry['fieldsType'])
  if (fieldsType === '') throw new Error(`missing fieldsType in managed fields entry ${index}`)
  if (fieldsType !== 'FieldsV1') throw new Error(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`)
  return {
    manager: textOf(entry['manager']),
    operation,
    apiVersion,
    subresource: textOf(entry['subresource']),
    fields: decodeFields(fieldsV1 ?? {}),
    time: typeof time === 'string' ? time : undefined,
    encoded: undefined,
  }
}

/**
 * Managers of entries that were encoded or decoded before, which are never changed: a stored object shares them with the write of it. In a property
 * that printers and walkers don't see: a WeakMap with a key for each write takes collections of garbage longer than all work here.
 */
const meaning = Symbol('what entries of fields mean')

type Entries = readonly Json[] & { readonly [meaning]?: Managers }

function remember(entries: Entries, managers: Managers): void {
  if (Object.isExtensible(entries)) Object.defineProperty(entries, meaning, { value: managers })
}

/** Decodes entries, which may not be changed afterwards. Throws an Error for the first invalid one. */
export function decodeManagers(entries: Entries | undefined): Managers {
  const known = entries?.[meaning]
  if (known !== undefined) return known
  const managers = new Map<string, Manager>()
  entries?.forEach((entry, index) => {
    const manager = decodeEntry(entry as JsonObject, index)
    managers.set(identityOf(manager), manager)
  })
  if (entries) remember(entries, managers)
  return managers
}

/** Sorts by operation, then oldest first, then by name. RFC 3339 times in UTC sort as strings. */
function inOrder(a: Manager, b: Manager): number {
  return (
    compareTexts(a.operation, b.operation) ||
    compareTexts(a.time ?? '', b.time ?? '') ||
    compareTexts(a.manager, b.manager) ||
    compareTexts(a.apiVersion, b.apiVersion) ||
    compareTexts(a.subresource, b.subresource)
  )
}

const compareTexts = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1)

/** Written out member by member for speed: this runs with every write. */
function encodeEntry(of: Manager): JsonObject {
  const { manager, operation, apiVersion, time, fields, subresource } = of
  if (of.encoded?.fields !== fields) of.encoded = { fields, trie: encodeFields(fields) }
  const entry: JsonObject = {}
  if (manager !== '') entry['manager'] = manager
  entry['operation'] = operation
  entry['apiVersion'] = apiVersion
  if (time !== undefined) entry['time'] = time
  entry['fieldsType'] = 'FieldsV1'
  entry['fieldsV1'] = of.encoded.trie
  if (subresource !== '') entry['subresource'] = subresource
  return entry
}

/** The entries to store; undefined without managers. */
export function encodeManagers(managers: Managers): Json[] | undefined {
  if (managers.size === 0) return undefined
  const ordered = [...managers]
  if (ordered.length > 1) ordered.sort(([, a], [, b]) => inOrder(a, b))
  const entries = ordered.map(([, manager]) => encodeEntry(manager))
  remember(entries, ordered.length > 1 ? new Map(ordered) : managers)
  return entries
}
