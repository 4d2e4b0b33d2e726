/** Names of every kind, given and to be generated. Dry runs. */
import type { JsonObject } from '../../../core/schema/model.ts'
import { collectionPath } from '../../support/minimal-objects.ts'
import { type Part, type Scene, send } from '../exchange.ts'
import { account, objectOf } from '../inputs/objects.ts'
import { storedKinds, titleOf } from '../kinds.ts'

const names = [
  'UPPER',
  'a.b',
  'a..b',
  '.a',
  'a b',
  '-a',
  'a-',
  'a_b',
  'a/b',
  'a%b',
  '..',
  '0',
  '0a',
  'é',
  'a:b',
  'x'.repeat(64),
  'x'.repeat(254),
]
/** They contain `made`, by which the text after them is found. */
const prefixes = ['made', 'made-', 'made.', 'made_', 'made:', 'Made', 'made ', '-made', '.made-', 'a/made', '%made', '0made']

function* scenes(): Generator<Scene> {
  for (const definition of storedKinds) {
    const base = objectOf(definition, 'any')
    const path = `${collectionPath(definition)}?dryRun=All`
    const named = (metadata: object) => {
      const { name: _, ...rest } = base['metadata'] as JsonObject
      return send('POST', path, { ...base, metadata: { ...rest, ...metadata } })
    }
    for (const name of names) yield { kind: titleOf(definition), at: `name ${name.slice(0, 70)}`, calls: [named({ name })] }
    for (const generateName of prefixes)
      yield { kind: titleOf(definition), at: `generateName ${generateName}`, calls: [named({ generateName })] }
    yield {
      kind: titleOf(definition),
      at: 'both',
      calls: [named({ name: 'a', generateName: 'UPPER' }), named({ name: '', generateName: '' }), named({})],
    }
  }
}

export const naming: Part = { name: 'names', before: () => [account], scenes }
