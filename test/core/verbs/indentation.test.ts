/** JSON is indented for people: curl, wget and browsers. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiServer } from '../../../core/server.ts'
import { definitionsPath, smallDefinition } from '../../conformance/definitions.ts'
import { startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

const curl = 'curl/8.14.1'
const kubectl = 'kubectl/v1.36.0 (linux/amd64) kubernetes/0000000'
const configMaps = '/api/v1/namespaces/default/configmaps'
const definition = smallDefinition('indent.example', 'Thing', { scope: 'Cluster' })

let server: ApiServer
interface Call {
  readonly method?: string
  readonly body?: object | undefined
  readonly accept?: string | undefined
}
async function send(path: string, agent: string, { method = 'GET', body, accept = '*/*' }: Call = {}): Promise<Response> {
  const headers = { 'user-agent': agent, accept, 'content-type': 'application/json' }
  return server.fetch(new Request(`http://x${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }))
}
before(async () => {
  server = (await startInProcess()).server
  assert.equal((await send(definitionsPath, kubectl, { method: 'POST', body: definition })).status, 201)
  const created = async () => (await send('/apis/indent.example/v1/things', kubectl, { method: 'POST', body: thing })).status === 201
  await eventually('the custom resource is served', created)
  assert.equal((await send(configMaps, kubectl, { method: 'POST', body: { metadata: { name: 'a' }, data: { k: 'v' } } })).status, 201)
})
after(() => server.close())
const thing = { apiVersion: 'indent.example/v1', kind: 'Thing', metadata: { name: 'a' } }

/** Compact JSON ends with a line feed, indented JSON does not, as in the reference. */
const compact = (text: string) => `${JSON.stringify(JSON.parse(text))}\n`
const indented = (text: string) => JSON.stringify(JSON.parse(text), null, 2)

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const reads: readonly (readonly [name: string, path: string, call?: Call])[] = [
  ['an object', `${configMaps}/a`],
  ['a list', configMaps],
  ['an empty list', '/api/v1/namespaces/default/secrets'],
  ['a table', configMaps, { accept: table }],
  ['the table of an object', `${configMaps}/a`, { accept: table }],
  ['metadata of an object', `${configMaps}/a`, { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }],
  ['a metadata list', configMaps, { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }],
  ['a custom object', '/apis/indent.example/v1/things/a'],
  ['a custom list', '/apis/indent.example/v1/things'],
  ['a missing object', `${configMaps}/missing`],
  ['a missing resource', '/api/v1/namespaces/default/nothings'],
  ['a malformed request', `${configMaps}?labelSelector=(`],
  ['a malformed watch', `${configMaps}?watch=true&resourceVersion=x`],
  [
    'a review',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    { method: 'POST', body: { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } } },
  ],
  ['a dry run', `${configMaps}?dryRun=All`, { method: 'POST', body: { metadata: { generateName: 'dry-' } } }],
  ['legacy discovery', '/api'],
  ['groups', '/apis'],
  ['a group', '/apis/apps'],
  ['a group version', '/apis/apps/v1'],
  ['the core group', '/api/v1'],
  ['aggregated discovery', '/apis', { accept: aggregated }],
]
for (const [name, path, call] of reads)
  test(`${name}: indented for curl, not for kubectl, and as the query says`, async () => {
    const text = async (query: string, agent: string) => {
      const joined = query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`
      const response = await send(joined, agent, call)
      assert.equal(response.headers.get('content-type')?.startsWith('application/json'), true)
      return response.text()
    }
    const [forCurl, forKubectl] = [await text('', curl), await text('', kubectl)]
    assert.equal(forCurl, indented(forCurl))
    assert.equal(forKubectl, compact(forKubectl))
    const [refused, malformed] = [await text('pretty=false', curl), await text('pretty=no', curl)]
    assert.equal(refused, compact(refused))
    assert.equal(malformed, compact(malformed))
    const wanted = await text('pretty=true', kubectl)
    assert.equal(wanted, indented(wanted))
    // Cached bytes of one form do not serve the other.
    const [again, once] = [await text('', kubectl), await text('', curl)]
    assert.equal(again, compact(again))
    assert.equal(once, indented(once))
  })

test('the Status of a deletion is indented for curl', async () => {
  const outcome = async (agent: string) => {
    await send(configMaps, kubectl, { method: 'POST', body: { metadata: { name: 'short-lived' } } })
    return (await send(`${configMaps}/short-lived`, agent, { method: 'DELETE' })).text()
  }
  const [forCurl, forKubectl] = [await outcome(curl), await outcome(kubectl)]
  assert.equal(forCurl, indented(forCurl))
  assert.equal(forKubectl, compact(forKubectl))
})

test('YAML and documents without an indented form are the same for everybody', async () => {
  const same: readonly (readonly [path: string, call?: Call])[] = [
    ['/version'],
    ['/'],
    ['/openapi/v2'],
    ['/openapi/v3'],
    ['/openapi/v3/apis/apps/v1'],
    [`${configMaps}/a`, { accept: 'application/yaml' }],
    [`${configMaps}/a`, { accept: 'application/vnd.kubernetes.protobuf' }],
    ['/apis', { accept: 'application/yaml' }],
  ]
  for (const [path, call] of same) {
    const [forCurl, forKubectl] = [await send(path, curl, call), await send(path, kubectl, call)]
    assert.equal(forCurl.status, 200, path)
    assert.equal(await forCurl.text(), await forKubectl.text(), path)
  }
})

test('an error whose form the client does not accept is indented JSON', async () => {
  for (const [path, accept] of [
    [`${configMaps}/a`, 'text/html'],
    [`${configMaps}/missing`, table],
  ] as const) {
    const text = await (await send(path, kubectl, { accept })).text()
    assert.equal(text, indented(text))
  }
})

test('watches have one line per event, also for curl and with pretty=1 in Accept', async () => {
  for (const accept of ['*/*', 'application/json;pretty=1', `${table};pretty=1`]) {
    const path = `${configMaps}?watch=true&pretty=true&timeoutSeconds=60&fieldSelector=metadata.name=a`
    const response = await send(path, curl, { accept })
    const decoder = new TextDecoder()
    let seen = ''
    for await (const bytes of response.body ?? []) {
      seen += decoder.decode(bytes, { stream: true })
      if (seen.includes('\n')) break
    }
    assert.equal(seen, compact(seen))
  }
})
