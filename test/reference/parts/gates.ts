/**
 * Feature gates switched from their defaults: all that are off are on, and all that are on are off. Discovery, OpenAPI, default roles, health
 * checks, and every gated field and kind on create and update.
 */
import { gateRows } from '../../../core/config/feature-gate-rows.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { ResourceDefinition } from '../../../core/resources/definition.ts'
import type { Field, JsonObject } from '../../../core/schema/model.ts'
import { collectionPath, minimalObject } from '../../support/minimal-objects.ts'
import { get, type Part, type Scene, send } from '../exchange.ts'
import { changesOf } from '../inputs/changes.ts'
import { nodesOf, TriedFields } from '../inputs/nodes.ts'
import { account, makes, objectOf, pathOf, removes } from '../inputs/objects.ts'
import { allStoredKinds, titleOf } from '../kinds.ts'

const { wordAliases } = createPlatform('kubernetes')
/** The name of a gate as the reference spells it. */
const spelled = (name: string) => wordAliases.reduce((text, [ours, alias]) => text.replaceAll(ours, alias), name)

/** All gates that are `value` by default, switched. */
const switched = (value: boolean) =>
  gateRows.flatMap(({ name, default: usual, lockToDefault }) => (usual === value && !lockToDefault ? [`${spelled(name)}=${!value}`] : []))

const flagsOf = (pairs: readonly string[]) => [`--feature-gates=${pairs.join(',')}`, '--runtime-config=api/all=true']

const fixed = [
  ...['/', '/api', '/apis', '/api/v1', '/openapi/v3', '/livez?verbose', '/readyz?verbose', '/version', '/configz'],
  ...['clusterroles', 'clusterrolebindings'].map((plural) => `/apis/rbac.authorization.k8s.io/v1/${plural}`),
  ...['roles', 'rolebindings'].map((plural) => `/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/${plural}`),
  ...['/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas', '/apis/apiregistration.k8s.io/v1/apiservices'],
]
const aggregated = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList,application/json`

const groupVersions = [
  ...new Set(allStoredKinds.map(({ group, version }) => (group === '' ? `api/${version}` : `apis/${group}/${version}`))),
]

/** Pages that a gate switches off; their text differs from answer to answer. */
const pages = ['/flagz', '/statusz']

function* documents(paths: readonly string[]): Generator<Scene> {
  const scene = (path: string, accept = '*/*'): Scene => ({ kind: 'documents', at: `${path} ${accept}`, calls: [get(path, { accept })] })
  for (const path of paths) yield scene(path)
  for (const version of ['v2', 'v2beta1']) for (const path of ['/api', '/apis']) yield scene(path, aggregated(version))
  for (const each of groupVersions) {
    yield scene(`/${each}`)
    yield scene(`/openapi/v3/${each}`)
  }
}

/** Whether the place is, or is in, a gated field. */
function gatedPaths(): (path: string, field: Field | undefined) => boolean {
  let gated: string | undefined
  return (path, field) => {
    if (gated !== undefined && path.startsWith(gated)) return true
    gated = field?.gate === undefined ? undefined : path
    return gated !== undefined
  }
}

/** Changes at each place, of gated fields and of others that no earlier kind has. */
const [gatedChanges, otherChanges] = [6, 1]

function* writes(definition: ResourceDefinition, seen: TriedFields): Generator<Scene> {
  const kind = titleOf(definition)
  const collection = collectionPath(definition)
  const base = minimalObject(definition, 'fresh') as JsonObject
  yield { kind, at: 'minimal', calls: [send('POST', `${collection}?dryRun=All`, base)] }
  const isGated = gatedPaths()
  for (const node of nodesOf(definition.schema, base, seen)) {
    if (node.path === '') continue
    const number = isGated(node.path, node.field) ? gatedChanges : node.seen ? 0 : otherChanges
    const changes = changesOf(
      node.schema,
      node.field,
      node.path
        .split('.')
        .at(-1)
        ?.replaceAll(/\[\]|\{\}/g, '') ?? '',
    )
    for (const [what, value] of changes.slice(0, number))
      yield { kind, at: `${node.path}: ${what}`, calls: [send('POST', `${collection}?dryRun=All`, node.put(value))] }
  }
}

/** Gated fields and statuses in updates of a stored object. */
function* updates(definition: ResourceDefinition): Generator<Scene> {
  const base = objectOf(definition, 'gated')
  const path = pathOf(definition, base)
  const inTop = (name: string) => name !== 'metadata'
  const isGated = gatedPaths()
  for (const node of nodesOf(definition.schema, base, new TriedFields(), inTop)) {
    if (node.path === '' || !isGated(node.path, node.field)) continue
    const [first] = changesOf(node.schema, node.field, node.path.split('.').at(-1) ?? '')
    if (first === undefined) continue
    const inStatus = node.path.startsWith('status')
    yield {
      kind: titleOf(definition),
      at: `update ${node.path}`,
      calls: [send('PUT', `${path}${inStatus ? '/status' : ''}?dryRun=All`, node.put(first[1]))],
    }
  }
}

function* scenes(paths: readonly string[]): Generator<Scene> {
  const seen = new TriedFields()
  yield* documents(paths)
  for (const definition of allStoredKinds) {
    yield* writes(definition, seen)
    yield* updates(definition)
  }
}

/** `value`: the default of the gates that the part switches. */
const part = (name: string, value: boolean): Part => ({
  name,
  flags: flagsOf(switched(value)),
  before: () => [account, ...allStoredKinds.flatMap((definition) => makes(definition, 'gated'))],
  scenes: () => scenes(value ? [...fixed, ...pages] : fixed),
  after: () => allStoredKinds.flatMap((definition) => removes(definition, 'gated')),
})

export const gatesOn = part('gates-on', false)
export const gatesOff = part('gates-off', true)
