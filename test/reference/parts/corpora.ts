/**
 * Objects of the reference's own tests (corpora/): what its printers are tested with, stored with its status and shown in a Table; and what its
 * validation, defaults, conversions and admission plugins are tested with, as it stands and as a change of the kind's minimal object.
 */
import type { ResourceDefinition } from '../../../core/resources/definition.ts'
import { apiVersionOf } from '../../../core/resources/definition.ts'
import type { Json, JsonObject } from '../../../core/schema/model.ts'
import { collectionPath } from '../../support/minimal-objects.ts'
import { readCorpus } from '../corpora/corpus.ts'
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'
import { account, isNamedFreely, nameOf, objectOf, pathOf, removes } from '../inputs/objects.ts'
import { storedKinds, titleOf } from '../kinds.ts'

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object with the members of another one, at any depth; lists are replaced. */
function changed(object: JsonObject, change: JsonObject): JsonObject {
  const result = { ...object }
  for (const [name, value] of Object.entries(change)) {
    const own = result[name]
    result[name] = isObject(own) && isObject(value) ? changed(own, value) : value
  }
  return result
}

/** The object as one of the kind that can be sent. */
function placed(definition: ResourceDefinition, object: JsonObject, name: string): JsonObject {
  const { namespace: _, ...metadata } = (object['metadata'] ?? {}) as JsonObject
  return { ...object, apiVersion: apiVersionOf(definition), kind: definition.kind, metadata: { ...metadata, name } }
}

/** A pod without the volume of its account's token, which both servers name at random. */
const withoutToken = (object: JsonObject): JsonObject =>
  object['kind'] === 'Pod' ? { ...object, spec: { automountServiceAccountToken: false, ...(object['spec'] as JsonObject) } } : object

/** The kind's minimal object with what the corpus has, under a name of its own. */
function complete(definition: ResourceDefinition, object: JsonObject, name: string): JsonObject {
  const base = objectOf(definition, name)
  return withoutToken(placed(definition, changed(base, object), nameOf(base)))
}

const definitionsOf = (kind: string) => storedKinds.filter((definition) => definition.kind === kind)

function* printed(): Generator<Scene> {
  for (const [index, [kind, object]] of readCorpus('printed').entries())
    for (const definition of definitionsOf(kind)) {
      const name = `printed-${index}-${titleOf(definition).replaceAll(/[^a-z0-9]+/g, '-')}`
      if (definition.specFinalizers || !isNamedFreely(definition)) continue
      const body = complete(definition, object, name)
      const path = pathOf(definition, body)
      const status: Call[] = definition.status && object['status'] !== undefined ? [send('PUT', `${path}/status`, body)] : []
      const calls = [send('POST', collectionPath(definition), body), ...status, get(path, table), ...removes(definition, name)]
      yield { kind: titleOf(definition), at: `printed ${index}`, calls }
    }
}

function* written(): Generator<Scene> {
  for (const [index, [kind, object]] of readCorpus('objects').entries())
    for (const definition of definitionsOf(kind)) {
      const { metadata } = object as { metadata?: { name?: string } }
      const path = `${collectionPath(definition)}?dryRun=All`
      const alone = withoutToken(placed(definition, object, metadata?.name ?? 'corpus'))
      const calls = [send('POST', path, alone), send('POST', path, complete(definition, object, 'corpus'))]
      yield { kind: titleOf(definition), at: `object ${index}`, calls }
    }
}

export const corpora: Part = {
  name: 'corpora',
  before: () => [account],
  *scenes() {
    yield* printed()
    yield* written()
  },
}
