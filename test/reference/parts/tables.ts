/** Tables of every kind in several states: the answers to dry runs of creates and of status writes, as tables. */
import { collectionPath } from '../../support/minimal-objects.ts'
import { get, type Part, type Scene, send } from '../exchange.ts'
import { changesOf } from '../inputs/changes.ts'
import { nodesOf, TriedFields } from '../inputs/nodes.ts'
import { account, makes, objectOf, pathOf, removes } from '../inputs/objects.ts'
import { storedKinds, titleOf } from '../kinds.ts'

const name = 'shown'
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
/** Columns show few deep fields. */
const deepest = 5
const tried = 3

const depthOf = (path: string) => path.split('.').length
const lastOf = (path: string) =>
  path
    .replaceAll(/\[\]|\{\}/g, '')
    .split('.')
    .at(-1) ?? ''

function* scenes(): Generator<Scene> {
  for (const definition of storedKinds) {
    const kind = titleOf(definition)
    const base = objectOf(definition, name)
    const collection = collectionPath(definition)
    const path = pathOf(definition, base)
    const scene = (at: string, call: Scene['calls'][0]): Scene => ({ kind, at, calls: [call] })
    const seen = new TriedFields()
    const fresh = objectOf(definition, 'fresh')
    for (const node of nodesOf(definition.schema, fresh, seen)) {
      if (node.path === '' || node.seen || depthOf(node.path) > deepest) continue
      for (const [what, value] of changesOf(node.schema, node.field, lastOf(node.path)).slice(0, tried))
        yield scene(`${node.path}: ${what}`, send('POST', `${collection}?dryRun=All`, node.put(value), table))
    }
    if (definition.status)
      for (const node of nodesOf(definition.schema, base, seen, (each) => each === 'status')) {
        if (node.path === '' || node.seen || depthOf(node.path) > deepest) continue
        for (const [what, value] of changesOf(node.schema, node.field, lastOf(node.path)))
          yield scene(`${node.path}: ${what}`, send('PUT', `${path}/status?dryRun=All`, node.put(value), table))
      }
    const only = `fieldSelector=metadata.name%3D${name}`
    yield scene('list', get(`${collection}?${only}`, table))
    yield scene('list of v1beta1', get(`${collection}?${only}`, { accept: 'application/json;as=Table;v=v1beta1;g=meta.k8s.io' }))
    yield scene('list with objects', get(`${collection}?${only}&includeObject=Object`, table))
    yield scene('list without objects', get(`${collection}?${only}&includeObject=None`, table))
    yield scene('list with an unknown policy', get(`${collection}?${only}&includeObject=x`, table))
    // Of other kinds, the objects that both servers have are not the same.
    if (definition.strategy.rowOrder) yield scene('all', get(collection, table))
    yield scene('empty list', get(`${collection}?labelSelector=nothing`, table))
    yield scene('one', get(path, table))
    yield scene('YAML', get(path, { accept: 'application/yaml;as=Table;v=v1;g=meta.k8s.io' }))
    yield scene('watch', get(`${collection}?${only}&watch=1&timeoutSeconds=1`, table))
    yield scene('watch from now', get(`${collection}?${only}&watch=1&timeoutSeconds=1&resourceVersion=0`, table))
    yield scene('delete', { method: 'DELETE', path: `${path}?dryRun=All`, headers: table })
    yield scene('patch', send('PATCH', `${path}?dryRun=All`, {}, { ...table, 'content-type': 'application/merge-patch+json' }))
  }
}

export const tables: Part = {
  name: 'tables',
  before: () => [account, ...storedKinds.flatMap((definition) => makes(definition, name))],
  scenes,
  after: () => storedKinds.flatMap((definition) => removes(definition, name)),
}
