/**
 * Sequences of writes to one object of each kind: whole objects, patches of all types, applies of two managers, statuses, with absent, empty and
 * null values. What one write leaves must be what the next one finds. The choices are pseudo-random.
 */
import type { ResourceDefinition } from '../../../core/resources/definition.ts'
import type { Json, JsonObject, Schema } from '../../../core/schema/model.ts'
import { collectionPath } from '../../support/minimal-objects.ts'
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'
import { type Chooser, chooser } from '../inputs/chooser.ts'
import { type Node, nodesOf, TriedFields } from '../inputs/nodes.ts'
import { account, isNamedFreely, objectOf as minimalOf, pathOf, removes } from '../inputs/objects.ts'
import { plausible } from '../inputs/plausible.ts'
import { storedKinds, titleOf } from '../kinds.ts'

const sequences = 4
const writes = 12

const typed = (type: string) => ({ 'content-type': `application/${type}` })
const merge = typed('merge-patch+json')
const strategic = typed('strategic-merge-patch+json')
const json = typed('json-patch+json')
const applied = typed('apply-patch+yaml')

const zeros: { readonly [type: string]: Json } = { list: [], map: {}, message: {}, string: '', bool: false, int32: 0, int64: 0 }

/** What a place may hold. */
function valuesOf(schema: Schema, name: string): Json[] {
  const zero = zeros[schema.type]
  const usual = plausible(schema, name)
  const filled =
    schema.type === 'list' ? [plausible(schema.items, name)] : schema.type === 'map' ? { key: plausible(schema.values) } : usual
  return [...(zero === undefined ? [] : [zero]), null, usual, filled]
}

interface Subject {
  readonly definition: ResourceDefinition
  readonly object: JsonObject
  /** Places outside lists and maps, which patches reach by their path. */
  readonly reachable: readonly Node[]
  readonly places: readonly Node[]
  readonly status: readonly Node[]
}

const isReachable = ({ path }: Node) => path !== '' && !/[[{]/.test(path)
const stepsOf = ({ path }: Node) => path.split('.')
const nameAt = (node: Node) => stepsOf(node).at(-1) ?? ''
const nested = (node: Node, value: Json) => stepsOf(node).reduceRight<Json>((inner, step) => ({ [step]: inner }), value) as JsonObject

/**
 * Identity stays; other metadata is written, too. Scenes run side by side, and one object with `globalDefault` decides what others of its
 * kind may have, and what pods get.
 */
const isWritten = ({ path }: Node) =>
  !/^(kind|apiVersion|globalDefault|metadata(\.(name|namespace|generateName|uid|resourceVersion|finalizers|managedFields).*)?)?$/.test(path)

function subjectOf(definition: ResourceDefinition, name: string): Subject {
  const object = minimalOf(definition, name)
  const places = [...nodesOf(definition.schema, object, new TriedFields())].filter(isWritten)
  const status = definition.status ? [...nodesOf(definition.schema, object, new TriedFields(), (top) => top === 'status')] : []
  return { definition, object, places, reachable: places.filter(isReachable), status: status.filter(isReachable) }
}

/** Draws one write. `step`: number of the call that it becomes; the call before it reads the object. */
function write({ definition, object, places, reachable, status }: Subject, { below, pick }: Chooser, step: number): Call {
  const path = pathOf(definition, object)
  const labels = { metadata: { labels: { [pick(['a', 'b'])]: String(below(3)) } } }
  const valueAt = (node: Node) => pick(valuesOf(node.schema, nameAt(node)))
  const identity = { kind: object['kind'] as string, apiVersion: object['apiVersion'] as string }
  const metadata = { ...(object['metadata'] as JsonObject) }
  const whole = (body: JsonObject): JsonObject => ({
    ...body,
    metadata: { ...metadata, ...labels.metadata, resourceVersion: `{{${step - 1}.metadata.resourceVersion}}` },
  })
  const node = pick(reachable)
  const kinds: readonly (() => Call)[] = [
    () => {
      const place = pick(places)
      return send('PUT', path, whole(place.put(valueAt(place))))
    },
    () => send('PATCH', path, labels, pick([merge, definition.origin.strategicMerge ? strategic : merge])),
    () => send('PATCH', path, nested(node, valueAt(node)), merge),
    () => send('PATCH', path, nested(node, valueAt(node)), definition.origin.strategicMerge ? strategic : merge),
    () => send('PATCH', path, [{ op: 'add', path: `/${stepsOf(node).join('/')}`, value: valueAt(node) }], json),
    () => send('PATCH', path, [{ op: pick(['remove', 'test']), path: `/${stepsOf(node).join('/')}`, value: null }], json),
    () => apply(node.put(valueAt(node))),
    () => apply({ ...identity, metadata: { name: metadata['name'] as string }, ...nested(node, valueAt(node)) }),
    () => apply(object),
    ...(status.length === 0 ? [] : [() => ofStatus(pick(status)), () => ofStatus(pick(status))]),
  ]
  function apply(body: JsonObject): Call {
    const given = { ...body, ...identity, metadata: { ...metadata, ...labels.metadata } }
    return send('PATCH', `${path}?fieldManager=${pick(['one', 'two'])}&force=true`, given, applied)
  }
  function ofStatus(place: Node): Call {
    if (below(2) === 0) return send('PATCH', `${path}/status`, nested(place, valueAt(place)), merge)
    return send('PUT', `${path}/status`, whole({ ...object, ...nested(place, valueAt(place)) }))
  }
  return pick(kinds)()
}

/** Kinds whose objects restrict others of their namespace. */
const restricting = new Set(['LimitRange', 'ResourceQuota', 'PodDisruptionBudget'])

/** The request in a namespace of its own. */
const moved = (call: Call): Call => ({
  ...call,
  path: call.path.replace('/namespaces/default/', '/namespaces/sequences/'),
  ...(call.body !== undefined && { body: call.body.replaceAll('"namespace":"default"', '"namespace":"sequences"') }),
})

function* scenes(seed: number): Generator<Scene> {
  for (const [number, definition] of storedKinds.entries()) {
    if (!isNamedFreely(definition) || definition.specFinalizers) continue
    for (let sequence = 0; sequence < sequences; sequence++) {
      const choose = chooser(seed, number * sequences + sequence)
      const name = `sequence-${sequence}-${definition.version}-${definition.group.split('.', 1)[0] || 'core'}`
      const subject = subjectOf(definition, name)
      const first = choose.pick(subject.places)
      const given = valuesOf(first.schema, nameAt(first))
      const calls: Call[] = [
        send('POST', collectionPath(definition), {
          ...first.put(choose.pick(given)),
          metadata: subject.object['metadata'],
        }),
        send('POST', collectionPath(definition), subject.object),
      ]
      for (let count = 0; count < writes; count++) {
        calls.push(get(pathOf(definition, subject.object)))
        calls.push(write(subject, choose, calls.length))
      }
      const all = [...calls, ...removes(definition, name)]
      yield { kind: titleOf(definition), at: `sequence ${sequence}`, calls: restricting.has(definition.kind) ? all.map(moved) : all }
    }
  }
}

const apart: Call = send('POST', '/api/v1/namespaces', { metadata: { name: 'sequences' } })

export const writeSequences: Part = { name: 'sequences', before: () => [account, apart], scenes, seeded: true }
