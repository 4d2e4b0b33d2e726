/** Creates of every kind with every field changed, as dry runs. */
import type { JsonObject } from '../../../core/schema/model.ts'
import { collectionPath, minimalObject } from '../../support/minimal-objects.ts'
import { type Part, type Scene, send } from '../exchange.ts'
import { changesOf } from '../inputs/changes.ts'
import { nodesOf, TriedFields } from '../inputs/nodes.ts'
import { account } from '../inputs/objects.ts'
import { pairsOf } from '../inputs/pairs.ts'
import { storedKinds, titleOf } from '../kinds.ts'

/** Changes at a field that another kind has too: its validation is shared, so fewer are enough. */
const repeated = 4

function* scenes(): Generator<Scene> {
  const seen = new TriedFields()
  const paired = new Set<string>()
  for (const definition of storedKinds) {
    const kind = titleOf(definition)
    const path = `${collectionPath(definition)}?dryRun=All`
    const base = minimalObject(definition, 'fresh') as JsonObject
    yield { kind, at: 'minimal', calls: [send('POST', path, base)] }
    for (const node of nodesOf(definition.schema, base, seen)) {
      if (node.path === '') continue
      const changes = changesOf(node.schema, node.field, lastOf(node.path))
      for (const [what, value] of node.seen ? changes.slice(0, repeated) : changes)
        yield { kind, at: `${node.path}: ${what}`, calls: [send('POST', path, node.put(value))] }
    }
    for (const { at, object } of pairsOf(definition.schema, base, paired)) yield { kind, at, calls: [send('POST', path, object)] }
  }
}

const lastOf = (path: string) =>
  path
    .replaceAll(/\[\]|\{\}/g, '')
    .split('.')
    .at(-1) ?? ''

export const create: Part = { name: 'create', before: () => [account], scenes }
