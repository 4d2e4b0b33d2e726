/** Gets, lists and watches of every kind: selectors, revisions, pages, bookmarks, initial events. */
import type { ResourceDefinition } from '../../../core/resources/definition.ts'
import { collectionPath } from '../../support/minimal-objects.ts'
import { get, type Part, type Scene } from '../exchange.ts'
import { account, makes, objectOf, pathOf, removes } from '../inputs/objects.ts'
import { storedKinds, titleOf } from '../kinds.ts'

const name = 'read'
const shared = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nothing',
  'Metadata.Name',
  'status.phase',
  'spec.nodeName',
  'type',
  'reason',
]
const values = ['read', 'x', '', 'true', '1', 'a%5C%3Db', 'a b']

const watches = [
  ...[
    'resourceVersion=0',
    'resourceVersion=1',
    'resourceVersion=x',
    'resourceVersion=99999999999',
    'allowWatchBookmarks=true',
    'resourceVersion=0&allowWatchBookmarks=true',
  ],
  ...[
    'sendInitialEvents=true',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
  ],
  ...[
    'sendInitialEvents=false&resourceVersionMatch=NotOlderThan',
    'sendInitialEvents=false',
    'sendInitialEvents=true&resourceVersionMatch=Exact',
    'resourceVersionMatch=NotOlderThan',
    'resourceVersionMatch=Exact&resourceVersion=1',
  ],
  ...[
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=1&allowWatchBookmarks=true',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99999999999',
    'limit=1',
    'continue=x',
    'fieldSelector=metadata.name%3Dx',
    'labelSelector=a',
  ],
  ...['fieldSelector=metadata.nothing%3Dx', 'labelSelector=%3D', 'sendInitialEvents=x', 'allowWatchBookmarks=x', 'timeoutSeconds=x'],
]

const lists = [
  ...[
    'limit=1',
    'limit=0',
    'limit=-1',
    'continue=x',
    'resourceVersion=0',
    'resourceVersion=1',
    'resourceVersion=x',
    'resourceVersion=99999999999',
    'resourceVersionMatch=Exact',
    'resourceVersion=0&resourceVersionMatch=Exact',
  ],
  ...[
    'resourceVersion=1&resourceVersionMatch=Exact',
    'resourceVersion=1&resourceVersionMatch=NotOlderThan',
    'resourceVersion=0&limit=1',
    'labelSelector=a',
    'labelSelector=a%3D',
    'labelSelector=!a',
    'labelSelector=a%20in%20(b)',
    'labelSelector=%3D',
    'pretty=true',
    'sendInitialEvents=true',
  ],
]

const accepts = [
  'application/yaml',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io',
  'text/html',
]

function* scenes(): Generator<Scene> {
  for (const definition of storedKinds) {
    const kind = titleOf(definition)
    const scene = (at: string, path: string, accept?: string): Scene => ({
      kind,
      at,
      calls: [get(path, accept === undefined ? {} : { accept })],
    })
    const collection = collectionPath(definition)
    const path = pathOf(definition, objectOf(definition, name))
    const mine = `fieldSelector=metadata.name%3D${name}`
    for (const field of new Set([...shared, ...Object.keys(definition.selectable ?? {})]))
      for (const value of values)
        for (const operator of ['%3D', '!%3D']) {
          // Without a name other requests' objects would be in the list, so a label that nothing has is asked for too.
          const selector = `fieldSelector=${field}${operator}${encodeURIComponent(value)}`
          yield scene(`list ${field} ${operator} ${value}`, `${collection}?${selector}&labelSelector=nothing`)
        }
    for (const field of Object.keys(definition.selectable ?? {})) yield* selected(definition, field)
    for (const query of watches)
      yield scene(
        `watch ${query}`,
        `${collection}?watch=1&${query.includes('timeout') ? '' : 'timeoutSeconds=1&'}${query}${query.includes('Selector') ? '' : `&${mine}`}`,
      )
    for (const query of lists)
      yield scene(`list ${query}`, `${collection}?${query}${query.includes('limit') ? '&labelSelector=nothing' : `&${mine}`}`)
    for (const accept of accepts) {
      yield scene(`list as ${accept}`, `${collection}?${mine}`, accept)
      yield scene(`get as ${accept}`, path, accept)
      yield scene(`watch as ${accept}`, `${collection}?${mine}&watch=1&timeoutSeconds=1`, accept)
    }
    for (const query of [
      'resourceVersion=0',
      'resourceVersion=x',
      'resourceVersion=99999999999',
      'pretty=true',
      'resourceVersionMatch=Exact',
    ])
      yield scene(`get ${query}`, `${path}?${query}`)
    for (const suffix of ['/status', '/scale', '/nothing', '/']) yield scene(`get ${suffix}`, `${path}${suffix}`)
    yield scene('watch one', `${path.replace(/\/(api\/v1|apis\/[^/]+\/[^/]+)\//, '/$1/watch/')}?timeoutSeconds=1`)
    yield scene('watch one by parameter', `${path}?watch=1&timeoutSeconds=1`)
    if (definition.namespaced) yield scene('all namespaces', `${collection.replace('namespaces/default/', '')}?${mine}`)
  }
}

/** The stored object found, and not found, by one of its selectable fields. */
function* selected(definition: ResourceDefinition, field: string): Generator<Scene> {
  const collection = collectionPath(definition)
  for (const operator of ['%3D', '!%3D', '%3D%3D'])
    for (const value of ['', 'x', 'false', 'any'])
      yield {
        kind: titleOf(definition),
        at: `own ${field} ${operator} ${value}`,
        calls: [get(`${collection}?fieldSelector=metadata.name%3D${name},${field}${operator}${value}`)],
      }
}

export const reads: Part = {
  name: 'reads',
  before: () => [account, ...storedKinds.flatMap((definition) => makes(definition, name))],
  scenes,
  after: () => storedKinds.flatMap((definition) => removes(definition, name)),
}
