/**
 * Types as field ownership sees them: which values are owned as a whole (atomic) and which part by part (KEP-555, 'merge strategy').
 * An atom allows a scalar, a list or a map, or several of them where the schema allows any value.
 */
import { once } from '../common/once.ts'
import type { Field, Json, List, MapOf, Message, Scalar, Schema } from '../schema/model.ts'
import { scalarRules } from '../schema/scalars.ts'
import { type Element, fieldElement, nameOf } from './element.ts'

export interface ListAtom {
  /** Identity of items. `set`: their value; `map`: their `keys`. */
  readonly relation: 'atomic' | 'set' | 'map'
  readonly keys: readonly string[]
  /** The keys in path element order, each with the JSON text in front of its value. */
  readonly keyTexts: readonly (readonly [key: string, text: string])[]
  /** Default of a key that an item leaves out. */
  readonly defaults: (key: string) => Json | undefined
  readonly items: () => Atom
}

/** A declared field of a message. */
export interface Member {
  readonly atom: Atom
  readonly element: Element
  /** Its position among the declared fields in the order of elements. */
  readonly rank: number
}

export interface MapAtom {
  readonly atomic: boolean
  /** The type of a declared field. */
  readonly field: (name: string) => Atom | undefined
  /** A declared field; absent: there are none. */
  readonly member?: (name: string) => Member | undefined
  /** As `field`, by path element. */
  readonly named: (element: Element) => Atom | undefined
  /** The path element of a member. */
  readonly element: (name: string) => Element
  /** The type of undeclared keys; absent: none are allowed. */
  readonly others: (() => Atom) | undefined
  /** True when values of all members have unknown types. */
  readonly free: boolean
}

export interface Atom {
  readonly scalar?: 'numeric' | 'string' | 'boolean' | 'untyped'
  readonly list?: ListAtom
  readonly map?: MapAtom
  /** Set when several kinds of value are allowed: the atom of each. */
  readonly only?: { readonly scalar: Atom; readonly list: Atom; readonly map: Atom }
}

const none = () => undefined

function anything(atomic: boolean): Atom {
  const list: ListAtom = { relation: 'atomic', keys: [], keyTexts: [], defaults: none, items: () => untyped }
  const map: MapAtom = {
    atomic,
    field: none,
    named: none,
    element: fieldElement,
    others: () => (atomic ? untyped : deduced),
    free: !atomic,
  }
  return { scalar: 'untyped', list, map, only: { scalar: { scalar: 'untyped' }, list: { list }, map: { map } } }
}

/** Any value, atomic. */
const untyped = anything(true)
/** Any value; objects are owned member by member. */
const deduced = anything(false)

/** The part of an atom that applies to the value's kind; the whole atom for null and for kinds that are not allowed. */
export function deduce(atom: Atom, value: Json | undefined): Atom {
  if (atom.only === undefined || value === undefined || value === null) return atom
  if (typeof value !== 'object') return atom.only.scalar
  return Array.isArray(value) ? atom.only.list : atom.only.map
}

const scalars: { readonly [type in Scalar['type']]: Atom } = {
  string: { scalar: 'string' },
  bytes: { scalar: 'string' },
  duration: { scalar: 'string' },
  bool: { scalar: 'boolean' },
  int32: { scalar: 'numeric' },
  int64: { scalar: 'numeric' },
  double: { scalar: 'numeric' },
  time: { scalar: 'untyped' },
  microTime: { scalar: 'untyped' },
  quantity: { scalar: 'untyped' },
  intOrString: { scalar: 'untyped' },
}

/** Context of a schema. */
interface Within {
  /** In an open message. */
  readonly open: boolean
  /** x-kubernetes-preserve-unknown-fields is in effect. */
  readonly preserve: boolean
}

/** A string in a custom resource with a format other than byte is treated as any scalar (schemaconv of the OpenAPI library). */
const isUntyped = ({ type, facets }: Scalar) => type === 'string' && facets?.format !== undefined && facets.format !== 'byte'

interface Merge {
  readonly relation: ListAtom['relation']
  readonly keys: readonly string[]
}

/** Merge strategy of a list: its list type, or else the patch strategy of its field. */
function mergeOf({ listType, keys }: List, field: Field | undefined): Merge {
  if (listType !== undefined) return { relation: listType, keys: listType === 'map' ? (keys ?? []) : [] }
  if (!field?.patchStrategy?.startsWith('merge')) return { relation: 'atomic', keys: [] }
  const { patchMergeKey } = field
  return patchMergeKey === undefined ? { relation: 'set', keys: [] } : { relation: 'map', keys: [patchMergeKey] }
}

/** The value that an absent key has; those of built-in messages that can't be unset are zero, as OpenAPI publishes them. */
function keyDefault(items: Schema, key: string): Json | undefined {
  if (items.type !== 'message') return undefined
  const field = items.json.get(key)
  if (field === undefined || items.open) return field?.default
  return field.default ?? (field.pointer || field.omitEmpty ? undefined : zeroOf(field.schema))
}

const zeroOf = ({ type }: Schema): Json | undefined =>
  type === 'message' || type === 'list' || type === 'map' || type === 'any' ? undefined : scalarRules[type].zero

function listAtom(schema: List, field: Field | undefined, within: Within): Atom {
  const { relation, keys } = mergeOf(schema, field)
  const defaults = (key: string) => keyDefault(schema.items, key)
  const keyTexts = [...keys].sort().map((key) => [key, `${JSON.stringify(key)}:`] as const)
  return { list: { relation, keys, keyTexts, defaults, items: once(() => atomOf(schema.items, undefined, within)) } }
}

function mapAtom(schema: MapOf, within: Within): Atom {
  const others = once(() => atomOf(schema.values, undefined, within))
  return { map: { atomic: schema.atomic === true, field: none, named: none, element: fieldElement, others, free: false } }
}

const typeMeta = new Set(['kind', 'apiVersion'])
const free = () => deduced

function messageAtom(schema: Message, preserve: boolean, root: boolean): Atom {
  const within = schema.open === true
  const inner = { open: within, preserve: (preserve && within) || schema.facets?.preserveUnknown === true }
  const hasTypeMeta = root || schema.typeMeta === true
  /** Fields by name, so that each atom and element is created once. */
  const known = new Map<string, Member>()
  const byElement = new Map<Element, Atom>()
  const ranks = once(() => {
    const names = [...new Set([...schema.json.keys(), ...(hasTypeMeta ? typeMeta : [])])].sort()
    return new Map(names.map((name, rank) => [name, rank]))
  })
  const member = (name: string): Member | undefined => {
    const found = known.get(name)
    if (found !== undefined) return found
    const declared = schema.json.get(name)
    const atom = declared ? atomOf(declared.schema, declared, inner) : hasTypeMeta && typeMeta.has(name) ? scalars.string : undefined
    if (atom === undefined) return undefined
    const made = { atom, element: fieldElement(name), rank: ranks().get(name) ?? 0 }
    known.set(name, made)
    byElement.set(made.element, atom)
    return made
  }
  const field = (name: string) => member(name)?.atom
  const named = (element: Element) => byElement.get(element) ?? field(nameOf(element) ?? '')
  const element = (name: string) => known.get(name)?.element ?? fieldElement(name)
  const { additional } = schema
  const open = inner.preserve || (schema.json.size === 0 && !hasTypeMeta)
  const others = additional ? once(() => atomOf(additional, undefined, inner)) : open ? free : undefined
  return { map: { atomic: schema.atomic === true, field, member, named, element, others, free: others === free && schema.json.size === 0 } }
}

/** Computed once per message; keyed by the immutable schema. */
const atoms = new WeakMap<Message, Atom>()
const preserving = new WeakMap<Message, Atom>()
const roots = new WeakMap<Message, Atom>()

function memoized(cache: WeakMap<Message, Atom>, schema: Message, make: () => Atom): Atom {
  let atom = cache.get(schema)
  if (atom === undefined) {
    atom = make()
    cache.set(schema, atom)
  }
  return atom
}

function atomOf(schema: Schema, field: Field | undefined, within: Within): Atom {
  const { open, preserve } = within
  switch (schema.type) {
    case 'message':
      return memoized(preserve ? preserving : atoms, schema, () => messageAtom(schema, preserve, false))
    case 'list':
      return listAtom(schema, field, within)
    case 'map':
      return mapAtom(schema, within)
    case 'any':
      return preserve || schema.facets?.preserveUnknown ? deduced : untyped
    default:
      return open && isUntyped(schema) ? scalars.time : scalars[schema.type]
  }
}

/** The atom of whole objects. */
export function objectAtom(schema: Message): Atom {
  return memoized(roots, schema, () => messageAtom(schema, false, true))
}
