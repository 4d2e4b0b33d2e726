/** Objects of every kind with two to five wrong places: which errors are told, and in which order. The choices are pseudo-random. */
import type { ResourceDefinition } from '../../../core/resources/definition.ts'
import { collectionPath } from '../../support/minimal-objects.ts'
import { type Part, type Scene, send } from '../exchange.ts'
import { changesOf } from '../inputs/changes.ts'
import { type Chooser, chooser } from '../inputs/chooser.ts'
import { type Node, nodesOf, TriedFields } from '../inputs/nodes.ts'
import { account, isNamedFreely, makes, objectOf, pathOf, removes } from '../inputs/objects.ts'
import { storedKinds, titleOf } from '../kinds.ts'

const objects = 16
const name = 'several'

/** Identity stays. */
const isWritten = ({ path }: Node) =>
  !/^(kind|apiVersion|metadata(\.(name|namespace|generateName|resourceVersion|uid|managedFields|finalizers|ownerReferences|deletionTimestamp).*)?)?$/.test(
    path,
  )

/** The reference lists errors of several keys of a map, and of several sources of a metric, in a random order. */
const chanceOf = ({ path }: Node) => /^metadata\.(labels|annotations)|^.*(?=\{\})|^spec\.metrics/.exec(path)?.[0]
const isUsed = (what: string) => !/^(wrong type|many|long|null item|key )/.test(what)

const nameAt = (path: string) =>
  path
    .replaceAll(/\[\]|\{\}/g, '')
    .split('.')
    .at(-1) ?? ''

/** Two thirds of the places are beside the first one. */
function placeIn(nodes: readonly Node[], near: string | undefined, { below, pick }: Chooser): Node {
  const beside = near === undefined ? [] : nodes.filter(({ path }) => path.startsWith(near))
  return pick(below(3) > 0 && beside.length > 2 ? beside : nodes)
}

function wrong(definition: ResourceDefinition, base: string, choose: Chooser) {
  let object = objectOf(definition, base)
  let near: string | undefined
  const changed: string[] = []
  const maps = new Set<string>()
  for (let count = 2 + choose.below(4); count > 0; count--) {
    const nodes = [...nodesOf(definition.schema, object, new TriedFields())].filter(isWritten)
    const node = placeIn(nodes, near, choose)
    near ??= node.path.slice(0, Math.max(0, node.path.lastIndexOf('.')))
    const map = chanceOf(node)
    const changes = changesOf(node.schema, node.field, nameAt(node.path)).filter(([what]) => isUsed(what))
    if (changes.length === 0 || (map !== undefined && maps.has(map))) continue
    if (map !== undefined) maps.add(map)
    const [what, value] = choose.pick(changes)
    object = node.put(value)
    changed.push(`${node.path}: ${what}`)
  }
  return { object, changed }
}

function* scenes(seed: number): Generator<Scene> {
  for (const [row, definition] of storedKinds.entries())
    for (let index = 0; index < objects; index++) {
      const isUpdate = index % 3 === 2 && isNamedFreely(definition) && !definition.specFinalizers
      const { object, changed } = wrong(definition, isUpdate ? name : `fresh-${name}`, chooser(seed, row * objects + index))
      const dry = isUpdate
        ? send('PUT', `${pathOf(definition, object)}?dryRun=All`, object)
        : send('POST', `${collectionPath(definition)}?dryRun=All`, object)
      yield { kind: titleOf(definition), at: `${index} ${changed.join(', ')}`, calls: [dry] }
    }
}

const stored = storedKinds.filter(isNamedFreely)

export const several: Part = {
  name: 'several',
  seeded: true,
  before: () => [account, ...stored.flatMap((definition) => makes(definition, name))],
  scenes,
  after: () => stored.flatMap((definition) => removes(definition, name)),
}
