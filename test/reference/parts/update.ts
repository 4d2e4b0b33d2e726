/** Updates and patches of a stored object of every kind, as dry runs: every field changed, through every method. */
import type { JsonObject } from '../../../core/schema/model.ts'
import { type Part, type Scene, send } from '../exchange.ts'
import { changesOf } from '../inputs/changes.ts'
import { type Node, nodesOf, TriedFields } from '../inputs/nodes.ts'
import { account, makes, objectOf, pathOf, removes } from '../inputs/objects.ts'
import { plausible } from '../inputs/plausible.ts'
import { storedKinds, titleOf } from '../kinds.ts'

/** Changes of fields that no earlier kind has, and of others. */
const ownChanges = 9
const repeatedChanges = 2

const name = 'kept'
const json = 'application/json-patch+json'
const merge = 'application/merge-patch+json'
const strategic = 'application/strategic-merge-patch+json'
const applied = 'application/apply-patch+yaml'

function* scenes(): Generator<Scene> {
  const seen = new TriedFields()
  for (const definition of storedKinds) {
    const kind = titleOf(definition)
    const base = objectOf(definition, name)
    const path = pathOf(definition, base)
    const dry = `${path}?dryRun=All`
    for (const node of nodesOf(definition.schema, base, seen)) {
      if (node.path === '') continue
      const changes = changesOf(node.schema, node.field, lastOf(node.path))
      for (const [what, value] of changes.slice(0, node.seen ? repeatedChanges : ownChanges))
        yield { kind, at: `${node.path}: ${what}`, calls: [send('PUT', dry, node.put(value))] }
      if (!node.seen) yield* patches(kind, dry, node, base)
    }
  }
}

function* patches(kind: string, path: string, node: Node, base: JsonObject): Generator<Scene> {
  const value = plausible(node.schema, lastOf(node.path))
  const pointer = `/${node.path.replaceAll('[]', '.0').replaceAll('{}', '.key').replaceAll('.', '/')}`
  const scene = (what: string, type: string, body: unknown, query = ''): Scene => ({
    kind,
    at: `${node.path}: ${what}`,
    calls: [send('PATCH', `${path}${query}`, body, { 'content-type': type })],
  })
  for (const op of ['add', 'replace', 'test']) yield scene(`JSON patch ${op}`, json, [{ op, path: pointer, value }])
  yield scene('JSON patch remove', json, [{ op: 'remove', path: pointer }])
  const whole = without(node.put(value), base)
  yield scene('merge patch', merge, whole)
  yield scene('strategic patch', strategic, whole)
  if (!node.path.endsWith('[]')) {
    yield scene('merge patch null', merge, without(node.put(null), base))
    yield scene('strategic patch null', strategic, without(node.put(null), base))
  }
  if (node.schema.type === 'message' || node.schema.type === 'list')
    yield scene(
      'strategic patch replace',
      strategic,
      without(node.put(node.schema.type === 'list' ? [{ $patch: 'replace' }] : { $patch: 'replace' }), base),
    )
  yield scene('apply', applied, node.put(value), '&fieldManager=other')
  yield scene('apply with force', applied, node.put(value), '&fieldManager=other&force=true')
}

/** The members of the object that differ from the base, with their whole values. */
function without(object: JsonObject, base: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([member, value]) => JSON.stringify(value) !== JSON.stringify(base[member])))
}

const lastOf = (path: string) =>
  path
    .replaceAll(/\[\]|\{\}/g, '')
    .split('.')
    .at(-1) ?? ''

export const update: Part = {
  name: 'update',
  before: () => [account, ...storedKinds.flatMap((definition) => makes(definition, name))],
  scenes,
  after: () => storedKinds.flatMap((definition) => removes(definition, name)),
}
