/** Definitions of custom resources as large as bodies may be: they are validated in parts, between which others are answered. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverForTests } from '../support/in-process.ts'
import { longestPause } from '../support/pauses.ts'
import { eventually } from '../support/wait.ts'

const api = serverForTests({ controllers: [], admissionPlugins: { disable: ['ServiceAccount'] } })
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All'

const times = (count: number, make: (index: number) => string) => Array.from({ length: count }, (_, index) => make(index)).join(',')
const rule = `${'true&&'.repeat(1_500)}true`

/** Schemas of some 0.9 MiB, and milliseconds of processor time that none of their parts may take. */
const schemas: { readonly [name: string]: readonly [schema: string, limit: number] } = {
  'long rules': [`{"type":"object","x-kubernetes-validations":[${times(100, () => `{"rule":"${rule}"}`)}]}`, 250],
  'many properties': [`{"type":"object","properties":{${times(40_000, (index) => `"${index.toString(36)}":{"type":"string"}`)}}}`, 250],
}

const version = (number: number, schema: string) =>
  `{"name":"v${number}","served":true,"storage":${number === 1},"schema":{"openAPIV3Schema":${schema}}}`
const nestedDefault = (index: number) =>
  `"${index.toString(36)}":{"type":"object","default":{},"properties":{"a":{"type":"string","default":"b"}}}`

/** All versions of a definition. */
const definitionVersions: { readonly [name: string]: readonly [versions: string, limit: number] } = {
  ...Object.fromEntries(Object.entries(schemas).map(([name, [schema, limit]]) => [name, [version(1, schema), limit]])),
  'nested defaults': [version(1, `{"type":"object","properties":{${times(10_000, nestedDefault)}}}`), 250],
}

for (const [name, [versions, limit]] of Object.entries(definitionVersions))
  test(`a definition with ${name}`, async (t) => {
    const names = '{"plural":"widgets","kind":"Widget"}'
    const spec = `{"group":"example.com","scope":"Namespaced","names":${names},"versions":[${versions}]}`
    const body = `{"metadata":{"name":"widgets.example.com"},"spec":${spec}}`
    const pauses: number[] = []
    // The least counts: collections of garbage and other processes disturb single looks.
    for (let look = 0; look < 4 && Math.min(...pauses, Number.POSITIVE_INFINITY) >= limit; look++)
      pauses.push(
        await longestPause(async () => {
          const response = await api.fetch(definitions, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
          assert.equal(response.status, 201, (await response.text()).slice(0, 300))
        }),
      )
    t.diagnostic(`pauses of ${pauses.map(Math.round).join(', ')} ms for ${(body.length / 2 ** 20).toFixed(2)} MiB`)
    assert.ok(Math.min(...pauses) < limit, `${pauses.map(Math.round).join(', ')} ms`)
  })

test('a change of a definition with nested defaults', async (t) => {
  const names = '{"plural":"nests","kind":"Nest"}'
  const versions = version(1, `{"type":"object","properties":{${times(10_000, nestedDefault)}}}`)
  const spec = `{"group":"example.com","scope":"Namespaced","names":${names},"versions":[${versions}]}`
  const path = definitions.replace(/\?.*/, '')
  await api.send('POST', path, JSON.parse(`{"metadata":{"name":"nests.example.com"},"spec":${spec}}`))
  const pauses: number[] = []
  for (let look = 0; look < 4 && Math.min(...pauses, Number.POSITIVE_INFINITY) >= 150; look++)
    pauses.push(
      await longestPause(async () => {
        const patch = { metadata: { labels: { look: `${look}` } } }
        const { status } = await api.send('PATCH', `${path}/nests.example.com`, patch, { 'content-type': 'application/merge-patch+json' })
        assert.equal(status, 200)
      }),
    )
  t.diagnostic(`pauses of ${pauses.map(Math.round).join(', ')} ms`)
  assert.ok(Math.min(...pauses) < 150, `${pauses.map(Math.round).join(', ')} ms`)
  await api.delete(`${path}/nests.example.com`)
})

test('more versions than a definition may have are refused, unless they become fewer', async () => {
  const body = (count: number) => {
    const versions = JSON.parse(`[${times(count, (index) => version(index + 1, '{"type":"object"}'))}]`) as object[]
    const names = { plural: 'releases', kind: 'Release' }
    return { metadata: { name: 'releases.example.com' }, spec: { group: 'example.com', scope: 'Namespaced', names, versions } }
  }
  assert.equal((await api.send('POST', definitions, body(1_000))).status, 201)
  const refused = await api.send('POST', definitions, body(1_001))
  assert.equal(refused.status, 422)
  assert.match(JSON.stringify(refused.body), /spec\.versions: Too many: 1001: must have at most 1000 items/)
})

test('names that discovery would repeat too often are refused, unless they become fewer', async () => {
  const versions = [version(1, '{"type":"object"}')]
  for (let number = 2; number <= 100; number++) versions.push(version(number, '{"type":"object"}'))
  const send = async (method: string, path: string, shortNames: number, more: object = {}) => {
    const spec = JSON.parse(`{"group":"example.com","scope":"Namespaced","versions":[${versions}]}`) as object
    const names = { plural: 'gadgets', kind: 'Gadget', shortNames: Array.from({ length: shortNames }, (_, index) => `g${index}`) }
    return api.send(method, path, { metadata: { name: 'gadgets.example.com', ...more }, spec: { ...spec, names } })
  }
  assert.equal((await send('POST', definitions, 1_000)).status, 201)
  const refused = await send('POST', definitions, 1_001)
  assert.equal(refused.status, 422)
  assert.match(JSON.stringify(refused.body), /spec\.names: Too many: 100100: must have at most 100000 items/)
})

test('the newest version is recommended for all deprecated ones in linear time', async (t) => {
  const path = definitions.replace(/\?.*/, '')
  const deprecated = (number: number) => version(number, '{"type":"object"}').replace('}}}', `}},"deprecated":${number % 2 === 1}}`)
  const versions = JSON.parse(`[${times(800, (index) => deprecated(index + 1))}]`) as object[]
  const body = {
    metadata: { name: 'parts.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'parts', kind: 'Part' }, versions },
  }
  const pauses: number[] = []
  for (let look = 0; look < 4 && Math.min(...pauses, Number.POSITIVE_INFINITY) >= 250; look++)
    pauses.push(
      await longestPause(async () => {
        assert.equal((await api.send('POST', path, body)).status, 201)
        await eventually('the served definition', async () => (await api.get('/apis/example.com/v800/parts')).status === 200)
        assert.equal((await api.delete(`${path}/parts.example.com`)).status, 200)
        await eventually('its end', async () => (await api.get(`${path}/parts.example.com`)).status === 404)
      }),
    )
  t.diagnostic(`pauses of ${pauses.map(Math.round).join(', ')} ms`)
  assert.ok(Math.min(...pauses) < 250, `${pauses.map(Math.round).join(', ')} ms`)
})
