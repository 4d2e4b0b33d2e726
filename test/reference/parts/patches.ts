/** Patches: directives of strategic patches and ownership at every list, map and message; JSON patches that fail, move and copy. These write. */
import type { Field, Json, JsonObject, List, Message, Schema } from '../../../core/schema/model.ts'
import { collectionPath } from '../../support/minimal-objects.ts'
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'
import { type Node, nodesOf, TriedFields } from '../inputs/nodes.ts'
import { account, isNamedFreely, objectOf, pathOf, removes } from '../inputs/objects.ts'
import { plausible } from '../inputs/plausible.ts'
import { storedKinds, titleOf } from '../kinds.ts'

const json = { 'content-type': 'application/json-patch+json' }
const merge = { 'content-type': 'application/merge-patch+json' }
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
const applied = { 'content-type': 'application/apply-patch+yaml' }

/** A second item, with another text in the field that tells items apart. */
function another(item: Json, { patchMergeKey = 'name' }: Field): Json {
  if (typeof item === 'string') return `${item}y`
  if (typeof item === 'number') return item + 1
  const object = item as JsonObject
  const own = object[patchMergeKey]
  return { ...object, [patchMergeKey]: typeof own === 'number' ? own + 1 : `${String(own ?? 'x')}y` }
}

/** An item's part that tells it apart. */
const keyed = (item: Json, { patchMergeKey }: Field): JsonObject =>
  patchMergeKey === undefined ? (item as JsonObject) : { [patchMergeKey]: (item as JsonObject)[patchMergeKey] ?? 'x' }

/** Values beside a list's own name in a strategic patch of its parent. */
function listPatches(name: string, field: Field, items: readonly Json[]): JsonObject[] {
  const [one = null, two = null] = items
  const isText = typeof one !== 'object' || one === null
  const order = `$setElementOrder/${name}`
  const remove = `$deleteFromPrimitiveList/${name}`
  if (isText)
    return [
      { [name]: [two] },
      { [remove]: [one] },
      { [remove]: one },
      { [remove]: null },
      { [remove]: [1, {}] },
      { [remove]: [one], [name]: [another(two, field)] },
      { [order]: [two, one] },
      { [order]: [two, 'none', one] },
      { [order]: [two, one], [name]: ['new'] },
      { [order]: 'x' },
      { [name]: [{ $patch: 'replace' }, two] },
    ]
  const key = keyed(one, field)
  // An order of objects without keys is a panic of the reference, which closes the connection.
  const orders: JsonObject[] =
    field.patchMergeKey === undefined
      ? []
      : [
          { [order]: [keyed(two, field), key] },
          { [order]: [keyed(two, field)], [name]: [{ ...key, $patch: 'delete' }] },
          { [order]: [key], [name]: [two] },
          { [order]: [{}] },
          { [order]: ['x'] },
        ]
  return [
    ...orders,
    { [name]: [{ ...key, $patch: 'delete' }] },
    {
      [name]: [
        { ...keyed(two, field), $patch: 'delete' },
        { ...(one as JsonObject), ...key },
      ],
    },
    { [name]: [{ $patch: 'delete' }] },
    { [name]: [{ $patch: 'replace' }, two] },
    { [name]: [two, { $patch: 'replace' }] },
    { [name]: [{ $patch: 'replace' }] },
    { [name]: [{ ...key, $patch: 'replace' }] },
    { [name]: [{ ...key, $patch: 'merge' }] },
    { [name]: [{ ...key, $patch: 'x' }] },
    { [name]: [{ ...key, $patch: 1 }] },
    { [name]: [{ ...key, $retainKeys: Object.keys(key) }] },
    { [name]: [{ ...key, $retainKeys: ['none'] }] },
    { [name]: [{}] },
    { [name]: [null] },
    { [name]: [two, two] },
    { [name]: ['x'] },
    { [order]: {} },
    { [remove]: [one] },
  ]
}

const objectPatches: readonly JsonObject[] = [
  { $patch: 'delete' },
  { $patch: 'replace' },
  { $patch: 'merge' },
  { $patch: 'x' },
  { $patch: null },
  { $retainKeys: [] },
  { $retainKeys: ['none'] },
  { $retainKeys: 'x' },
  { $retainKeys: [1] },
]

/** The object with only what leads to the place, whose parent is replaced. */
function pathTo(node: Node, parent: JsonObject): JsonObject {
  const steps = node.path.replaceAll('{}', '.key').split('.').slice(0, -1)
  return steps.reduceRight<JsonObject>((inner, step) => ({ [step]: inner }), parent)
}

/** Places below items of lists are left out: a patch names items by their keys. */
const isReachable = ({ path }: Node) => !path.includes('[]')

const lastOf = (path: string) => path.split('.').at(-1) ?? ''

/** A field that patches reach, tried once, and the name of an object for it. */
interface Tried {
  readonly definition: (typeof storedKinds)[number]
  readonly node: Node
  readonly field: Field
  /** The object before the field is put in it. */
  readonly base: JsonObject
  readonly name: string
}

function* triedFields(prefix: string): Generator<Tried> {
  const seen = new TriedFields()
  for (const definition of storedKinds) {
    if (!isNamedFreely(definition) || definition.specFinalizers) continue
    const base = objectOf(definition, prefix)
    for (const node of nodesOf(definition.schema, base, seen)) {
      const { field } = node
      if (field === undefined || node.seen || !isReachable(node)) continue
      // Every kind has metadata; objects of two versions, and a service and its endpoints, must not share a name.
      const { names, version, group } = definition
      const owner = node.path === 'metadata' ? `-of-${names.plural}-${version}${group.split('.')[0]}` : ''
      const name = `${prefix}-${node.path.toLowerCase().replaceAll(/[^a-z]/g, '-')}${owner}-x`.slice(0, 60)
      yield { definition, node, field, base, name }
    }
  }
}

function* directives(): Generator<Scene> {
  for (const { definition, node, field, name } of triedFields('patched')) {
    const bodies = bodiesOf(node, field)
    if (bodies === undefined) continue
    const object = withName(node.put(bodies.value), name)
    const path = pathOf(definition, object)
    yield {
      kind: titleOf(definition),
      at: node.path,
      calls: [
        send('POST', collectionPath(definition), object),
        ...bodies.patches.map((body) => send('PATCH', `${path}?dryRun=All`, pathTo(node, body), strategic)),
        ...removes(definition, name),
      ],
    }
  }
}

/** The object under this name; a pod without the volume of its account's token. */
function withName(object: JsonObject, name: string): JsonObject {
  const named = { ...object, metadata: { ...(object['metadata'] as object), name } }
  return object['kind'] === 'Pod' ? { ...named, spec: { automountServiceAccountToken: false, ...(object['spec'] as object) } } : named
}

/** What is stored at the place, and patches of its parent. */
function bodiesOf({ schema, path }: Node, field: Field): { value: Json; patches: readonly JsonObject[] } | undefined {
  const name = lastOf(path)
  if (schema.type === 'list') {
    const [item = 'x'] = plausible(schema, name) as Json[]
    const items = [item, another(item, field)]
    return { value: items, patches: listPatches(name, field, items) }
  }
  if (schema.type !== 'message' && schema.type !== 'map') return undefined
  return { value: plausible(schema, name), patches: objectPatches.map((body) => ({ [name]: body })) }
}

/** Applies of every list by two managers: items of one are added, changed and taken away beside those of the other. */
function* owned(): Generator<Scene> {
  for (const { definition, node, field, base, name } of triedFields('owned')) {
    const { schema } = node
    if (schema.type !== 'list') continue
    const [item = 'x'] = plausible(schema, lastOf(node.path)) as Json[]
    const more = another(item, withKey(field, schema))
    const path = pathOf(definition, withName(base, name))
    const apply = (manager: string, value: Json | undefined, force = '') =>
      send('PATCH', `${path}?fieldManager=${manager}${force}`, withName(node.put(value), name), applied)
    yield {
      kind: titleOf(definition),
      at: `owned ${node.path}`,
      calls: [
        apply('one', [item]),
        apply('two', [more]),
        apply('two', [more], '&force=true'),
        apply('one', [item, more]),
        apply('one', [more, item], '&force=true'),
        apply('one', [item, item]),
        apply('two', []),
        apply('one', undefined),
        get(path),
        ...removes(definition, name),
      ],
    }
  }
}

const withKey = (field: Field, { keys }: List): Field => (keys?.[0] === undefined ? field : { ...field, patchMergeKey: keys[0] })

const maps = '/api/v1/namespaces/default/configmaps'
const pods = '/api/v1/namespaces/default/pods'

/** Operations on a config map with data and annotations, of which one has a slash in its key. */
const operations: readonly (readonly Json[])[] = [
  ...[[], [{}], [null], ['x'], [1], [[]]],
  ...[[{ op: 'x', path: '/data/a' }], [{ op: 'add' }], [{ path: '/data/a' }], [{ op: 1, path: '/data/a' }], [{ op: 'remove', path: 1 }]],
  ...[
    '',
    '/',
    '//',
    'data',
    'data/a',
    '/data/none',
    '/data/',
    '/metadata/annotations/b~1c',
    '/metadata/annotations/d~0e',
    '/metadata/annotations/d~2e',
    '/none/a',
    '/data/a/b',
  ].flatMap((path) =>
    ['add', 'replace', 'remove', 'test'].map((op): Json[] => [{ op, path, ...(op === 'remove' ? {} : { value: path === '' ? {} : 'v' }) }]),
  ),
  ...['add', 'replace', 'test'].map((op): Json[] => [{ op, path: '/data/a' }]),
  ...['add', 'replace', 'test'].map((op): Json[] => [{ op, path: '/data/a', value: null }]),
  ...['', '/', '/data/a', '/data/none', '/none', '/data', '/metadata/name', '/metadata/annotations/b~1c'].flatMap((from) =>
    ['move', 'copy'].flatMap((op) => ['/data/new', '/data/a', '/none/new', '', '/data'].map((path): Json[] => [{ op, from, path }])),
  ),
  ...[[{ op: 'move', path: '/data/a' }], [{ op: 'copy', path: '/data/new' }], [{ op: 'move', from: 1, path: '/data/a' }]],
  ...['0', '-', '1', '2', '3', '-1', '-2', '-3', '01', '1.0', 'x', ' 0', '+1', '1e0', '99999999999999999999'].flatMap((index) =>
    ['add', 'replace', 'remove', 'test'].map((op): Json[] => [
      { op, path: `/metadata/finalizers/${index}`, ...(op === 'remove' ? {} : { value: 'example.com/new' }) },
    ]),
  ),
  ...['0', '-', '5', '-1'].flatMap((index) =>
    ['move', 'copy'].map((op): Json[] => [{ op, from: '/metadata/finalizers/1', path: `/metadata/finalizers/${index}` }]),
  ),
  ...[
    { op: 'test', path: '/metadata/finalizers', value: ['example.com/a', 'example.com/b'] },
    { op: 'test', path: '/metadata/finalizers', value: ['example.com/b', 'example.com/a'] },
    { op: 'test', path: '/data', value: { a: '1', b: '2', c: '3' } },
    { op: 'test', path: '/data', value: { c: '3', b: '2', a: '1' } },
    { op: 'test', path: '/data', value: { a: '1' } },
    { op: 'test', path: '/data/none', value: null },
    { op: 'test', path: '/none', value: null },
    { op: 'test', path: '/data/a', value: 1 },
    { op: 'test', path: '/data/a', value: '1', from: '/x', more: true },
  ].map((operation): Json[] => [operation]),
  [
    { op: 'replace', path: '/data/a', value: '2' },
    { op: 'test', path: '/data/a', value: '2' },
  ],
  [
    { op: 'replace', path: '/data/a', value: '2' },
    { op: 'test', path: '/data/a', value: '1' },
  ],
  [
    { op: 'remove', path: '/data' },
    { op: 'add', path: '/data/x', value: 'y' },
  ],
  ...['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'labels', 'finalizers'].flatMap((name) =>
    ['remove', 'replace'].map((op): Json[] => [{ op, path: `/metadata/${name}`, ...(op === 'remove' ? {} : { value: 'x' }) }]),
  ),
  ...['/kind', '/apiVersion', '/metadata', '/immutable'].flatMap((path) => [
    [{ op: 'remove', path }],
    [{ op: 'replace', path, value: 'x' }],
    [{ op: 'add', path, value: true }],
  ]),
]

function* jsonPatches(): Generator<Scene> {
  const path = `${maps}/json-patched`
  const stored = {
    metadata: {
      ...{ name: 'json-patched', labels: { a: 'b' }, finalizers: ['example.com/a', 'example.com/b'] },
      annotations: { 'b/c': '2', 'd.e': '3' },
    },
    data: { a: '1', b: '2', c: '3' },
  }
  yield {
    kind: 'configmaps',
    at: 'JSON patches',
    calls: [
      send('POST', maps, stored),
      ...operations.map((body) => send('PATCH', `${path}?dryRun=All`, body, json)),
      ...['', '{}', 'null', '[', '[{"op":"add","path":"/data/a","value":"1","value":"2"}]', '[] x', '"x"', '[{"op":"test"}]'].map((body) =>
        send('PATCH', `${path}?dryRun=All`, body, json),
      ),
      ...['', '[]', 'null', '{', '{"data":{"a":"1","a":"2"}}', '{} x', '"x"', '1', '{"data":null}', '{"metadata":null}'].flatMap((body) =>
        [merge, strategic, applied].map((type) => send('PATCH', `${path}?dryRun=All&fieldManager=x`, body, type)),
      ),
      send(
        'PATCH',
        `${path}?dryRun=All`,
        Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: '1' })),
        json,
      ),
      send('PATCH', path, { metadata: { finalizers: null } }, merge),
      { method: 'DELETE', path },
    ],
  }
}

/** Applies through subresources, with conflicts, and what becomes of ownership. */
function* subresources(): Generator<Scene> {
  for (const definition of storedKinds) {
    if (!isNamedFreely(definition) || definition.specFinalizers) continue
    const parts = ['', ...(definition.status ? ['status'] : []), ...(definition.scale ? ['scale'] : [])]
    if (parts.length === 1) continue
    const name = `parted-${definition.version}`
    const base = objectOf(definition, name)
    const path = pathOf(definition, base)
    const scale = { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name }, spec: { replicas: 3 } }
    const { kind, apiVersion } = base
    const status = statusOf(definition.schema)
    const report = { kind, apiVersion, metadata: { name }, ...(status && { status }) } as JsonObject
    yield {
      kind: titleOf(definition),
      at: 'ownership of parts',
      calls: [
        send('POST', `${collectionPath(definition)}?fieldManager=maker`, base),
        ...(definition.status
          ? [
              send('PATCH', `${path}/status?fieldManager=one`, report, applied),
              send('PATCH', `${path}/status?fieldManager=two`, report, applied),
              send(
                'PATCH',
                `${path}/status?fieldManager=two&force=true`,
                { kind, apiVersion, metadata: { name, labels: { a: 'b' } } },
                applied,
              ),
              send('PATCH', `${path}?fieldManager=one`, report, applied),
              send('PUT', `${path}/status?fieldManager=three`, { ...base, status: status ?? {} }),
              send('PATCH', `${path}/status?fieldManager=three`, { status: null }, merge),
              send('PATCH', `${path}/status?fieldManager=one`, { kind, apiVersion, metadata: { name } }, applied),
              send('PATCH', `${path}/status?fieldManager=one`, { kind, apiVersion, metadata: { name: 'other' } }, applied),
            ]
          : []),
        ...(definition.scale
          ? [
              send('PATCH', `${path}/scale?fieldManager=one`, scale, applied),
              send('PATCH', `${path}/scale?fieldManager=one&force=true`, scale, applied),
              send('PATCH', `${path}/scale?fieldManager=two`, { ...scale, spec: { replicas: 4 } }, applied),
              send('PUT', `${path}/scale?fieldManager=three`, { ...scale, spec: { replicas: 5 } }),
              send('PATCH', `${path}/scale?fieldManager=one`, { ...scale, spec: {} }, applied),
              get(`${path}/scale`),
            ]
          : []),
        send('PATCH', `${path}?fieldManager=maker`, base, applied),
        get(path),
        ...removes(definition, name),
      ] satisfies Call[],
    }
  }
}

/** A status with one field, where it has one. */
function statusOf(message: Message): JsonObject | undefined {
  const schema: Schema | undefined = message.json.get('status')?.schema
  if (schema?.type !== 'message') return undefined
  const [[name, field] = []] = schema.json
  return name === undefined || field === undefined ? {} : { ...(plausible(schema) as JsonObject), [name]: plausible(field.schema, name) }
}

/** Containers with two lists of merge keys and names of ports. */
function* containers(): Generator<Scene> {
  const path = `${pods}/strategic`
  const container = {
    name: 'a',
    image: 'b',
    ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }],
    env: [{ name: 'x', value: '1' }],
  }
  const bodies: readonly Json[] = [
    { spec: { containers: [{ name: 'a', ports: [{ containerPort: 80, $patch: 'delete' }] }] } },
    { spec: { containers: [{ name: 'a', ports: [{ containerPort: 80, protocol: 'UDP', hostPort: 81 }] }] } },
    { spec: { containers: [{ name: 'a', env: [{ name: 'x', $patch: 'delete' }] }] } },
    { spec: { containers: [{ name: 'a', env: [{ name: 'y', value: '2' }], '$setElementOrder/env': [{ name: 'y' }, { name: 'x' }] }] } },
    { spec: { containers: [{ name: 'a', image: 'c' }], '$setElementOrder/containers': [{ name: 'a' }] } },
    { spec: { containers: [{ name: 'b', image: 'c' }], '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
    { spec: { containers: [{ name: 'a', image: 'c' }], '$setElementOrder/containers': [{ name: 'b' }] } },
    { spec: { containers: [{ name: 'a', $patch: 'delete' }] } },
    { spec: { tolerations: [{ operator: 'Exists' }] } },
    { spec: { tolerations: [{ $patch: 'replace' }] } },
    { spec: { volumes: [{ name: 'v', emptyDir: {}, $retainKeys: ['name', 'emptyDir'] }] } },
    { spec: { volumes: [{ name: 'v', emptyDir: {}, $retainKeys: ['name'] }] } },
    { spec: { imagePullSecrets: [{ name: 'x' }, { name: 'x' }] } },
    { spec: { $patch: 'replace', containers: [container] } },
    { $patch: 'replace', ...{ metadata: { name: 'strategic' }, spec: { containers: [container] } } },
    { $patch: 'delete' },
    { $patch: 'x' },
    { $retainKeys: ['metadata'] },
    { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] } },
    { metadata: { '$setElementOrder/finalizers': ['example.com/b', 'example.com/a'], finalizers: ['example.com/b'] } },
    { metadata: { labels: { $patch: 'replace', c: 'd' } } },
    { metadata: { ownerReferences: [{ uid: 'x', $patch: 'delete' }] } },
    { metadata: { ownerReferences: [{ uid: 'x', name: 'x', kind: 'Pod', apiVersion: 'v1' }, { uid: 'x' }] } },
  ]
  yield {
    kind: 'pods',
    at: 'strategic patches',
    calls: [
      send('POST', pods, {
        metadata: { name: 'strategic', labels: { a: 'b' }, finalizers: ['example.com/a'] },
        spec: { automountServiceAccountToken: false, containers: [container] },
      }),
      ...bodies.map((body) => send('PATCH', `${path}?dryRun=All`, body, strategic)),
      send('PATCH', path, { metadata: { finalizers: null } }, merge),
      { method: 'DELETE', path: `${path}?gracePeriodSeconds=0` },
    ],
  }
}

export const patches: Part = {
  name: 'patches',
  before: () => [account],
  scenes: function* () {
    yield* jsonPatches()
    yield* containers()
    yield* subresources()
    yield* directives()
    yield* owned()
  },
}
