/** A small schema with each kind of ownership, and writes on it. */

import { type Atom, objectAtom } from '../../../core/apply/atom.ts'
import { fieldSet } from '../../../core/apply/field-set.ts'
import { applyManaged, checkApply, updateManaged, type Writing } from '../../../core/apply/ownership.ts'
import { createPlatform } from '../../../core/platform.ts'
import { ObjectMeta } from '../../../core/resources/meta/objectmeta.ts'
import { any, field, int32, type Json, type JsonObject, list, map, message, string } from '../../../core/schema/model.ts'
import fc from '../../support/fast-check.ts'

const Port = message('Port', '', {
  number: field(1, int32, ''),
  protocol: field(2, string, '', { default: 'TCP' }),
  name: field(3, string, ''),
})
const Part = message('Part', '', { x: field(1, int32, ''), y: field(2, string, '') })
const AtomicPart = message('AtomicPart', '', { x: field(1, int32, ''), y: field(2, string, '') }).with({ atomic: true })
const Spec = message('Spec', '', {
  replicas: field(1, int32, ''),
  text: field(2, string, ''),
  labels: field(3, map(string), ''),
  selector: field(4, map(string, { atomic: true }), ''),
  ports: field(5, list(Port, { listType: 'map', keys: ['number', 'protocol'] }), ''),
  tags: field(6, list(string, { listType: 'set' }), ''),
  args: field(7, list(string, { listType: 'atomic' }), ''),
  part: field(8, Part, '', { omitZero: true }),
  whole: field(9, AtomicPart, '', { omitZero: true }),
  raw: field(10, any, '', { omitZero: true }),
  merged: field(11, list(Part), '', { patchStrategy: 'merge', patchMergeKey: 'y' }),
})
const Thing = message('Thing', '', {
  metadata: field(1, ObjectMeta, ''),
  spec: field(2, Spec, ''),
  status: field(3, Part, '', { omitZero: true }),
})

export const atom: Atom = objectAtom(Thing)
export const specAtom = atom.map?.field('spec') as Atom

const text = fc.constantFrom('a', 'b', 'c')
const uniquePorts = fc.uniqueArray(
  fc.record(
    { number: fc.integer({ min: 1, max: 4 }), protocol: fc.constantFrom('TCP', 'UDP'), name: text },
    { requiredKeys: ['number'], noNullPrototype: true },
  ),
  { selector: ({ number, protocol = 'TCP' }) => `${number}/${protocol}`, maxLength: 4 },
)
/** Values of `Spec` without duplicate items. */
export const specs = fc.record(
  {
    replicas: fc.integer({ min: 0, max: 3 }),
    text,
    labels: fc.dictionary(text, text, { noNullPrototype: true }),
    selector: fc.dictionary(text, text, { noNullPrototype: true }),
    ports: uniquePorts,
    tags: fc.uniqueArray(text),
    args: fc.array(text, { maxLength: 3 }),
    part: fc.record({ x: fc.integer({ min: 0, max: 2 }), y: text }, { requiredKeys: [], noNullPrototype: true }),
    whole: fc.record({ x: fc.integer({ min: 0, max: 2 }), y: text }, { requiredKeys: [], noNullPrototype: true }),
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<JsonObject>

export const isEmpty = (value: Json) => typeof value === 'object' && value !== null && Object.keys(value).length === 0
/** The same without empty lists and maps, which are leaves themselves. */
export const filled = specs.map((spec) => Object.fromEntries(Object.entries(spec).filter(([, value]) => !isEmpty(value))) as JsonObject)

export const start = Date.UTC(2026, 0, 2, 3, 4, 5)

export function writing(manager: string, options: Partial<Writing> = {}): Writing {
  return {
    platform: createPlatform('kubernetes'),
    apiVersion: 'v1',
    kind: 'Thing',
    subresource: '',
    manager,
    now: () => start,
    reset: options.subresource === 'status' ? fieldSet(['spec']) : fieldSet(['status']),
    blank: { kind: 'Thing', apiVersion: 'v1', metadata: {}, spec: {} },
    versions: { atom: (version) => (version === 'v1' ? atom : undefined), convert: (object) => object },
    ...options,
  }
}

export const thing = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'web', ...metadata },
  spec,
})

/** Both halves of an apply. */
export const applyWhole = (by: Writing, live: JsonObject | undefined, applied: JsonObject, force: boolean): JsonObject =>
  applyManaged(by, checkApply(by, live, applied), force)

/** The live object after an apply, as the server would store it. */
export function applied(by: Writing, live: JsonObject | undefined, spec: JsonObject, force = false): JsonObject {
  return stored(applyWhole(by, live, thing(spec), force))
}

/** The live object after an update. */
export function updated(by: Writing, live: JsonObject | undefined, object: JsonObject): JsonObject {
  const managedFields = updateManaged(by, live, object)
  const { managedFields: _, ...metadata } = object['metadata'] as JsonObject
  return stored({ ...object, metadata: { ...metadata, ...(managedFields && { managedFields }) } })
}

const stored = (object: JsonObject) => ({ ...object, metadata: { ...(object['metadata'] as JsonObject), uid: 'u' } })

/** `manager operation[ subresource]: fields` of each entry. */
export function owners(object: JsonObject): { [who: string]: unknown } {
  const entries = ((object['metadata'] as JsonObject)['managedFields'] ?? []) as JsonObject[]
  return Object.fromEntries(
    entries.map(({ manager, operation, subresource, fieldsV1 }) => [
      `${manager} ${operation}${subresource ? ` ${subresource}` : ''}`,
      fieldsV1,
    ]),
  )
}
