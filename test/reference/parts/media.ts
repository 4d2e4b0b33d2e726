/** Every kind through every media type: bodies in YAML, protobuf and CBOR, answers as YAML, Tables and metadata, validation of fields. Dry runs. */
import type { ResourceDefinition } from '../../../core/resources/definition.ts'
import { canonicalise } from '../../../core/schema/decode.ts'
import type { JsonObject } from '../../../core/schema/model.ts'
import { encodeObject } from '../../../core/schema/protobuf/protobuf.ts'
import { collectionPath } from '../../support/minimal-objects.ts'
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'
import { account, makes, objectOf, pathOf, removes } from '../inputs/objects.ts'
import { answeredKinds, storedKinds, titleOf } from '../kinds.ts'

const name = 'media'
const protobuf = 'application/vnd.kubernetes.protobuf'
const accepts = [
  'application/yaml',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/yaml;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/cbor',
  'application/cbor,application/json;q=0.1',
  `${protobuf},application/json`,
  `${protobuf};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`,
  'application/vnd.none',
]
const latin = (bytes: Uint8Array) => String.fromCharCode(...bytes)
const inProtobuf = { 'content-type': protobuf, 'x-latin1': '1' }

/** Kinds with a status that the server itself writes at any moment: what shows their managers as text depends on when a second ends. */
const reported = new Set(['CustomResourceDefinition', 'APIService', 'FlowSchema'])

/** The object in protobuf, as text of one character for each byte. */
function encoded({ schema, kind }: ResourceDefinition, object: JsonObject): string {
  return latin(encodeObject(String(object['apiVersion']), kind, schema, canonicalise(schema, object, { root: true })))
}

function* bodies(
  definition: ResourceDefinition,
  base: JsonObject,
): Generator<readonly [what: string, body: string, headers: Call['headers']]> {
  const { kind, apiVersion, metadata, ...rest } = base
  const text = JSON.stringify(base)
  const twice = text
    .replace(/^\{/, `{"kind":${JSON.stringify(kind)},`)
    .replace('"metadata":{', '"metadata":{"labels":{"a":"1","a":"2"},"labels":{},')
  yield ['YAML', text, { 'content-type': 'application/yaml' }]
  yield ['block YAML', block({ kind, apiVersion, metadata, ...rest } as JsonObject), { 'content-type': 'application/yaml' }]
  yield ['protobuf', encoded(definition, base), inProtobuf]
  yield ['protobuf without its envelope', encoded(definition, base).slice(4), inProtobuf]
  yield ['cut protobuf', encoded(definition, base).slice(0, -9), inProtobuf]
  yield ['JSON as protobuf', text, inProtobuf]
  yield ['protobuf as JSON', encoded(definition, base), { 'content-type': 'application/json', 'x-latin1': '1' }]
  yield ['CBOR', '\u00d9\u00d9\u00f7\u00a0', { 'content-type': 'application/cbor', 'x-latin1': '1' }]
  yield ['JSON with duplicates', twice, { 'content-type': 'application/json' }]
  yield ['YAML with duplicates', twice, { 'content-type': 'application/yaml' }]
  yield ['unknown members', JSON.stringify({ ...base, one: 1, metadata: { ...(metadata as object), two: 2 }, Spec: {} }), undefined]
  yield ['without a version', JSON.stringify({ ...base, apiVersion: undefined }), undefined]
  yield ['without a kind', JSON.stringify({ ...base, kind: undefined }), undefined]
  yield ['another version', JSON.stringify({ ...base, apiVersion: 'example.com/v1' }), undefined]
  yield ['a list of the kind', JSON.stringify({ ...base, kind: `${String(kind)}List`, items: [] }), undefined]
  yield ['without metadata', JSON.stringify({ ...base, metadata: undefined }), undefined]
  yield [
    'a generated name',
    JSON.stringify({ ...base, metadata: { ...(metadata as object), name: undefined, generateName: 'made-' } }),
    undefined,
  ]
  yield [
    'a name to be generated and one',
    JSON.stringify({ ...base, metadata: { ...(metadata as object), generateName: 'made-' } }),
    undefined,
  ]
  yield [
    'a bad name to be generated',
    JSON.stringify({ ...base, metadata: { ...(metadata as object), name: undefined, generateName: 'Made ' } }),
    undefined,
  ]
}

/** An object with its members on lines of their own. */
const block = (object: JsonObject) =>
  Object.entries(object)
    .map(([member, value]) => `${member}: ${JSON.stringify(value)}\n`)
    .join('')

function* scenes(): Generator<Scene> {
  for (const definition of storedKinds) {
    const kind = titleOf(definition)
    const base = objectOf(definition, name)
    const fresh = objectOf(definition, 'fresh-media')
    const collection = collectionPath(definition)
    const path = pathOf(definition, base)
    const scene = (at: string, ...calls: Call[]): Scene => ({ kind, at, calls })
    for (const [what, body, headers] of bodies(definition, fresh))
      for (const validation of ['', '&fieldValidation=Strict', '&fieldValidation=Ignore'])
        yield scene(`POST ${what}${validation}`, send('POST', `${collection}?dryRun=All${validation}`, body, headers))
    for (const [what, body, headers] of bodies(definition, base))
      yield scene(`PUT ${what}`, send('PUT', `${path}?dryRun=All&fieldValidation=Strict`, body, headers))
    for (const type of reported.has(definition.kind)
      ? []
      : ['application/merge-patch+json', 'application/strategic-merge-patch+json', 'application/apply-patch+yaml'])
      for (const validation of ['', '&fieldValidation=Strict', '&fieldValidation=Ignore'])
        yield scene(
          `PATCH ${type}${validation}`,
          send(
            'PATCH',
            `${path}?dryRun=All&fieldManager=x${validation}`,
            // Of several, an apply names the first one in the order of a hash table.
            {
              ...{ ...base, one: 1 },
              metadata: { ...(base['metadata'] as object), labels: { a: 'b' }, ...(!type.includes('apply') && { two: 2 }) },
            },
            { 'content-type': type },
          ),
        )
    for (const accept of accepts) {
      if (accept.includes('yaml') && reported.has(definition.kind)) continue
      yield scene(`GET ${accept}`, get(path, { accept }))
      yield scene(`POST ${accept}`, send('POST', `${collection}?dryRun=All`, fresh, { accept }))
      yield scene(`PUT ${accept}`, send('PUT', `${path}?dryRun=All`, base, { accept }))
      yield scene(`DELETE ${accept}`, { method: 'DELETE', path: `${path}?dryRun=All`, headers: { accept } })
      yield scene(`LIST ${accept}`, get(`${collection}?fieldSelector=metadata.name%3D${nameOf(base)}`, { accept }))
      yield scene(
        `WATCH ${accept}`,
        get(
          `${collection}?fieldSelector=metadata.name%3D${nameOf(base)}&watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
          { accept },
        ),
      )
      yield scene(`missing ${accept}`, get(`${path}-none`, { accept }))
    }
    for (const pretty of ['pretty=1', 'pretty=false&pretty=true', 'pretty=x']) {
      yield scene(`GET ${pretty}`, get(`${path}?${pretty}`), { ...get(`${path}?${pretty}`), headers: { 'user-agent': 'curl/8' } })
      yield scene(`POST ${pretty}`, send('POST', `${collection}?dryRun=All&${pretty}`, fresh))
    }
  }
  for (const definition of answeredKinds) {
    const path = collectionPath(definition)
    const object: JsonObject = { kind: definition.kind, apiVersion: [definition.group, definition.version].filter(Boolean).join('/') }
    for (const accept of accepts)
      yield { kind: titleOf(definition), at: `POST ${accept}`, calls: [send('POST', `${path}?dryRun=All`, object, { accept })] }
    yield {
      kind: titleOf(definition),
      at: 'POST protobuf',
      calls: [send('POST', `${path}?dryRun=All`, encoded(definition, object), inProtobuf)],
    }
  }
}

const nameOf = (object: JsonObject) => String((object['metadata'] as JsonObject)['name'])

export const media: Part = {
  name: 'media',
  before: () => [account, ...storedKinds.flatMap((definition) => makes(definition, name))],
  scenes,
  after: () => storedKinds.flatMap((definition) => removes(definition, name)),
}
