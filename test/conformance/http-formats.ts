import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { parse, stringify } from 'yaml'
import { createPlatform } from '../../core/platform.ts'
import { bind } from '../../core/resources/bind.ts'
import { builtInResources } from '../../core/resources/group-versions.ts'
import { listSchemaOf } from '../../core/resources/list.ts'
import { decodeEnvelope, decodeProtobuf, encodeEnvelope, encodeProtobuf } from '../../core/schema/protobuf/protobuf.ts'
import { assertFailure, configMap, type TestList, type TestObject } from '../support/api.ts'
import { type On, unchanged } from './http-suite.ts'
import { deployment } from './samples.ts'

const platform = createPlatform()
const deployments = builtInResources
  .map((each) => bind(each, platform))
  .find(({ kind, version }) => kind === 'Deployment' && version === 'v1')
const tableTypes = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json'

interface Table {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: { readonly resourceVersion: string }
  readonly columnDefinitions: readonly {
    readonly name: string
    readonly type: string
    readonly format: string
    readonly priority: number
  }[]
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: TestObject | null }[]
}

/** Media types of bodies and responses, and fieldValidation. */
export function formats(on: On): void {
  on('reads and writes YAML', async ({ api, at }) => {
    const text = 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata:\n  "on": "yes"\n  k: |\n    two\n    lines\n'
    const created = await api.send<string>('POST', at('configmaps'), text, {
      'content-type': 'application/yaml',
      accept: 'application/yaml',
    })
    assert.equal(created.status, 201)
    assert.equal(created.headers.get('content-type'), 'application/yaml')
    const { body } = await api.get(at('configmaps/a'))
    assert.deepEqual(parse(created.body), body)
    assert.deepEqual(body.data, { on: 'yes', k: 'two\nlines\n' })
    const put = await api.send('PUT', at('configmaps/a'), stringify({ ...body, data: { k: '2' } }), { 'content-type': 'application/yaml' })
    assert.deepEqual(put.body.data, { k: '2' })
    const list = await api.get<string>(at('configmaps'), { accept: 'application/yaml' })
    assert.equal((parse(list.body) as TestList).kind, 'ConfigMapList')
  })

  on('indents with pretty=true', async ({ api, at }) => {
    await api.create(at('configmaps'), configMap('a'))
    const pretty = await (await api.fetch(at('configmaps/a?pretty=true'))).text()
    assert.match(pretty, /^\{\n {2}"kind": "ConfigMap",\n/)
    assert.deepEqual(JSON.parse(pretty), (await api.get(at('configmaps/a'))).body)
  })

  for (const mediaType of platform.protobufTypes)
    on(`speaks protobuf: ${mediaType}`, async ({ api, under }) => {
      assert(deployments)
      const url = under('apps/v1', 'deployments')
      const schema = deployments.schema
      const body = encodeEnvelope('apps/v1', 'Deployment', encodeProtobuf(schema, deployment('d') as never))
      const headers = { 'content-type': mediaType, accept: mediaType }
      const answered = await api.fetch(url, { method: 'POST', body: body as Uint8Array<ArrayBuffer>, headers })
      assert.equal(answered.status, 201)
      assert.equal(answered.headers.get('content-type'), mediaType)
      const bytes = async (path: string) => new Uint8Array(await (await api.fetch(path, { headers })).arrayBuffer())
      const got = await bytes(`${url}/d`)
      assert.deepEqual([...got.subarray(0, 4)], [0x6b, 0x38, 0x73, 0])
      const { kind, apiVersion, raw } = decodeEnvelope(got)
      assert.deepEqual({ kind, apiVersion, ...decodeProtobuf(schema, raw) }, (await api.get(`${url}/d`)).body)
      const list = decodeEnvelope(await bytes(url))
      assert.equal(list.kind, 'DeploymentList')
      const { items, metadata } = decodeProtobuf(listSchemaOf(deployments), list.raw) as unknown as TestList
      const expected = await api.list(url)
      assert.deepEqual(items, expected.items)
      // Leases of the server itself may have been renewed between the two.
      assert.deepEqual(Object.keys(metadata), Object.keys(expected.metadata))
      assert(Number(metadata.resourceVersion) <= Number(expected.metadata.resourceVersion))
      const truncated = await api.send('POST', url, body.slice(0, -3), { 'content-type': mediaType })
      assertFailure(truncated, 400, 'BadRequest')
    })

  on('reports unknown and duplicate fields as fieldValidation demands', async ({ api, at }) => {
    const faulty = (name: string) =>
      `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}","oddity":1},"data":{"k":"1","k":"2"},"bogus":{}}`
    await unchanged(api, at('configmaps'), async () => {
      const strict = await api.send('POST', at('configmaps?fieldValidation=Strict'), faulty('strict'))
      assertFailure(
        strict,
        400,
        'BadRequest',
        /^ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: (?=.*duplicate field "data\.k")(?=.*unknown field "metadata\.oddity")(?=.*unknown field "bogus")/,
      )
      const yaml = 'kind: ConfigMap\nmetadata: {name: strict, bogus: 1}\ndata:\n  k: a\n  k: b\n'
      assertFailure(
        await api.send('POST', at('configmaps?fieldValidation=Strict'), yaml, { 'content-type': 'application/yaml' }),
        400,
        'BadRequest',
        /strict decoding error: yaml: unmarshal errors:\n {2}line 5: key "k" already set in map, unknown field "metadata\.bogus"$/,
      )
      const mode = await api.send('POST', at('configmaps?fieldValidation=Sometimes'), configMap('a'))
      assertFailure(mode, 422, 'Invalid', /^CreateOptions\.meta\.k8s\.io "" is invalid: fieldValidation: Unsupported value: "Sometimes"/)
    })
    for (const query of ['', '?fieldValidation=Warn']) {
      const warned = await api.send('POST', at(`configmaps${query}`), faulty(query === '' ? 'usual' : 'warn'))
      assert.equal(warned.status, 201)
      assert.deepEqual(warned.body.data, { k: '2' })
      const warnings = (warned.headers.get('warning') ?? '').split(', ').toSorted()
      assert.deepEqual(warnings, [
        '299 - "duplicate field \\"data.k\\""',
        '299 - "unknown field \\"bogus\\""',
        '299 - "unknown field \\"metadata.oddity\\""',
      ])
    }
    const ignored = await api.send('POST', at('configmaps?fieldValidation=Ignore'), faulty('ignore'))
    assert.equal(ignored.status, 201)
    assert.equal(ignored.headers.get('warning'), null)
  })

  on('renders objects as Table', async ({ api, at, namespace }) => {
    await api.create(at('configmaps'), configMap('a', { one: '1', two: '2' }))
    await api.create(at('configmaps'), configMap('b'))
    const { body, headers } = await api.get<Table>(at('configmaps'), { accept: tableTypes })
    assert.equal(headers.get('content-type'), 'application/json')
    assert.equal(body.kind, 'Table')
    assert.equal(body.apiVersion, 'meta.k8s.io/v1')
    assert.deepEqual(
      body.columnDefinitions.map(({ name, type, format, priority }) => [name, type, format, priority]),
      [
        ['Name', 'string', 'name', 0],
        ['Data', 'string', '', 0],
        ['Age', 'string', '', 0],
      ],
    )
    const mine = body.rows.filter(({ cells }) => ['a', 'b'].includes(String(cells[0])))
    assert.deepEqual(
      mine.map(({ cells }) => cells.slice(0, 2)),
      [
        ['a', 2],
        ['b', 0],
      ],
    )
    assert.match(String(mine[0]?.cells[2]), /^\d+s$/)
    assert.equal(mine[0]?.object?.kind, 'PartialObjectMetadata')
    assert.equal(mine[0]?.object?.metadata.namespace, namespace)
    assert.equal(mine[0]?.object?.data, undefined)
    const one = await api.get<Table>(at('configmaps/a?includeObject=Object'), { accept: tableTypes })
    assert.deepEqual(one.body.rows[0]?.object?.data, { one: '1', two: '2' })
    const none = await api.get<Table>(at('configmaps/a?includeObject=None'), { accept: tableTypes })
    assert.equal(none.body.rows[0]?.object, null)
    assertFailure(await api.get(at('configmaps?includeObject=Some'), { accept: tableTypes }), 400, 'BadRequest', /includeObject/)
    const old = await api.get<Table>(at('configmaps'), { accept: 'application/json;as=Table;v=v1beta1;g=meta.k8s.io' })
    assert.equal(old.body.apiVersion, 'meta.k8s.io/v1beta1')
  })

  on('renders a scale as Table', async ({ api, under }) => {
    const { metadata } = await api.create(under('apps/v1', 'deployments'), deployment('d'))
    const { body, headers } = await api.get<Table>(under('apps/v1', 'deployments/d/scale'), { accept: tableTypes })
    assert.deepEqual([body.kind, headers.get('content-type')], ['Table', 'application/json'])
    assert.deepEqual(
      body.columnDefinitions.map(({ name, type }) => [name, type]),
      [
        ['Name', 'string'],
        ['Desired', 'integer'],
        ['Available', 'integer'],
        ['Age', 'string'],
      ],
    )
    const [row] = body.rows
    assert.deepEqual([...(row?.cells ?? []).slice(0, 3), row?.object?.metadata.uid], ['d', 2, 0, metadata.uid])
  })

  on('renders PartialObjectMetadata', async ({ api, at }) => {
    const created = await api.create(at('configmaps'), configMap('a', { k: 'v' }, { labels: { l: '1' } }))
    const one = await api.get(at('configmaps/a'), { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' })
    assert.deepEqual(one.body, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: created.metadata })
    const list = await api.get<TestList>(at('configmaps?labelSelector=l'), {
      accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    })
    assert.equal(list.body.kind, 'PartialObjectMetadataList')
    assert.equal(list.body.apiVersion, 'meta.k8s.io/v1')
    assert.deepEqual(
      list.body.items.map(({ metadata }) => metadata),
      [created.metadata],
    )
    assert.equal(list.body.items[0]?.data, undefined)
  })

  on('compresses large responses for clients that accept gzip', async ({ api, at }) => {
    for (let i = 0; i < 3; i++) await api.create(at('configmaps'), configMap(`big${i}`, { k: `${i}`.repeat(100_000) }))
    const plain = await api.fetch(at('configmaps'))
    assert.equal(plain.headers.get('content-encoding'), null)
    const zipped = await api.fetch(at('configmaps'), { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(zipped.headers.get('content-encoding'), 'gzip')
    assert.match(zipped.headers.get('vary') ?? '', /Accept-Encoding/)
    const bytes = Buffer.from(await zipped.arrayBuffer())
    assert(bytes.length < 10_000)
    const strip = (text: string) => (JSON.parse(text) as TestList).items
    assert.deepEqual(strip(gunzipSync(bytes).toString()), strip(await plain.text()))
    const small = await api.fetch(at('configmaps/big0'), { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(small.headers.get('content-encoding'), null)
  })

  on('lists the supported media types when none is acceptable', async ({ api, at }) => {
    await api.create(at('configmaps'), configMap('a'))
    for (const accept of ['text/html', 'application/xml', 'application/*'])
      assertFailure(
        await api.get(at('configmaps/a'), { accept }),
        406,
        'NotAcceptable',
        /^406: Not Acceptable\n\nAvailable representations: application\/json, application\/yaml, application\/vnd\.[a-z]+\.protobuf$/,
      )
    for (const accept of ['application/json;as=Chart;v=v1;g=meta.k8s.io', 'application/json;as=Table;v=v9;g=meta.k8s.io'])
      assertFailure(
        await api.get(at('configmaps/a'), { accept }),
        406,
        'NotAcceptable',
        /^only the following media types are accepted: application\/json, application\/yaml, application\/vnd\./,
      )
    for (const accept of ['*/*', 'text/html, */*;q=0.1', 'application/xml, application/json'])
      assert.equal((await api.get(at('configmaps/a'), { accept })).status, 200)
  })

  on('does not write when the response would not be acceptable', async ({ api, at }) => {
    await api.create(at('configmaps'), configMap('kept'))
    const accept = 'text/html'
    assertFailure(await api.send('POST', at('configmaps'), configMap('a'), { accept }), 406, 'NotAcceptable')
    assertFailure(await api.send('PUT', at('configmaps/kept'), configMap('kept', { k: 'v' }), { accept }), 406, 'NotAcceptable')
    assertFailure(await api.send('DELETE', at('configmaps/kept'), undefined, { accept }), 406, 'NotAcceptable')
    const { items } = await api.list(at('configmaps'))
    assert.deepEqual(
      items.filter(({ metadata }) => metadata.name === 'a' || metadata.name === 'kept').map(({ metadata, data }) => [metadata.name, data]),
      [['kept', undefined]],
    )
  })

  on('refuses Table for reviews and single-object kinds for lists', async ({ api, at }) => {
    const review = (as: string) =>
      api.send(
        'POST',
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
        { accept: `application/json;as=${as};v=v1;g=meta.k8s.io` },
      )
    assertFailure(await review('Table'), 406, 'NotAcceptable')
    const partial = await review('PartialObjectMetadata')
    assert.deepEqual([partial.status, partial.body.kind, partial.body.apiVersion], [201, 'PartialObjectMetadata', 'meta.k8s.io/v1'])
    const either = await api.send(
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
      { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' },
    )
    assert.deepEqual([either.status, either.body.kind], [201, 'SelfSubjectAccessReview'])
    await api.create(at('configmaps'), configMap('a'))
    for (const [path, as] of [
      ['configmaps', 'PartialObjectMetadata'],
      ['configmaps/a', 'PartialObjectMetadataList'],
    ] as const) {
      const answer = await api.get(at(path), { accept: `application/json;as=${as};v=v1;g=meta.k8s.io` })
      assertFailure(answer, 406, 'NotAcceptable', new RegExp(`^you requested ${as}, but the requested object is (not )?a list`))
    }
  })
}
