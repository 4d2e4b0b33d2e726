/**
 * Compares our declarations with the field tables of `../shared/facts`, which were extracted from the sources of
 * Kubernetes and checked against its golden files. The comparison is skipped when the tables are missing; the other
 * tests always run.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import type { Deployment } from '../../../core/resources/apps/deployment.ts'
import { Pod } from '../../../core/resources/core/pod.ts'
import type { Secret } from '../../../core/resources/core/secret.ts'
import type { ResourceDefinition } from '../../../core/resources/definition.ts'
import { builtInResources, groupVersions } from '../../../core/resources/group-versions.ts'
import { listSchemaOf } from '../../../core/resources/list.ts'
import type { Field, Infer, Message, Schema } from '../../../core/schema/model.ts'
import { root } from '../../support/root.ts'

interface FactField {
  json?: string
  pbName?: string
  tag: number | null
  type: string
  ref?: string
  enum?: string
  repeated?: true
  map?: true
  inline?: true
  pointer?: true
  omitempty?: true
  omitzero?: true
  optional?: true
  default?: unknown
  listType?: string
  listMapKeys?: string[]
  mapType?: string
  structType?: string
  patchStrategy?: string
  patchMergeKey?: string
  featureGate?: string
}
interface FactMessage {
  name: string
  fields: FactField[]
  typeMeta?: true
  structType?: string
  registered?: true
  wrapper?: string
  customJSON?: true
  alias?: string
}
interface FactFile {
  file: string
  openapiPrefix: string
  messages: FactMessage[]
  enums: Record<string, { closed?: boolean; values: string[] }>
}
interface FactKind {
  group: string
  version: string
  kind: string
  listKind: string | null
  plural: string
  singular: string
  shortNames: string[]
  categories: string[]
  namespaced: boolean
  verbs: string[]
  subresources: { name: string; kind: string; group: string; version: string; verbs: string[] }[]
  storagePrefix: string | null
  storageVersion: string | null
  servedByDefault: boolean
  lifecycle?: { introduced: string; deprecated?: string; removed?: string } | null
  messages: string
  use: string
}

const facts = resolve(root, '../shared/facts')
const skip = existsSync(facts) ? false : `no field tables at ${facts}`
const read = <T>(path: string): T => JSON.parse(readFileSync(resolve(facts, path), 'utf8')) as T
const platform = createPlatform('kubernetes')
const nameOf = (name: string): string => `io.k8s.${name.replace('<component>', platform.component)}`

/** Go helper types that no request or response contains. */
const notCarried = new Set(['GroupVersion', 'Timestamp', 'TypeMeta', 'Patch', 'RootPaths'])
const scalars: Record<string, string> = {
  Time: 'time',
  MicroTime: 'microTime',
  Duration: 'duration',
  Quantity: 'quantity',
  IntOrString: 'intOrString',
  RawExtension: 'any',
  Fields: 'any',
  Any: 'any',
}

function tables() {
  const kinds = read<FactKind[]>('kinds.json')
  const files = new Map<string, FactFile>()
  for (const name of new Set([...kinds.map((kind) => kind.messages), 'meta.v1beta1'])) {
    files.set(name, read<FactFile>(`messages/${name}.json`))
  }
  return { kinds, files }
}

/** The table of a referenced message: local, or `FILE.Name`; aliases are resolved. */
function lookup(files: Map<string, FactFile>, file: FactFile, ref: string): { file: FactFile; message: FactMessage } {
  const local = file.messages.find((each) => each.name === ref)
  const dot = ref.lastIndexOf('.')
  const home = local ? file : files.get(ref.slice(0, dot))
  const message = local ?? home?.messages.find((each) => each.name === ref.slice(dot + 1))
  assert.ok(home && message, ref)
  return message.alias ? lookup(files, file, message.alias) : { file: home, message }
}

/** Names of the messages in each file that served kinds use. */
function reached({ kinds, files }: ReturnType<typeof tables>): Map<FactFile, Set<string>> {
  const result = new Map<FactFile, Set<string>>()
  const resources = new Set(kinds.filter((kind) => kind.use === 'resource').map((kind) => `${kind.messages} ${kind.kind}List`))
  const visit = (from: FactFile, ref: string): void => {
    const { file, message } = lookup(files, from, ref)
    const names = result.get(file) ?? new Set()
    result.set(file, names)
    if (names.has(message.name) || resources.has(`${file.file} ${message.name}`) || notCarried.has(message.name)) return
    if (message.customJSON) return
    names.add(message.name)
    for (const each of message.fields) if (each.ref) visit(file, each.ref)
  }
  for (const [name, file] of files) {
    const served = new Set(kinds.filter((kind) => kind.messages === name).map((kind) => kind.kind))
    const partly = file.messages.some((each) => each.registered && !each.name.endsWith('List') && !served.has(each.name))
    for (const each of file.messages) if (partly ? served.has(each.name) : !each.alias) visit(file, each.name)
  }
  return result
}

const innerOf = (schema: Schema): Schema => (schema.type === 'list' ? schema.items : schema.type === 'map' ? schema.values : schema)

/** Gates of fields that the types do not mark, but that are dropped while the gate is disabled. */
const unmarked = new Map([
  ['core.v1.Lifecycle.stopSignal', 'ContainerStopSignals'],
  ['core.v1.VolumeMountStatus.volumeStatus', 'ImageVolumeWithDigest'],
  ['core.v1.PodCondition.observedGeneration', 'PodObservedGenerationTracking'],
  ['core.v1.PodStatus.observedGeneration', 'PodObservedGenerationTracking'],
  ['core.v1.TopologySpreadConstraint.matchLabelKeys', 'MatchLabelKeysInPodTopologySpread'],
  ['apps.v1.DeploymentStatus.terminatingReplicas', 'DeploymentReplicaSetTerminatingReplicas'],
  ['apps.v1.ReplicaSetStatus.terminatingReplicas', 'DeploymentReplicaSetTerminatingReplicas'],
])

/** Fields that are kept while their gate is disabled, or dropped by their kind. */
/** Fields whose marker names a gate that the reference does not have, with the one that it asks (pkg/api/pod/util.go). */
const otherGates = new Map([['core.v1.VolumeProjection.podCertificate', 'PodCertificateRequest']])
/** Fields that have no description in the reference's documents, where a description would change how they refer to their message. */
const undescribed = new Set([
  'api.networking.v1.IngressRuleValue.http',
  ...['items', 'not', 'additionalProperties', 'additionalItems', 'externalDocs', 'example'].map(
    (name) => `apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps.${name}`,
  ),
])
const ungated = new Set([
  'storage.k8s.io.v1.CSIDriverSpec.storageCapacity',
  'core.v1.ContainerStatus.stopSignal',
  'core.v1.TypedObjectReference.namespace',
  'core.v1.VolumeStatus.image',
])

/** Lists whose empty value is kept until validation refuses it. */
const keptEmpty = new Set(['autoscaling.v2.HPAScalingRules.policies'])

/** Fields that the tables call required because of a marker that only other generators read. */
const optional = new Set(['core.v1.PortStatus.error', 'networking.k8s.io.v1.IngressPortStatus.error'])

function checkField(files: Map<string, FactFile>, file: FactFile, where: string, fact: FactField, own: Field): void {
  const flags = { tag: own.tag, pointer: own.pointer, required: own.required, inline: own.inline === true, omitEmpty: own.omitEmpty }
  const omitEmpty = fact.inline ? true : fact.omitempty === true
  const expected = {
    tag: fact.tag ?? 0,
    pointer: !!fact.pointer || keptEmpty.has(where),
    required: !fact.inline && !fact.optional && !optional.has(where),
    inline: !!fact.inline,
    omitEmpty,
  }
  assert.deepEqual(flags, expected, where)
  assert.equal(own.omitZero === true, fact.omitzero === true, `${where}: omitZero`)
  assert.equal(own.patchStrategy, fact.patchStrategy, `${where}: patchStrategy`)
  assert.equal(own.patchMergeKey, fact.patchMergeKey, `${where}: patchMergeKey`)
  assert.equal(
    own.gate,
    ungated.has(where) ? undefined : (otherGates.get(where) ?? fact.featureGate ?? unmarked.get(where)),
    `${where}: gate`,
  )
  if (fact.default !== undefined) assert.deepEqual(own.default, fact.default, `${where}: default`)

  const { schema } = own
  assert.equal(schema.type === 'map', fact.map === true, `${where}: map`)
  if (schema.type === 'map') assert.equal(schema.atomic === true, fact.mapType === 'atomic', `${where}: map type`)
  if (fact.repeated) {
    assert.ok(schema.type === 'list', `${where}: list`)
    assert.equal(schema.listType, fact.listType, `${where}: list type`)
    assert.deepEqual(schema.keys, fact.listMapKeys, `${where}: list keys`)
  }
  const inner = fact.repeated || fact.map ? innerOf(schema) : schema
  if (fact.ref) {
    const target = lookup(files, file, fact.ref).message
    if (target.customJSON) assert.equal(inner.type, 'any', `${where}: type`)
    else if (target.wrapper) assert.ok(inner.type === 'list' && inner.wrapper, `${where}: wrapper`)
    else {
      assert.ok(inner.type === 'message' && inner.name === target.name, `${where}: refers to ${target.name}`)
      const atomic = fact.structType ? fact.structType === 'atomic' : target.structType === 'atomic'
      assert.equal(inner.atomic === true, atomic, `${where}: struct type`)
    }
  } else {
    assert.equal(inner.type, scalars[fact.type] ?? fact.type, `${where}: type`)
  }
  if (fact.enum) {
    const dot = fact.enum.lastIndexOf('.')
    const known = file.enums[fact.enum] ?? files.get(fact.enum.slice(0, dot))?.enums[fact.enum.slice(dot + 1)]
    const values = (known?.closed ? (inner.facets?.enum ?? inner.facets?.publishedEnum) : inner.facets?.openEnum)?.map((value) =>
      platform.name(String(value)),
    )
    // One value is a product name, which the platform record supplies.
    const named = known?.values.filter((value) => value !== platform.finalizer)
    // The order of values is that of error messages, which differs from that of the tables; OpenAPI sorts them.
    assert.deepEqual(values?.toSorted() ?? [], named?.toSorted(), `${where}: enum`)
  }
}

test('every message of the tables is declared, and every field is equal', { skip }, () => {
  const all = tables()
  const expected = reached(all)
  const packages = new Map(groupVersions.map((each) => [nameOf(each.package), each.messages]))
  let messages = 0
  let fields = 0
  for (const [file, names] of expected) {
    const own = new Map((packages.get(file.openapiPrefix) ?? []).map((each) => [each.name, each]))
    for (const fact of file.messages.filter((each) => names.has(each.name) && !each.wrapper)) {
      const message = own.get(fact.name)
      assert.ok(message, `${file.file}.${fact.name} is declared`)
      const keys = fact.fields.map((each) => each.json ?? each.pbName ?? '')
      assert.deepEqual(Object.keys(message.fields), keys, `${file.file}.${fact.name}: fields in order`)
      assert.equal(message.typeMeta === true, fact.typeMeta === true, `${file.file}.${fact.name}: type metadata`)
      assert.equal(message.atomic === true, fact.structType === 'atomic', `${file.file}.${fact.name}: struct type`)
      for (const [index, each] of fact.fields.entries()) {
        const field: Field | undefined = message.fields[keys[index] ?? '']
        assert.ok(field)
        checkField(all.files, file, `${file.file}.${fact.name}.${keys[index]}`, each, field)
        fields++
      }
      messages++
      own.delete(fact.name)
    }
    const surplus = [...own.keys()].filter((name) => !file.messages.find((each) => each.name === name)?.alias)
    assert.deepEqual(surplus, [], `${file.file}: nothing else is declared`)
  }
  assert.ok(messages > 700 && fields > 2700, `${messages} messages, ${fields} fields`)
})

test('every served resource is declared', { skip }, () => {
  const { kinds } = tables()
  const rows = builtInResources
  const served = kinds.filter((kind) => kind.use === 'resource')
  assert.equal(rows.length, served.length)
  for (const [index, fact] of served.entries()) {
    const row = rows.find(
      (each) => platform.name(each.group) === fact.group && each.version === fact.version && each.kind === fact.kind,
    ) as ResourceDefinition
    const where = `${fact.group}/${fact.version} ${fact.kind} (${index})`
    assert.ok(row, where)
    assert.deepEqual(
      [row.names.plural, row.names.singular, row.names.short ?? [], row.names.categories ?? []],
      [fact.plural, fact.singular, fact.shortNames, fact.categories],
      where,
    )
    assert.deepEqual([row.namespaced, row.servedByDefault], [fact.namespaced, fact.servedByDefault], where)
    assert.deepEqual([...row.verbs].sort(), [...fact.verbs].sort(), where)
    assert.equal(row.schema.name, fact.kind, where)
    if (fact.listKind) assert.equal(row.listKind, fact.listKind, where)
    const key = fact.storagePrefix === null ? '' : fact.storagePrefix.replace('/registry/', '')
    assert.equal(platform.name(row.storageKey), key, `${where}: storage key`)
    const own = fact.group === '' ? fact.version : `${fact.group}/${fact.version}`
    if (fact.storageVersion) assert.equal(platform.name(row.storageVersion ?? own), fact.storageVersion, `${where}: storage version`)
    // The facts lack the deprecations of core/v1, which upstream declares by hand.
    if (fact.lifecycle && !['ComponentStatus', 'Endpoints'].includes(fact.kind)) {
      const { introduced, deprecated, removed } = row.lifecycle
      assert.deepEqual(
        [introduced, deprecated, removed],
        [fact.lifecycle.introduced, fact.lifecycle.deprecated, fact.lifecycle.removed],
        where,
      )
    }
    const subresources = [
      ...row.subresources.map((each) => each.name),
      ...(row.status ? ['status'] : []),
      ...(row.scale ? ['scale'] : []),
    ].sort()
    assert.deepEqual(subresources, fact.subresources.map((each) => each.name).sort(), `${where}: subresources`)
    for (const each of row.subresources) {
      const other = fact.subresources.find((one) => one.name === each.name)
      assert.deepEqual(
        [each.kind, each.group ?? row.group, each.version ?? row.version, [...each.verbs].sort()],
        [other?.kind, other?.group.replace('k8s.io', '<domain>'), other?.version, [...(other?.verbs ?? [])].sort()],
        `${where}: ${each.name}`,
      )
      assert.equal(each.schema.name, each.kind, `${where}: ${each.name}`)
    }
  }
})

test('resources and messages are unique', () => {
  const rows = builtInResources
  const ids = rows.map((row) => `${row.group}/${row.version}/${row.names.plural}`)
  assert.equal(new Set(ids).size, ids.length)
  for (const each of groupVersions) {
    const names = each.messages.map((message) => message.name)
    assert.equal(new Set(names).size, names.length, each.package)
  }
})

test('the resources of a group version declare it, and it has a discovery priority if there are any', () => {
  for (const { group, version, definitions, priority } of groupVersions) {
    for (const each of definitions) assert.deepEqual([each.group, each.version], [group, version], each.kind)
    assert.equal(priority > 0, definitions.length > 0, `${group}/${version}`)
  }
  const places = new Set(groupVersions.map(({ group, priority }) => `${group} ${priority}`))
  assert.equal(places.size, new Set(groupVersions.map(({ group }) => group)).size, 'one priority for each group')
})

test('protobuf tags are unique in a message, and list keys are fields of the items', () => {
  const check = (message: Message): void => {
    const tags = Object.values(message.fields).flatMap((field) => (field.tag === 0 ? [] : [field.tag]))
    assert.equal(new Set(tags).size, tags.length, message.name)
    for (const [name, { schema }] of Object.entries(message.fields)) {
      if (schema.type !== 'list' || !schema.keys) continue
      const { items } = schema
      assert.ok(items.type === 'message', `${message.name}.${name}`)
      for (const key of schema.keys) assert.ok(items.json.has(key), `${message.name}.${name}: ${key}`)
    }
  }
  for (const each of groupVersions) for (const message of each.messages) check(message)
})

test('every message and field is documented', () => {
  const missing: string[] = []
  for (const each of groupVersions) {
    for (const message of each.messages) {
      if (message.doc === '') missing.push(`${each.package}.${message.name}`)
      for (const [name, field] of Object.entries(message.fields)) {
        const path = `${each.package}.${message.name}.${name}`
        if (!field.inline && field.doc === '' && !undescribed.has(path)) missing.push(path)
      }
    }
  }
  assert.deepEqual(missing, [])
})

test('a list carries list metadata and items', () => {
  const row = builtInResources.find((each) => each.kind === 'Pod')
  assert.ok(row)
  const list = listSchemaOf(row)
  assert.equal(list.name, 'PodList')
  assert.deepEqual([...list.json.keys()], ['metadata', 'items'])
  assert.ok(list.fields['items']?.schema.type === 'list' && list.fields['items'].schema.items === Pod)
})

test('the grace period of a pod is 0 unless it runs on a node', () => {
  const row = builtInResources.find((each) => each.kind === 'Pod')
  assert.ok(row?.strategy.gracePeriod)
  const spec = { nodeName: 'n1', containers: [], terminationGracePeriodSeconds: 5 }
  assert.equal(row.strategy.gracePeriod({ spec: { containers: [] } }, undefined), 0)
  assert.equal(row.strategy.gracePeriod({ spec: { containers: [] } }, 10), 0)
  assert.equal(row.strategy.gracePeriod({ spec }, undefined), 5)
  assert.equal(row.strategy.gracePeriod({ spec }, 1), 1)
  assert.equal(row.strategy.gracePeriod({ spec: { ...spec, terminationGracePeriodSeconds: undefined } }, undefined), 30)
  assert.equal(row.strategy.gracePeriod({ spec, status: { phase: 'Failed' } }, undefined), 0)
})

test('field selectors treat unset fields as zero values', () => {
  const selected = (kind: string, label: string, object: object): unknown => {
    const select = builtInResources.find((each) => each.kind === kind)?.selectable?.[label]
    assert.ok(typeof select === 'function', label)
    return select({ kind, apiVersion: 'v1', metadata: {}, ...object })
  }
  assert.equal(selected('Node', 'spec.unschedulable', {}), 'false')
  assert.equal(selected('Node', 'spec.unschedulable', { spec: { unschedulable: true } }), 'true')
  assert.equal(selected('ReplicationController', 'status.replicas', {}), '0')
  assert.equal(selected('ReplicationController', 'status.replicas', { status: { replicas: 3 } }), '3')
  assert.equal(selected('Event', 'source', { source: {}, reportingComponent: 'c' }), 'c')
})

/** Compiles only when the inferred type equals the expected one. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <T extends true>(value: T): T => value

test('types follow from the schemas', () => {
  type PodValue = Infer<typeof Pod>
  type Spec = NonNullable<PodValue['spec']>
  same<Same<Spec['nodeName'], string | undefined>>(true)
  same<Same<Spec['containers'][number]['name'], string>>(true)
  same<Same<NonNullable<Spec['volumes']>[number]['name'], string>>(true)
  same<Same<NonNullable<NonNullable<Spec['volumes']>[number]['emptyDir']>['medium'], string | undefined>>(true)
  same<Same<NonNullable<NonNullable<PodValue['metadata']>['labels']>, { [key: string]: string }>>(true)
  same<Same<NonNullable<Infer<typeof Deployment>['spec']>['replicas'], number | undefined>>(true)
  same<Same<NonNullable<Infer<typeof Secret>['data']>, { [key: string]: string }>>(true)
  const pod: PodValue = { metadata: { name: 'web' }, spec: { containers: [{ name: 'c', resources: { limits: { cpu: '1' } } }] } }
  assert.equal(pod.spec?.containers[0]?.resources?.limits?.['cpu'], '1')
  // @ts-expect-error A container needs a name.
  const wrong: PodValue = { spec: { containers: [{}] } }
  assert.ok(wrong)
})
