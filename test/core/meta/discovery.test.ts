import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse as parseYaml } from 'yaml'
import { ApiError } from '../../../core/answers/status.ts'
import type { DiscoveredGroup, DiscoveredResource } from '../../../core/meta/aggregated-discovery.ts'
import { createDiscovery, type DiscoveryOptions, type PeerLists } from '../../../core/meta/discovery.ts'
import type { GroupSource, PublishedVersion } from '../../../core/meta/group-source.ts'
import { peerListRows } from '../../../core/meta/peer-list-metrics.ts'
import { createServedGroups } from '../../../core/meta/served.ts'
import { APIGroupDiscoveryList } from '../../../core/resources/apidiscovery/apigroupdiscovery.ts'
import { APIGroup, APIGroupList, APIResourceList, APIVersions } from '../../../core/resources/meta/discovery.ts'
import { decodeProtobuf } from '../../../core/schema/protobuf/decode.ts'
import { decodeEnvelope } from '../../../core/schema/protobuf/envelope.ts'
import { noted } from '../../support/noted.ts'
import { asked, builtin, get, pauses, platform, serving, widget } from './fixtures.ts'

const create = (
  served = serving(builtin),
  more: { readonly sources?: readonly GroupSource[]; readonly peers?: PeerLists; readonly metrics?: DiscoveryOptions['metrics'] } = {},
) =>
  createDiscovery({
    sources: [...(more.sources ?? []), createServedGroups(served, platform)],
    peers: more.peers,
    metrics: more.metrics,
    platform,
    pauses,
    serverAddress: '10.0.0.1:6443',
    hashes: true,
    aggregatedVersions: ['v2', 'v2beta1'],
  })
const aggregated = (version: string) => `application/json;g=apidiscovery.${platform.domain};v=${version};as=APIGroupDiscoveryList`

/** A value without empty strings and members, which protobuf may not distinguish from absent ones. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, withoutEmpty(member)] as const)
  const isEmpty = (member: unknown) =>
    member === '' || member === false || (typeof member === 'object' && Object.keys(member ?? {}).length === 0)
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)))
}

interface Row {
  readonly name: string
  readonly [key: string]: unknown
}

async function rows(path: string, discovery = create()): Promise<ReadonlyMap<string, Row>> {
  const { resources } = (await (await get(discovery, path)).json()) as { resources: Row[] }
  return new Map(resources.map((row) => [row.name, row]))
}

test('/api lists the versions of the core group, without an apiVersion', async () => {
  const response = await get(create(), '/api')
  assert.equal(
    await response.text(),
    '{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"10.0.0.1:6443"}]}\n',
  )
  assert.equal(response.headers.get('content-type'), 'application/json')
})

test('/apis lists groups by priority and their versions best first', async () => {
  const discovery = create(serving([...builtin, widget('v1beta1'), widget('v2'), widget('v1')]))
  const list = (await (await get(discovery, '/apis/')).json()) as {
    kind: string
    apiVersion: string
    groups: { name: string; versions: { version: string }[]; preferredVersion: object }[]
  }
  assert.equal(list.kind, 'APIGroupList')
  assert.equal(list.apiVersion, 'v1')
  const names = list.groups.map(({ name }) => name)
  assert.deepEqual(names.slice(0, 3), [`apiregistration.${platform.domain}`, 'apps', `events.${platform.domain}`])
  assert.ok(names.indexOf(`admissionregistration.${platform.domain}`) < names.indexOf(`apiextensions.${platform.domain}`))
  assert.equal(names.at(-1), 'shop.example.com')
  assert.ok(!names.includes(''))
  const own = list.groups.at(-1)
  assert.deepEqual(
    own?.versions.map(({ version }) => version),
    ['v2', 'v1', 'v1beta1'],
  )
  assert.deepEqual(own?.preferredVersion, { groupVersion: 'shop.example.com/v2', version: 'v2' })
})

test('/apis/GROUP is one entry of that list', async () => {
  assert.equal(
    await (await get(create(), '/apis/apps')).text(),
    '{"kind":"APIGroup","apiVersion":"v1","name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],' +
      '"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}\n',
  )
})

test('a resource list starts with kind, apiVersion and groupVersion; in the core group without apiVersion', async () => {
  assert.ok(
    (await (await get(create(), '/apis/apps/v1')).text()).startsWith(
      '{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1",',
    ),
  )
  assert.ok((await (await get(create(), '/api/v1/')).text()).startsWith('{"kind":"APIResourceList","groupVersion":"v1","resources":['))
})

test('fields of a resource are in the order of kube-apiserver', async () => {
  const pods = (await rows('/api/v1')).get('pods')
  assert.equal(
    JSON.stringify(pods),
    '{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod",' +
      '"verbs":["create","delete","deletecollection","get","list","patch","update","watch"],' +
      '"shortNames":["po"],"categories":["all"],"storageVersionHash":"xPOwRZ+Yhw8="}',
  )
})

test('subresources follow their resource by name, with the kind of their body', async () => {
  const core = await rows('/api/v1')
  assert.deepEqual(
    [...core.keys()].filter((name) => name.startsWith('pods/')),
    ['attach', 'binding', 'ephemeralcontainers', 'eviction', 'exec', 'log', 'portforward', 'proxy', 'resize', 'status'].map(
      (name) => `pods/${name}`,
    ),
  )
  assert.deepEqual(core.get('pods/eviction'), {
    name: 'pods/eviction',
    singularName: '',
    namespaced: true,
    group: 'policy',
    version: 'v1',
    kind: 'Eviction',
    verbs: ['create'],
  })
  assert.equal(core.get('serviceaccounts/token')?.['group'], `authentication.${platform.domain}`)
  const scale = (await rows('/apis/apps/v1')).get('deployments/scale')
  assert.equal(
    JSON.stringify(scale),
    '{"name":"deployments/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]}',
  )
})

test('resources that are not stored have no storageVersionHash', async () => {
  assert.equal((await rows('/api/v1')).get('bindings')?.['storageVersionHash'], undefined)
  const reviews = await rows(`/apis/authorization.${platform.domain}/v1`)
  assert.equal(reviews.get('subjectaccessreviews')?.['storageVersionHash'], undefined)
})

test('versions with the same storage version have the same hash', async () => {
  const group = `/apis/networking.${platform.domain}`
  const [stable, beta] = [await rows(`${group}/v1`), await rows(`${group}/v1beta1`)]
  const hash = stable.get('ipaddresses')?.['storageVersionHash']
  assert.equal(typeof hash, 'string')
  assert.equal(beta.get('ipaddresses')?.['storageVersionHash'], hash)
})

test('other paths are not found', () => {
  const discovery = create()
  for (const path of ['/apis/none', '/apis/apps/v9', '/api/v2', '/api/v1/pods', '/']) {
    const url = new URL(path, 'http://server')
    assert.equal(discovery.respond(asked(url)), undefined, path)
  }
})

test('new definitions show once the revision has increased', async () => {
  const served = serving(builtin)
  const discovery = create(served)
  await get(discovery, '/apis')
  served.set([...builtin, widget('v1')])
  assert.deepEqual([...(await rows('/apis/shop.example.com/v1', discovery)).keys()], ['widgets', 'widgets/status', 'widgets/scale'])
  served.set(builtin)
  const url = new URL('http://server/apis/shop.example.com/v1')
  assert.equal(discovery.respond(asked(url)), undefined)
})

test('aggregated discovery lists the same resources as the unaggregated paths', async () => {
  const discovery = create(serving([...builtin, widget('v1')]))
  for (const path of ['/api', '/apis']) {
    const response = await get(discovery, path, { accept: `${aggregated('v2')},application/json` })
    assert.equal(response.headers.get('content-type'), aggregated('v2'))
    const { kind, apiVersion, items } = (await response.json()) as {
      kind: string
      apiVersion: string
      items: { metadata: { name?: string }; versions: { version: string; freshness: string; resources: Aggregated[] }[] }[]
    }
    assert.equal(`${apiVersion} ${kind}`, `apidiscovery.${platform.domain}/v2 APIGroupDiscoveryList`)
    assert.ok(items.length > 0)
    for (const { metadata, versions } of items) {
      for (const { version, freshness, resources } of versions) {
        assert.equal(freshness, 'Current')
        const single = await rows(metadata.name === undefined ? `/api/${version}` : `/apis/${metadata.name}/${version}`, discovery)
        assert.deepEqual(
          resources.flatMap(flatten),
          [...single.values()].map((row) => comparable(row, metadata.name === 'shop.example.com' ? [metadata.name, version] : ['', ''])),
        )
      }
    }
  }
})

interface Aggregated {
  readonly resource: string
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string }
  readonly scope: string
  readonly singularResource: string
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly {
    readonly subresource: string
    readonly responseKind: Aggregated['responseKind']
    readonly verbs: readonly string[]
  }[]
}

function flatten({ resource, responseKind, scope, singularResource, verbs, subresources = [], ...rest }: Aggregated): unknown[] {
  const namespaced = scope === 'Namespaced'
  return [
    {
      name: resource,
      singularName: singularResource,
      namespaced,
      ...responseKind,
      verbs,
      shortNames: rest.shortNames,
      categories: rest.categories,
    },
    ...subresources.map((own) => ({
      name: `${resource}/${own.subresource}`,
      singularName: '',
      namespaced,
      ...own.responseKind,
      verbs: own.verbs,
      shortNames: undefined,
      categories: undefined,
    })),
  ]
}

const comparable = (
  { name, singularName, namespaced, kind, verbs, shortNames, categories, ...row }: Row,
  own: readonly [string, string],
) => ({
  name,
  singularName,
  namespaced,
  group: row.group ?? own[0],
  version: row.version ?? own[1],
  kind,
  verbs,
  shortNames,
  categories,
})

test('aggregated discovery names group and version of custom resources, and not those of built-in ones', async () => {
  const discovery = create(serving([...builtin, widget('v1')]))
  const response = await get(discovery, '/apis', { accept: aggregated('v2') })
  const { items } = (await response.json()) as {
    items: {
      metadata: { name: string }
      versions: { resources: { resource: string; responseKind: object; subresources?: { responseKind: object }[] }[] }[]
    }[]
  }
  const kindsOf = (group: string, resource: string) => {
    const [version] = items.find(({ metadata }) => metadata.name === group)?.versions ?? []
    const found = version?.resources.find((each) => each.resource === resource)
    return [found?.responseKind, ...(found?.subresources ?? []).map((each) => each.responseKind)]
  }
  const own = { group: 'shop.example.com', version: 'v1', kind: 'Widget' }
  assert.deepEqual(kindsOf('shop.example.com', 'widgets'), [own, own, { group: 'autoscaling', version: 'v1', kind: 'Scale' }])
  assert.deepEqual(kindsOf('apps', 'deployments')[0], { group: '', version: '', kind: 'Deployment' })
})

test('aggregated discovery is served only to clients that accept it, in the version that they accept', async () => {
  const cases = [
    [`${aggregated('v2')},${aggregated('v2beta1')},application/json`, aggregated('v2')],
    [`${aggregated('v2beta1')},application/json`, aggregated('v2beta1')],
    [`${aggregated('v3')},application/json`, 'application/json'],
    [`${aggregated('v2')};q=0.5,application/json`, 'application/json'],
    ['application/vnd.other, */*', 'application/json'],
  ] as const
  for (const [accept, type] of cases) {
    const response = await get(create(), '/apis', { accept })
    assert.equal(response.headers.get('content-type'), type)
    assert.equal(response.headers.get('vary'), type === 'application/json' ? null : 'Accept')
  }
})

test('a client with the current aggregated document gets 304', async () => {
  const served = serving(builtin)
  const discovery = create(served)
  const accept = aggregated('v2')
  const first = await get(discovery, '/apis', { accept })
  const etag = first.headers.get('etag') ?? ''
  assert.match(etag, /^"[0-9A-F]{128}"$/)
  const second = await get(discovery, '/apis', { accept, 'if-none-match': etag })
  assert.equal(second.status, 304)
  assert.equal(await second.text(), '')
  served.set([...builtin, widget('v1')])
  const third = await get(discovery, '/apis', { accept, 'if-none-match': etag })
  assert.equal(third.status, 200)
  assert.notEqual(third.headers.get('etag'), etag)
})

test('every list is also available in YAML and protobuf, aggregated ones too', async () => {
  const discovery = create()
  const lists = {
    '/api': APIVersions,
    '/apis': APIGroupList,
    '/apis/apps': APIGroup,
    '/apis/apps/v1': APIResourceList,
    '/api/v1': APIResourceList,
  }
  for (const [path, schema] of Object.entries(lists)) {
    const { kind, apiVersion = 'v1', ...json } = (await (await get(discovery, path)).json()) as { kind: string; apiVersion?: string }
    const yaml = await get(discovery, path, { accept: 'application/yaml' })
    assert.equal(yaml.headers.get('content-type'), 'application/yaml')
    const { kind: yamlKind, apiVersion: _version, ...fromYaml } = parseYaml(await yaml.text()) as { kind: string; apiVersion?: string }
    assert.deepEqual([yamlKind, fromYaml], [kind, json], path)
    const protobuf = await get(discovery, path, { accept: 'application/vnd.kubernetes.protobuf' })
    assert.equal(protobuf.headers.get('content-type'), 'application/vnd.kubernetes.protobuf')
    const envelope = decodeEnvelope(new Uint8Array(await protobuf.arrayBuffer()))
    assert.deepEqual([envelope.kind, envelope.apiVersion], [kind, apiVersion], path)
    assert.deepEqual(withoutEmpty(decodeProtobuf(schema, envelope.raw)), withoutEmpty(json), path)
  }
  const accept = aggregated('v2').replace('application/json', 'application/vnd.kubernetes.protobuf')
  const response = await get(discovery, '/apis', { accept })
  assert.equal(response.headers.get('content-type'), accept)
  const { items } = (await (await get(discovery, '/apis', { accept: aggregated('v2') })).json()) as { items: object[] }
  const envelope = decodeEnvelope(new Uint8Array(await response.arrayBuffer()))
  assert.deepEqual(withoutEmpty(decodeProtobuf(APIGroupDiscoveryList, envelope.raw)['items']), withoutEmpty(items))
})

test('other media types and parameters are not acceptable; a quality only orders', async () => {
  const refused = [
    ...['text/html', 'APPLICATION/JSON', 'application/json;stream=x', 'application/yaml;stream=watch'],
    ...['application/json;v=v1;g=meta.k8s.io', 'application/json;sv=v2'],
  ]
  for (const accept of refused)
    await assert.rejects(
      get(create(), '/apis', { accept }),
      (error) => error instanceof ApiError && error.status.reason === 'NotAcceptable',
      accept,
    )
  for (const accept of ['application/json;q=0', 'application/json;q=x', 'application/json;stream=watch', 'application/json;profile=nopeer'])
    assert.equal((await get(create(), '/apis', { accept })).status, 200, accept)
})

/** A source with one version of a group, with resources of these names. */
function source(group: string, version: string, priority: number, names: readonly string[], own: Partial<PublishedVersion> = {}) {
  const groupVersion = `${group}/${version}`
  const resources = () =>
    names.map((name) => ({
      rows: [{ name, subresource: '', kind: 'Flunder', verbs: ['get', 'list'] }] as const,
      singular: '',
      namespaced: true,
    }))
  const versions: PublishedVersion[] = [
    { group, version, groupVersion, path: `/apis/${groupVersion}`, priority: 15, service: false, freshness: 'Current', resources, ...own },
  ]
  return {
    revision: 1,
    groups: () => [{ name: group, priority, versions }],
  }
}

type Items = { metadata: { name?: string }; versions: { version: string; freshness: string; resources: { resource: string }[] }[] }[]
async function aggregatedGroup(discovery: ReturnType<typeof create>, name: string, parameters = '') {
  const { items } = (await (await get(discovery, '/apis', { accept: `${aggregated('v2')}${parameters}` })).json()) as { items: Items }
  const found = items.find(({ metadata }) => metadata.name === name)
  return found?.versions.map(({ version, freshness, resources }) => [version, freshness, resources.map(({ resource }) => resource)])
}

test('groups of other sources are listed by priority, with their freshness; the first source of a group version is listed', async () => {
  const first = source('wardle.example.com', 'v1', 30_000, ['flunders'], { freshness: 'Stale' })
  const second = source('shop.example.com', 'v1', 500, ['orders'])
  const discovery = create(serving([...builtin, widget('v1'), widget('v2')]), { sources: [first, second] })
  const { groups } = (await (await get(discovery, '/apis')).json()) as { groups: { name: string; versions: { version: string }[] }[] }
  assert.equal(groups[0]?.name, 'wardle.example.com')
  assert.deepEqual(
    groups.find(({ name }) => name === 'shop.example.com')?.versions.map(({ version }) => version),
    ['v2', 'v1'],
  )
  assert.deepEqual([...(await rows('/apis/shop.example.com/v1', discovery)).keys()], ['orders'])
  assert.deepEqual(await aggregatedGroup(discovery, 'wardle.example.com'), [['v1', 'Stale', ['flunders']]])
})

test('a change of any source shows', async () => {
  const changing = { ...source('wardle.example.com', 'v1', 2000, ['flunders']), revision: 1 }
  const discovery = create(serving(builtin), { sources: [changing] })
  assert.deepEqual([...(await rows('/apis/wardle.example.com/v1', discovery)).keys()], ['flunders'])
  changing.groups = source('wardle.example.com', 'v1', 2000, ['fischers']).groups
  changing.revision++
  assert.deepEqual([...(await rows('/apis/wardle.example.com/v1', discovery)).keys()], ['fischers'])
})

test('what other servers serve is in the current aggregated list alone, and not for clients that ask for none of it', async () => {
  const seen: (string | number)[] = []
  const resource = (name: string, verbs: readonly string[], subresources: readonly string[] = []): DiscoveredResource => ({
    resource: name,
    responseKind: { group: '', version: '', kind: 'Any' },
    scope: 'Namespaced',
    singularResource: '',
    verbs: [...verbs],
    ...(subresources.length > 0 && { subresources: subresources.map((subresource) => ({ subresource, verbs: ['get'] })) }),
  })
  const shop: DiscoveredGroup = {
    metadata: { name: 'shop.example.com' },
    versions: [
      { version: 'v3', resources: [resource('returns', ['get'])], freshness: 'Current' },
      { version: 'v1', resources: [resource('orders', ['get']), resource('widgets', ['sell', 'get'], ['price'])], freshness: 'Current' },
    ],
  }
  const peers: PeerLists = { revision: 0, identity: 'a', others: () => new Map([['b', [shop]]]) }
  const metrics = noted(peerListRows, (name) => void seen.push(name))
  const discovery = create(serving([...builtin, widget('v1')]), { peers, metrics })
  assert.deepEqual(await aggregatedGroup(discovery, 'shop.example.com'), [
    ['v3', 'Current', ['returns']],
    ['v1', 'Current', ['orders', 'widgets']],
  ])
  await aggregatedGroup(discovery, 'shop.example.com')
  const own = [['v1', 'Current', ['widgets']]]
  assert.deepEqual(await aggregatedGroup(discovery, 'shop.example.com', ';profile=nopeer'), own)
  assert.deepEqual(seen, ['misses', 'hits', 'alone'])
  assert.deepEqual([...(await rows('/apis/shop.example.com/v1', discovery)).keys()], ['widgets', 'widgets/status', 'widgets/scale'])
  const legacy = (await (await get(discovery, '/apis', { accept: aggregated('v2beta1') })).json()) as { items: Items }
  assert.equal(legacy.items.find(({ metadata }) => metadata.name === 'shop.example.com')?.versions.length, 1)
  const { items } = (await (await get(discovery, '/apis', { accept: aggregated('v2') })).json()) as { items: DiscoveredGroup[] }
  const merged = items.find(({ metadata }) => metadata?.name === 'shop.example.com')?.versions?.[1]?.resources?.[1]
  assert.equal(merged?.responseKind?.kind, 'Widget', 'the first server by name describes it')
  assert.deepEqual(merged?.verbs.includes('sell') && merged.verbs, merged?.verbs.toSorted())
  assert.deepEqual(
    merged?.subresources?.map(({ subresource }) => subresource),
    ['price', 'scale', 'status'],
  )
})
