import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtInRows } from '../../../../core/objects/registry/built-in.ts'
import { createCodec } from '../../../../core/objects/storage/codec.ts'
import { createRawCodec } from '../../../../core/objects/storage/raw-codec.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { StoreError } from '../../../../core/ports.ts'
import type { ApiObject, ResourceDefinition } from '../../../../core/resources/definition.ts'
import { builtInResources } from '../../../../core/resources/group-versions.ts'
import { bytes, text } from '../../../../runtimes/testing/store/recorder.ts'

const platform = createPlatform()
const rows = builtInRows(builtInResources, platform)

function row(group: string, version: string, plural: string): ResourceDefinition {
  const found = rows.find((each) => each.group === group && each.version === version && each.names.plural === plural)
  assert(found)
  return found
}

const configMaps = row('', 'v1', 'configmaps')
const json = createCodec(configMaps)
const protobuf = createCodec(configMaps, { mediaType: platform.protobufType })
const served = (value: Uint8Array, revision = 7) => JSON.parse(text(json.serve(value, revision)) ?? '') as ApiObject

const object: ApiObject = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'x', namespace: 'default', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', labels: { a: 'b' } },
  data: { k: 'v', 'k\u00e9': '\u{1f600}' },
  binaryData: { b: 'AAEC' },
}

/** `core.v1.ConfigMap.pb` of the serialization test data of k8s.io/api. */
const golden = Buffer.from(
  'azhzAAoPCgJ2MRIJQ29uZmlnTWFwEo8DCuACCgluYW1lVmFsdWUSEWdlbmVyYXRlTmFtZVZhbHVlGg5uYW1lc3BhY2VWYWx1ZSINc2VsZkxpbmtWYWx1ZSoIdWlkVmFsdWUyFHJlc291cmNlVmVyc2lvblZhbHVlOAdCCAjNoea7BBAASggIzavwygQQAFAKWhgKCWxhYmVsc0tleRILbGFiZWxzVmFsdWViIgoOYW5ub3RhdGlvbnNLZXkSEGFubm90YXRpb25zVmFsdWVqNQoJa2luZFZhbHVlGgluYW1lVmFsdWUiCHVpZFZhbHVlKg9hcGlWZXJzaW9uVmFsdWUwATgBcg9maW5hbGl6ZXJzVmFsdWWKAWIKDG1hbmFnZXJWYWx1ZRIOb3BlcmF0aW9uVmFsdWUaD2FwaVZlcnNpb25WYWx1ZSIICM3izf8DEAMyD2ZpZWxkc1R5cGVWYWx1ZToECgJ7fUIQc3VicmVzb3VyY2VWYWx1ZRIUCgdkYXRhS2V5EglkYXRhVmFsdWUaEgoNYmluYXJ5RGF0YUtleRIBAyABGgAiAA==',
  'base64',
)

test('reads protobuf stored by kube-apiserver', () => {
  const { kind, apiVersion, metadata, data, binaryData, immutable } = served(golden)
  assert.deepEqual(
    { kind, apiVersion, data, binaryData, immutable },
    {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      data: { dataKey: 'dataValue' },
      binaryData: { binaryDataKey: 'Aw==' },
      immutable: true,
    },
  )
  assert.equal(metadata.resourceVersion, '7')
  assert.equal(metadata.uid, 'uidValue')
  assert.equal(metadata.managedFields?.length, 1)
})

test('serves the same bytes for every storage media type', () => {
  const print = json.print(json.canonical(object))
  const printed = bytes(print.json)
  const expected = text(json.show(print, 7))
  assert.equal(text(json.show(print)), print.json)
  const stored = protobuf.store(print)
  assert.deepEqual([...stored.subarray(0, 4)], [0x6b, 0x38, 0x73, 0])
  assert(stored.length < printed.length)
  for (const codec of [json, protobuf]) {
    assert.equal(text(codec.serve(stored, 7)), expected)
    assert.equal(text(codec.serve(printed, 7)), expected)
  }
  assert.deepEqual(json.store(print), printed)
  const yaml = createCodec(configMaps, { mediaType: 'application/yaml' }).store(print)
  assert.match(text(yaml) ?? '', /^apiVersion: v1\n.*\nkind: ConfigMap\nmetadata:\n/s)
  for (const codec of [json, protobuf]) assert.equal(text(codec.serve(yaml, 7)), expected)
})

test('serves JSON stored by others compact and in canonical order', () => {
  const { kind, apiVersion, ...fields } = object
  const expected = text(json.show(json.print(json.canonical(object)), 7))
  for (const written of [
    `${JSON.stringify(json.canonical(object))}\n`,
    JSON.stringify({ apiVersion, ...fields, kind }),
    JSON.stringify(object, undefined, 2),
  ]) {
    assert.equal(text(json.serve(bytes(written), 7)), expected)
  }
})

test('reads objects stored in an older version', () => {
  const autoscalers = row('autoscaling', 'v2', 'horizontalpodautoscalers')
  const codec = createCodec(autoscalers, { versions: [row('autoscaling', 'v1', 'horizontalpodautoscalers')] })
  const old = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'x', namespace: 'default' },
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
  }
  const read = JSON.parse(text(codec.serve(bytes(JSON.stringify(old)), 7)) ?? '')
  assert.equal(read.apiVersion, 'autoscaling/v2')
  assert.deepEqual(read.spec.metrics, [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
  ])
})

test('reports a value that is damaged or of another kind', () => {
  const secret = { ...object, kind: 'Secret' }
  for (const damaged of [
    bytes(''),
    bytes('{"kind":'),
    golden.subarray(0, 100),
    bytes('kind: ['),
    bytes('text'),
    bytes(JSON.stringify(secret)),
  ]) {
    assert.throws(
      () => json.serve(damaged, 7),
      (error) => error instanceof StoreError && error.code === 'corrupt',
      text(damaged),
    )
  }
})

test('bytes of an object at another revision differ only in resourceVersion', () => {
  for (const metadata of [object.metadata, {}]) {
    const print = json.print(json.canonical({ ...object, metadata }))
    for (const to of [8, 1_000_000]) {
      assert.equal(text(json.restamp(json.show(print, 7), 7, to)), text(json.show(print, to)))
      const raw = createRawCodec()
      assert.equal(text(raw.restamp(json.show(print, 7), 7, to)), text(json.show(print, to)))
    }
  }
})

test('resourceVersion stands behind the members of metadata that identify the object', () => {
  const identity = { name: 'a"\\', generateName: 'a', namespace: 'n', uid: 'u' }
  const others = { generation: 1, creationTimestamp: '2026-01-01T00:00:00Z', labels: { uid: 'x' }, finalizers: ['a/b'] }
  for (const metadata of [{}, identity, others, { ...identity, ...others }, { name: 'a', labels: { a: 'b' } }]) {
    const print = json.print(json.canonical({ ...object, metadata }))
    const given = (names: object) => Object.keys(names).filter((name) => name in metadata)
    const stored = json.store(print)
    const pieces = json.pieces(stored, 7)
    const raw = createRawCodec().serve(stored, 7)
    const forms = [json.show(print, 7), json.serve(stored, 7), bytes(pieces.map((piece) => text(piece)).join('')), raw]
    const order = [...given(identity), 'resourceVersion', ...given(others)]
    for (const form of forms) assert.deepEqual(Object.keys(JSON.parse(text(form) ?? '').metadata), order)
    assert.deepEqual(json.decode(...pieces), json.decode(json.show(print, 7)))
    assert.ok(json.isShown(json.show(print, 7), print, 7))
    assert.ok(!json.isShown(json.show(print, 7), print, 8))
    for (const text of ['x', 'é', 'a text of another length']) {
      const other = json.print(json.canonical({ ...object, metadata: { ...metadata, annotations: { text } } }))
      assert.ok(json.isShown(json.show(other, 7), other, 7))
      assert.ok(!json.isShown(json.show(print, 7), other, 7))
      assert.ok(!json.isShown(json.show(other, 7), print, 7))
    }
  }
})
