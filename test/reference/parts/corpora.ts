/**
 * Objects of the reference's own tests (corpora/): what its printers are tested with, stored with its status and shown in a Table; what its
 * validation, defaults, conversions and admission plugins are tested with, as it stands and as a change of the kind's minimal object; the pods
 * of its tests of pod security, at several versions of both levels; manifests, in JSON, in YAML and applied; and objects with a value in every
 * field.
 */
import type { ResourceDefinition } from '../../../core/resources/definition.ts'
import { apiVersionOf } from '../../../core/resources/definition.ts'
import type { Json, JsonObject } from '../../../core/schema/model.ts'
import { writeYaml } from '../../../core/schema/yaml/writer.ts'
import { collectionPath } from '../../support/minimal-objects.ts'
import { readCorpus, readEncoded, readManifests } from '../corpora/corpus.ts'
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'
import { changedSomewhere, chooser, valuesIn } from '../inputs/chooser.ts'
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

const levels = ['baseline', 'restricted'] as const
/** Releases whose checks differ from those before, from the first to the last. */
const releases = ['v1.0', 'v1.8', 'v1.19', 'v1.25', 'v1.29', 'v1.34', 'latest'] as const
const policed = levels.flatMap((level) =>
  releases.map((release) => ({ level, release, space: `corpora-${level}-${release.replace('.', '-')}` })),
)
const domain = 'pod-security.kubernetes.io'
const spaces = '/api/v1/namespaces'

/** Namespaces that enforce a level at a release, and warn about the other one at the last. */
function* policedSpaces(): Generator<Call> {
  for (const { level, release, space } of policed) {
    const warn = levels.find((each) => each !== level) as string
    const labels = { [`${domain}/enforce`]: level, [`${domain}/enforce-version`]: release, [`${domain}/warn`]: warn }
    yield send('POST', spaces, { kind: 'Namespace', apiVersion: 'v1', metadata: { name: space, labels } })
    yield send('POST', `${spaces}/${space}/serviceaccounts`, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'default' } })
  }
}

function* secured(): Generator<Scene> {
  for (const [index, [, pod]] of readCorpus('pods').entries()) {
    const body = withoutToken(pod)
    const calls = policed.map(({ space }) => send('POST', `${spaces}/${space}/pods?dryRun=All`, body))
    yield { kind: 'pods', at: `secured ${index}`, calls }
  }
}

const byType = new Map(storedKinds.map((definition) => [`${apiVersionOf(definition)} ${definition.kind}`, definition]))

function* manifests(): Generator<Scene> {
  for (const [index, object] of readManifests().entries()) {
    const definition = byType.get(`${object['apiVersion']} ${object['kind']}`)
    if (definition === undefined) continue
    const { namespace: _, ...metadata } = (object['metadata'] ?? {}) as JsonObject
    const body = withoutToken({ ...object, metadata })
    const path = collectionPath(definition)
    const name = typeof metadata['name'] === 'string' ? metadata['name'] : 'none'
    const applied = `${path}/${encodeURIComponent(name)}?dryRun=All&fieldManager=corpora`
    const calls = [
      send('POST', `${path}?dryRun=All&fieldValidation=Strict`, body),
      send('POST', `${path}?dryRun=All`, writeYaml(body), { 'content-type': 'application/yaml' }),
      send('PATCH', applied, writeYaml(body), { 'content-type': 'application/apply-patch+yaml' }),
    ]
    yield { kind: titleOf(definition), at: `manifest ${index}`, calls }
  }
}

function* filled(): Generator<Scene> {
  for (const [title, json, yaml] of readEncoded()) {
    const object = JSON.parse(json) as JsonObject
    const definition = byType.get(`${object['apiVersion']} ${object['kind']}`)
    if (definition === undefined) continue
    const path = `${collectionPath(definition)}?dryRun=All`
    const unset = { ...object, metadata: { name: 'filled' } }
    const calls = [
      send('POST', path, json),
      send('POST', path, yaml, { 'content-type': 'application/yaml' }),
      send('POST', path, unset),
      send('POST', path, complete(definition, unset, 'filled')),
    ]
    yield { kind: titleOf(definition), at: `${title} with all fields`, calls }
  }
}

/** Objects of each kind with one place changed, as they stand and as changes of the minimal object; then applied and patched, too. */
function* changedOnce(seed: number): Generator<Scene> {
  const objects = [...readCorpus('objects'), ...readCorpus('printed'), ...readCorpus('pods')].map(
    ([kind, object]) => [kind, object] as const,
  )
  const all = [...objects, ...readManifests().map((object) => [object['kind'] as string, object] as const)]
  const values = valuesIn(all.map(([, object]) => object))
  for (const [index, [kind, object]] of all.entries())
    for (const [version, definition] of definitionsOf(kind).entries()) {
      const choose = chooser(seed, index * 8 + version)
      const { metadata: _, apiVersion: _version, ...rest } = object
      const changed = changedSomewhere(rest, choose, values) as JsonObject
      if (!isObject(changed)) continue
      const body = complete(definition, { ...changed, kind }, 'corpus')
      const path = `${collectionPath(definition)}?dryRun=All`
      const applied = `${collectionPath(definition)}/${nameOf(body)}?dryRun=All&fieldManager=corpora&force=true`
      const calls = [
        send('POST', path, body),
        send('POST', `${path}&fieldValidation=Strict`, withoutToken(placed(definition, changed, 'corpus'))),
        send('PATCH', applied, body, { 'content-type': 'application/apply-patch+yaml' }),
      ]
      yield { kind: titleOf(definition), at: `object ${index} changed`, calls }
    }
}

export const corpora: Part = {
  name: 'corpora',
  seeded: true,
  *before() {
    yield account
    yield* policedSpaces()
  },
  *scenes(seed) {
    if (seed !== 0) return yield* changedOnce(seed)
    yield* printed()
    yield* written()
    yield* secured()
    yield* manifests()
    yield* filled()
  },
  *after() {
    for (const { space } of policed) {
      yield send('DELETE', `${spaces}/${space}/serviceaccounts/default`, '')
      yield send('DELETE', `${spaces}/${space}`, '')
      yield send('PUT', `${spaces}/${space}/finalize`, {
        kind: 'Namespace',
        apiVersion: 'v1',
        metadata: { name: space },
        spec: { finalizers: [] },
      })
    }
  },
}
