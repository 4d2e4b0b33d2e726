/** Columns of custom resources with paths that multiply an object: Tables of few objects hold the thread for milliseconds, and real paths have results. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { define, smallDefinition } from '../conformance/definitions.ts'
import { serverForTests } from '../support/in-process.ts'
import { longestPause } from '../support/pauses.ts'

const api = serverForTests({ controllers: [] })
const group = 'columns.example.com'
const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }

const nested = (depth: number) => `${'{"a":'.repeat(depth)}{"b":1}${'}'.repeat(depth)}`
const lists = (depth: number) => `${'[['.repeat(depth)}1${'],[1]]'.repeat(depth)}`
const same = (count: number) => `[${Array<string>(count).fill("'a'").join(',')}]`
const items = (count: number) => `[${Array<string>(count).fill('{"n":1,"type":"Ready"}').join(',')}]`

/** Each path is the only one, and one of a thousand. */
const attacks: { readonly [name: string]: readonly [path: string, spec: string] } = {
  'deep, visited once': ['.spec..b', nested(400)],
  'deep, visited four times': ['.spec..a..a..a..b', nested(400)],
  'deep lists': ['.spec..[0]..[0]..[0]', `{"a":${lists(200)}}`],
  'every value of every value': ['.spec..*..*..*', nested(400)],
  'unions of unions': [`.spec${same(8).repeat(12)}`, nested(400)],
  'a union of many names': [`.spec..${same(2_000)}`, nested(400)],
  wildcards: [`.spec${'.*'.repeat(30)}`, nested(400)],
  'filters of filters': [`.spec.list[?(@.n==1)]${'..n'.repeat(6)}`, `{"list":${items(20_000)}}`],
  'a filter for each item': ['.spec.list[?(@..n)].type', `{"list":${items(20_000)}}`],
}

/** Shortest of several looks, which other processes and collections of garbage disturb. */
async function shortest(limit: number, work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < 4 && least >= limit; look++) least = Math.min(least, await longestPause(work))
  return least
}

let number = 0
for (const [name, [jsonPath, spec]] of Object.entries(attacks))
  for (const count of [1, Math.min(1_000, Math.floor(1_000_000 / jsonPath.length))])
    test(`${name}, ${count} columns`, async (t) => {
      const kind = `Wide${number++}`
      const definition = smallDefinition(group, kind, { openAPIV3Schema })
      const columns = Array.from({ length: count }, (_, at) => ({ name: `c${at}`, type: 'string', jsonPath }))
      Object.assign(definition.spec.versions[0] ?? {}, { additionalPrinterColumns: columns })
      await define(api, definition as unknown as Parameters<typeof define>[1])
      const path = `/apis/${group}/v1/namespaces/default/${kind.toLowerCase()}s`
      for (const object of ['x', 'y', 'z']) {
        const body = `{"apiVersion":"${group}/v1","kind":"${kind}","metadata":{"name":"${object}"},"spec":${spec}}`
        assert.equal((await api.send('POST', path, body)).status, 201)
      }
      const limit = 250
      const pause = await shortest(limit, async () => assert.equal((await api.get(path, table)).status, 200))
      t.diagnostic(`${Math.round(pause)} ms`)
      assert.ok(pause < limit, `held the thread for ${Math.round(pause)} ms`)
    })

test('paths of an object in usual sizes have results, also beside many others', async () => {
  const definition = smallDefinition(group, 'Usual', { openAPIV3Schema })
  const paths = ['.spec.list[?(@.type=="Ready")].n', '.spec..n', '.spec.list[*].n', ".spec['list'][1].n"]
  const columns = Array.from({ length: 40 }, (_, at) => ({ name: `c${at}`, type: 'integer', jsonPath: paths[at % paths.length] }))
  Object.assign(definition.spec.versions[0] ?? {}, { additionalPrinterColumns: columns })
  await define(api, definition as unknown as Parameters<typeof define>[1])
  const path = `/apis/${group}/v1/namespaces/default/usuals`
  await api.create(path, {
    apiVersion: `${group}/v1`,
    kind: 'Usual',
    metadata: { name: 'a' },
    spec: JSON.parse(`{"list":${items(1_000)}}`),
  })
  const { body } = await api.get<{ rows: readonly { cells: readonly unknown[] }[] }>(path, table)
  assert.deepEqual(body.rows[0]?.cells, ['a', ...Array<number>(40).fill(1)])
})
