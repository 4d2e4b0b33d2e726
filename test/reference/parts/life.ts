/** Lives of objects of every kind: applied by several managers, updated, deleted with every option. These write. */
import type { ResourceDefinition } from '../../../core/resources/definition.ts'
import { collectionPath } from '../../support/minimal-objects.ts'
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'
import { account, isNamedFreely, nameOf, harmlessObjectOf as objectOf, pathOf, removes } from '../inputs/objects.ts'
import { storedKinds, titleOf } from '../kinds.ts'

const kinds = storedKinds.filter((definition) => isNamedFreely(definition) && !definition.specFinalizers)

/** Kinds that share their objects with another one, such as an older version: scenes of both run at the same time. */
const sharing = (definition: ResourceDefinition) =>
  kinds.some(
    (other) => other !== definition && other.storageKey === definition.storageKey && other.names.plural === definition.names.plural,
  )

/** The name of a scene's object, of its own in every version of a kind. */
const own = (definition: ResourceDefinition, name: string) =>
  sharing(definition) ? `${name}-${[definition.version, definition.group || 'core'].join('-').split('.', 1)[0]}` : name

const applied = { 'content-type': 'application/apply-patch+yaml' }
const merge = { 'content-type': 'application/merge-patch+json' }

function* scenes(): Generator<Scene> {
  for (const definition of kinds) {
    const kind = titleOf(definition)
    yield { kind, at: 'ownership', calls: ownership(definition) }
    yield { kind, at: 'finalizers', calls: finalizers(definition) }
    yield { kind, at: 'preconditions', calls: preconditions(definition) }
    yield { kind, at: 'updates', calls: updates(definition) }
    yield* deletes(definition)
    yield { kind, at: 'collection', calls: collection(definition) }
  }
}

function ownership(definition: ResourceDefinition): Call[] {
  const name = own(definition, 'owned')
  const object = objectOf(definition, name)
  const path = pathOf(definition, object)
  const labelled = (labels: object) => ({ ...object, metadata: { ...(object['metadata'] as object), labels } })
  const bare = { kind: object['kind'], apiVersion: object['apiVersion'], metadata: { name } }
  const apply = (manager: string, body: object, force = '') => send('PATCH', `${path}?fieldManager=${manager}${force}`, body, applied)
  return [
    apply('one', labelled({ a: '1', b: '1' })),
    apply('one', labelled({ a: '1', b: '1' })),
    apply('two', labelled({ a: '1', b: '1' })),
    apply('two', labelled({ a: '2', b: '2' })),
    apply('two', labelled({ a: '2' }), '&force=true'),
    apply('one', labelled({ b: '1' })),
    send('PATCH', `${path}?fieldManager=three`, { metadata: { labels: { a: '3' } } }, merge),
    apply('two', labelled({ a: '2' })),
    apply('two', bare),
    apply('one', bare),
    apply('one', { ...bare, metadata: { name, managedFields: [{ manager: 'x', operation: 'Apply' }] } }),
    apply('one', { ...bare, metadata: { name, uid: 'x' } }),
    apply('one', { ...bare, metadata: { name, resourceVersion: '1' } }),
    send('PATCH', `${path}?fieldManager=four`, { metadata: { managedFields: null } }, merge),
    send('PATCH', `${path}?fieldManager=four`, { metadata: { managedFields: [{}] } }, merge),
    apply('five', labelled({ a: '5' })),
    get(path),
    ...removes(definition, name),
  ]
}

function finalizers(definition: ResourceDefinition): Call[] {
  const name = own(definition, 'held')
  const object = objectOf(definition, name)
  const path = pathOf(definition, object)
  const held = { ...object, metadata: { ...(object['metadata'] as object), finalizers: ['example.com/hold'] } }
  return [
    send('POST', collectionPath(definition), held),
    { method: 'DELETE', path },
    { method: 'DELETE', path },
    get(path),
    send('POST', collectionPath(definition), held),
    send('PATCH', path, { metadata: { finalizers: ['example.com/hold', 'example.com/more'] } }, merge),
    send('PATCH', path, { metadata: { deletionTimestamp: null } }, merge),
    send('PATCH', path, { metadata: { labels: { a: 'b' } } }, merge),
    send('DELETE', path, { propagationPolicy: 'Foreground' }),
    send('PATCH', path, { metadata: { finalizers: null } }, merge),
    get(path),
    ...removes(definition, name),
  ]
}

function preconditions(definition: ResourceDefinition): Call[] {
  const name = own(definition, 'guarded')
  const object = objectOf(definition, name)
  const path = pathOf(definition, object)
  const meta = object['metadata'] as object
  return [
    send('POST', collectionPath(definition), object),
    send('POST', collectionPath(definition), object),
    send('DELETE', path, { preconditions: { uid: 'x' } }),
    send('DELETE', path, { preconditions: { resourceVersion: '1' } }),
    send('PUT', path, { ...object, metadata: { ...meta, uid: 'x' } }),
    send('PUT', path, { ...object, metadata: { ...meta, resourceVersion: '1' } }),
    send('PUT', path, { ...object, metadata: { ...meta, resourceVersion: '{{0.metadata.resourceVersion}}' } }),
    send('PATCH', path, { metadata: { resourceVersion: '1', labels: { a: 'b' } } }, merge),
    send('PATCH', path, { metadata: { uid: 'x', labels: { a: 'b' } } }, merge),
    send('DELETE', path, { preconditions: { uid: '{{0.metadata.uid}}' } }),
    { method: 'DELETE', path },
    ...removes(definition, name),
  ]
}

function updates(definition: ResourceDefinition): Call[] {
  const name = own(definition, 'changed')
  const object = objectOf(definition, name)
  const path = pathOf(definition, object)
  const meta = object['metadata'] as object
  return [
    send('PUT', path, object),
    send('POST', `${collectionPath(definition)}?fieldManager=first`, object),
    send('PUT', `${path}?fieldManager=second`, object),
    send('PUT', `${path}?fieldManager=second`, { ...object, metadata: { ...meta, labels: { a: 'b' } } }),
    send('PUT', `${path}?fieldManager=third`, { ...object, metadata: { ...meta, annotations: { a: 'b' } } }),
    send('PUT', path, { ...object, metadata: { ...meta, name: 'another' } }),
    send('PUT', path, { ...object, metadata: { ...meta, namespace: 'another' } }),
    send('PUT', path, { ...object, metadata: {} }),
    send('PUT', path, {
      ...object,
      metadata: {
        ...meta,
        generation: 7,
        creationTimestamp: '2020-01-01T00:00:00Z',
        selfLink: '/x',
        deletionTimestamp: '2020-01-01T00:00:00Z',
      },
    }),
    get(path),
    get(path, { accept: 'application/yaml' }),
    get(path, { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }),
    get(`${path}?pretty=true`),
    ...removes(definition, name),
  ]
}

const deleteOptions: readonly object[] = [
  { propagationPolicy: 'Background' },
  { propagationPolicy: 'Foreground' },
  { propagationPolicy: 'Orphan' },
  { propagationPolicy: 'x' },
  { orphanDependents: true },
  { orphanDependents: false },
  { orphanDependents: true, propagationPolicy: 'Orphan' },
  { gracePeriodSeconds: 0 },
  { gracePeriodSeconds: 7 },
  { gracePeriodSeconds: -1 },
  { gracePeriodSeconds: 'x' },
  { dryRun: ['All'] },
  { dryRun: ['x'] },
  { ignoreStoreReadErrorWithClusterBreakingPotential: true },
  { kind: 'DeleteOptions', apiVersion: 'v1' },
  { kind: 'DeleteOptions', apiVersion: 'apps/v1' },
  { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
  { kind: 'Pod', apiVersion: 'v1' },
  { unknown: 1 },
]

function* deletes(definition: ResourceDefinition): Generator<Scene> {
  for (const [index, options] of deleteOptions.entries()) {
    const name = own(definition, `deleted-${index}`)
    const object = objectOf(definition, name)
    const path = pathOf(definition, object)
    yield {
      kind: titleOf(definition),
      at: `delete ${JSON.stringify(options)}`,
      calls: [send('POST', collectionPath(definition), object), send('DELETE', path, options), get(path), ...removes(definition, name)],
    }
  }
}

/** Objects are selected by a label, because other scenes have objects of the kind. */
function collection(definition: ResourceDefinition): Call[] {
  const path = collectionPath(definition)
  const labels = { suite: own(definition, 'collection') }
  const objects = ['many-1', 'many-2', 'many-3'].map((name) => {
    const object = objectOf(definition, own(definition, name))
    return { ...object, metadata: { ...(object['metadata'] as object), labels } }
  })
  const selected = `${path}?labelSelector=suite%3D${labels.suite}`
  return [
    ...objects.map((object) => send('POST', path, object)),
    get(selected),
    get(`${selected}&limit=2`),
    get(`${selected}&limit=2&continue={{4.metadata.continue}}`),
    get(`${selected}&fieldSelector=metadata.name%3D${nameOf(objects[1]!)}`),
    get(selected, { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }),
    get(selected, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
    get(`${selected}&includeObject=Object&limit=1`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
    get(`${selected}&includeObject=None`, { accept: 'application/json;as=Table;v=v1beta1;g=meta.k8s.io' }),
    get(`${path}/${nameOf(objects[0]!)}`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
    get(`${selected}&watch=1&timeoutSeconds=1&resourceVersion={{2.metadata.resourceVersion}}`),
    get(`${selected}&watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`),
    { method: 'DELETE', path: `${selected}&dryRun=All` },
    { method: 'DELETE', path: selected },
    get(selected),
    ...objects.flatMap((object) => removes(definition, nameOf(object))),
  ]
}

export const life: Part = { name: 'life', before: () => [account], scenes }
