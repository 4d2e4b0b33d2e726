/** Writes through `/status` and `/scale` of a stored object of every kind that has them, as dry runs. */
import type { ResourceDefinition } from '../../../core/resources/definition.ts'
import { get, type Part, type Scene, send } from '../exchange.ts'
import { changesOf } from '../inputs/changes.ts'
import { nodesOf, TriedFields } from '../inputs/nodes.ts'
import { account, makes, objectOf, pathOf, removes } from '../inputs/objects.ts'
import { plausible } from '../inputs/plausible.ts'
import { storedKinds, titleOf } from '../kinds.ts'

const name = 'reported'
const ownChanges = 12
const repeatedChanges = 3
const kinds = storedKinds.filter(({ status, scale }) => status || scale)
const patchTypes = ['application/merge-patch+json', 'application/strategic-merge-patch+json', 'application/apply-patch+yaml']

function* scenes(): Generator<Scene> {
  const seen = new TriedFields()
  for (const definition of kinds) {
    if (definition.status) yield* statusScenes(definition, seen)
    if (definition.scale) yield* scaleScenes(definition)
  }
}

function* statusScenes(definition: ResourceDefinition, seen: TriedFields): Generator<Scene> {
  const kind = titleOf(definition)
  const base = objectOf(definition, name)
  const path = `${pathOf(definition, base)}/status`
  yield { kind, at: 'status: read', calls: [get(path)] }
  for (const node of nodesOf(definition.schema, base, seen, (each) => each === 'status')) {
    if (node.path === '') continue
    const last =
      node.path
        .replaceAll(/\[\]|\{\}/g, '')
        .split('.')
        .at(-1) ?? ''
    for (const [what, value] of changesOf(node.schema, node.field, last).slice(0, node.seen ? repeatedChanges : ownChanges))
      yield { kind, at: `${node.path}: ${what}`, calls: [send('PUT', `${path}?dryRun=All`, node.put(value))] }
    if (node.seen) continue
    for (const type of patchTypes)
      yield {
        kind,
        at: `${node.path}: ${type}`,
        calls: [send('PATCH', `${path}?dryRun=All&fieldManager=other`, node.put(plausible(node.schema, last)), { 'content-type': type })],
      }
  }
  // What a write of the status must leave: metadata and spec.
  for (const [what, metadata] of Object.entries({
    labels: { labels: { a: 'b' } },
    annotations: { annotations: { a: 'b' } },
    finalizers: { finalizers: ['example.com/x'] },
    'owner references': { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'x' }] },
    'another name': { name: 'other' },
    'another revision': { resourceVersion: '1' },
    'another uid': { uid: 'x' },
  }))
    yield {
      kind,
      at: `metadata: ${what}`,
      calls: [send('PUT', `${path}?dryRun=All`, { ...base, metadata: { ...(base['metadata'] as object), ...metadata } })],
    }
  yield { kind, at: 'spec: left out', calls: [send('PUT', `${path}?dryRun=All`, { ...base, spec: undefined })] }
}

const replicas = [0, 1, 5, -1, 2_147_483_648, '1', null, 1.5]

function* scaleScenes(definition: ResourceDefinition): Generator<Scene> {
  const kind = titleOf(definition)
  const path = `${pathOf(definition, objectOf(definition, name))}/scale`
  const scale = { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name, namespace: 'default' } }
  const dry = `${path}?dryRun=All&fieldManager=other`
  yield { kind, at: 'scale: read', calls: [get(path)] }
  for (const each of replicas) {
    yield { kind, at: `scale: PUT ${each}`, calls: [send('PUT', dry, { ...scale, spec: { replicas: each } })] }
    for (const type of patchTypes)
      yield {
        kind,
        at: `scale: ${type} ${each}`,
        calls: [send('PATCH', dry, { ...scale, spec: { replicas: each } }, { 'content-type': type })],
      }
    yield {
      kind,
      at: `scale: JSON patch ${each}`,
      calls: [
        send('PATCH', dry, [{ op: 'replace', path: '/spec/replicas', value: each }], { 'content-type': 'application/json-patch+json' }),
      ],
    }
  }
  for (const body of [
    {},
    { ...scale, metadata: { name: 'other' } },
    { ...scale, metadata: {} },
    { ...scale, apiVersion: 'v1' },
    { ...scale, kind: 'Deployment' },
    { ...scale, metadata: { ...scale.metadata, resourceVersion: '1' } },
    { ...scale, metadata: { ...scale.metadata, uid: 'x' } },
    { ...scale, status: { replicas: 3 } },
  ])
    yield { kind, at: `scale: PUT ${JSON.stringify(body)}`, calls: [send('PUT', dry, body)] }
  yield { kind, at: 'scale: DELETE', calls: [{ method: 'DELETE', path: dry }] }
}

export const status: Part = {
  name: 'status',
  before: () => [account, ...kinds.flatMap((definition) => makes(definition, name))],
  scenes,
  after: () => kinds.flatMap((definition) => removes(definition, name)),
}
