/**
 * TypeScript declarations of all built-in kinds, printed from the schema: what may be written, and what is there when it is read. The build writes
 * them into the package (library.mjs); the entry `fetch-apiserver/testing` finds the types of an object there by its apiVersion and kind.
 */
import { createPlatform } from '../core/platform.ts'
import type { ResourceDefinition } from '../core/resources/definition.ts'
import { groupVersions } from '../core/resources/group-versions.ts'
import type { Field, Message, Scalar, ScalarType, Schema } from '../core/schema/model.ts'

/** The forms of an object. A message that is the same in both is declared in the first one only. */
type Form = 'written' | 'stored'

const jsonTypes: { readonly [type in ScalarType]: string } = {
  string: 'string',
  bool: 'boolean',
  int32: 'number',
  int64: 'number',
  double: 'number',
  bytes: 'string',
  time: 'string',
  microTime: 'string',
  duration: 'string',
  quantity: 'string',
  intOrString: 'number | string',
}

/** Quantities may be written as numbers; the server stores them as text. */
const writtenTypes: { readonly [type in ScalarType]?: string } = { quantity: 'number | string' }

/** Editors offer the known texts; a type that allows no others would refuse every text that is not a constant. */
function scalarType({ type, facets }: Scalar, form: Form): string {
  const base = (form === 'written' ? writtenTypes[type] : undefined) ?? jsonTypes[type]
  const known = facets?.enum ?? facets?.openEnum ?? facets?.publishedEnum
  if (type !== 'string' || known === undefined || known.length === 0) return base
  return `${known.map((value) => JSON.stringify(value)).join(' | ')} | (string & {})`
}

const pascal = (text: string) => text.replaceAll(/(?:^|[^a-zA-Z0-9])([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase())

const comment = (text: string, indent: string) => (text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`)

/** A default that JSON does not omit as a zero value. */
const isWrittenDefault = ({ default: value, pointer }: Field) => value !== undefined && (pointer || Boolean(value))

/** Whether a field is in every object that is read: required, with a constant default, or a message that Go writes even when it is empty. */
const isAlwaysRead = (field: Field) =>
  field.required ||
  (field.gate === undefined && (isWrittenDefault(field) || (field.schema.type === 'message' && !field.pointer && !field.omitZero)))

const nilTypes: readonly Schema['type'][] = ['list', 'map', 'bytes']
const timeTypes: readonly Schema['type'][] = ['time', 'microTime']

/** Whether an object that is read may have null there: what Go writes even when it is nil, and unset times. Validation refuses that for required fields. */
const mayBeNull = ({ required, omitEmpty, omitZero, pointer, schema: { type } }: Field) =>
  !required && ((!omitEmpty && (pointer || nilTypes.includes(type))) || (!pointer && !omitZero && timeTypes.includes(type)))

class Declarations {
  /** Names by fields: a message that is narrowed for one field shares them with the original. */
  readonly #names = new Map<Message['fields'], string>()
  readonly #messages = new Map<string, Message>()
  readonly #differing = new Map<string, boolean>()

  /** The type of a schema in a form. `place` is the group and version that declares it, for names that several messages have. */
  type(schema: Schema, form: Form, place: string): string {
    if (schema.type === 'any') return 'unknown'
    if (schema.type === 'list') return `Array<${this.#nullable(schema.items, form, place)}>`
    if (schema.type === 'map') return `{ [key: string]: ${this.#nullable(schema.values, form, place)} }`
    if (schema.type !== 'message') return scalarType(schema, form)
    const name = this.#name(schema, place)
    return form === 'stored' && !this.#differs(schema, place) ? `written.${name}` : name
  }

  #nullable(schema: Schema, form: Form, place: string): string {
    return `${this.type(schema, form, place)}${schema.facets?.nullable ? ' | null' : ''}`
  }

  #name(message: Message, place: string): string {
    const known = this.#names.get(message.fields)
    if (known !== undefined) return known
    const name = this.#messages.has(message.name) ? `${place}${message.name}` : message.name
    if (this.#messages.has(name)) throw new Error(`two messages are called ${name}`)
    this.#names.set(message.fields, name)
    this.#messages.set(name, message)
    // What it refers to gets a name in the same place.
    for (const { schema } of message.json.values()) this.type(schema, 'written', place)
    return name
  }

  /** Whether what is read differs in type from what is written. A message that contains itself does so only if something else in it does. */
  #differs(message: Message, place: string): boolean {
    const name = this.#name(message, place)
    const known = this.#differing.get(name)
    if (known !== undefined) return known
    this.#differing.set(name, false)
    const differs = [...message.json.values()].some(
      (field) => (isAlwaysRead(field) && !field.required) || this.#schemaDiffers(field.schema, place),
    )
    this.#differing.set(name, differs)
    return differs
  }

  #schemaDiffers(schema: Schema, place: string): boolean {
    if (schema.type === 'list') return this.#schemaDiffers(schema.items, place)
    if (schema.type === 'map') return this.#schemaDiffers(schema.values, place)
    if (schema.type === 'message') return this.#differs(schema, place)
    return schema.type !== 'any' && writtenTypes[schema.type] !== undefined
  }

  #declaration(name: string, message: Message, form: Form): string {
    const members = [...message.json].map(([key, field]) => {
      const present = form === 'stored' ? isAlwaysRead(field) : field.required
      const type = this.#nullable(field.schema, form, '') + (mayBeNull(field) ? ' | null' : '')
      const property = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)
      return `${comment(field.doc, '  ')}  ${property}${present ? `: ${type}` : `?: ${type} | undefined`}\n`
    })
    return `${comment(message.doc, ' ')} interface ${name} {\n${members.join('')} }\n`
  }

  /** Both namespaces, with every message that a type was asked for. */
  text(): string {
    const written = [...this.#messages].map(([name, message]) => this.#declaration(name, message, 'written'))
    const differing = [...this.#messages].filter(([, message]) => this.#differs(message, ''))
    const stored = differing.map(([name, message]) => this.#declaration(name, message, 'stored'))
    return `declare namespace written {\n${written.join('')}}\ndeclare namespace stored {\n${stored.join('')}}\n`
  }
}

const qualified = (type: string, form: Form) => (type.startsWith('written.') ? type : `${form}.${type}`)

/** The row of a kind in the table of all kinds. */
function row(types: Declarations, { kind, schema, status, namespaced }: ResourceDefinition, apiVersion: string, place: string): string {
  const read = qualified(types.type(schema, 'stored', place), 'stored')
  const hasMetadata = schema.json.has('metadata')
  const identity = `{ apiVersion: '${apiVersion}'; kind: '${kind}'${hasMetadata ? `; metadata: ${namespaced ? 'NamespacedMeta' : 'StoredMeta'}` : ''} }`
  const given = types.type(schema, 'written', place)
  const settable = status && schema.json.has('status') ? `Omit<written.${given}, 'status'>` : `written.${given}`
  return `${comment(schema.doc, '    ')}    ${kind}: { written: Head<'${apiVersion}', '${kind}'> & ${settable}; stored: ${identity} & Omit<${read}, 'metadata'> }\n`
}

/** The declarations as the text of a module that exports `Kinds`: the types of a kind by apiVersion and name. */
export function kindTypes(): string {
  const platform = createPlatform('kubernetes')
  const types = new Declarations()
  const rows = new Map<string, string[]>()
  for (const { group, version, definitions } of groupVersions) {
    const apiVersion = [platform.name(group), version].filter(Boolean).join('/')
    const place = pascal(`${group.replace(/\.?<domain>/, '') || 'core'}.${version}`)
    const own = definitions.map((definition) => row(types, definition, apiVersion, place))
    if (own.length > 0) rows.set(apiVersion, [...(rows.get(apiVersion) ?? []), ...own])
  }
  const meta = `/** Metadata of an object that is stored. */
type StoredMeta = stored.ObjectMeta & { name: string; uid: string; resourceVersion: string; creationTimestamp: string }
type NamespacedMeta = StoredMeta & { namespace: string }
/** A body may say what it is; the client adds it otherwise. */
interface Head<V extends string, K extends string> {
  apiVersion?: V
  kind?: K
}
`.replace('stored.ObjectMeta', qualified(types.type(metaOf(), 'stored', 'MetaV1'), 'stored'))
  const table = [...rows].map(([apiVersion, lines]) => `  '${apiVersion}': {\n${lines.join('')}  }\n`)
  return `/** Types of the objects of all built-in kinds, by apiVersion and kind: what may be written, and what is there when it is read. */
export interface Kinds {
${table.join('')}}
${meta}${types.text()}`
}

/** The message of metadata, which all kinds share. */
function metaOf(): Message {
  const [{ schema } = { schema: undefined }] = groupVersions
    .flatMap(({ definitions }) => definitions)
    .filter(({ kind }) => kind === 'ConfigMap')
  const metadata = schema?.json.get('metadata')?.schema
  if (metadata?.type !== 'message') throw new Error('objects have no metadata')
  return metadata
}
