/** Lists of large and of many objects in every encoding, as tables, by selectors, and as watches. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { faultsOf, type Prepare } from '../support/growth.ts'
import { type Bench, openBench } from './bench.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: Math.ceil(count) }, (_, index) => make(index))

const accepts = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
  table: 'application/json;as=Table;g=meta.k8s.io;v=v1',
  'protobuf table': 'application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1',
  metadata: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
}
const queries = ['', '?pretty=true', '?labelSelector=a%3Db%2Cc%21%3Dd', '?limit=100', '?fieldSelector=metadata.name%21%3Da']

const configMap = (index: number) => ({
  metadata: { name: `c${index}`, labels: { a: 'b' } },
  data: { k: 'v'.repeat(50), l: '"\\\n: ' },
})
const pod = (index: number) => ({
  metadata: { name: `p${index}`, labels: { a: 'b' } },
  spec: { containers: [{ name: 'main', image: 'any' }] },
})
const kinds = { configmaps: configMap, pods: pod }

for (const [plural, make] of Object.entries(kinds))
  for (const [name, accept] of Object.entries(accepts))
    test(`${plural} as ${name}`, async () => {
      const works = queries.map((query): [string, Prepare] => [
        query,
        async (bytes) => {
          const namespace = `${plural}-${bytes}`
          const path = `/api/v1/namespaces/${namespace}/${plural}`
          const filled = await bench.send('GET', `${path}?limit=1`)
          if (!filled.text.includes('"name"')) {
            await bench.send('POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }))
            for (const index of times(bytes / 1_000, (each) => each)) {
              const { status, text } = await bench.send('POST', path, JSON.stringify(make(index)))
              assert.equal(status, 201, text)
            }
          }
          const { text } = await bench.send('GET', path)
          return { bytes: text.length, work: () => bench.send('GET', path + query, undefined, { accept }) }
        },
      ])
      assert.deepEqual(await faultsOf(works), [])
    })

const large: { [name: string]: (bytes: number) => object } = {
  'many members': (bytes) => ({ data: Object.fromEntries(times(bytes / 16, (index) => [`k${index}`, 'v'])) }),
  'a long text': (bytes) => ({ data: { a: 'x'.repeat(bytes) } }),
  'a text of lines': (bytes) => ({ data: { a: 'a: "b"\n'.repeat(bytes / 8) } }),
  // Each takes 13 bytes as JSON.
  'texts to escape': (bytes) => ({ data: { a: '\u0001"\\\u2028'.repeat(bytes / 13) } }),
}
const size = (bytes: number) => Math.min(bytes, 900 * 1024)

for (const [name, make] of Object.entries(large))
  test(`one object: ${name}`, async () => {
    const works = Object.entries({ ...accepts, metadata: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' }).map(
      ([format, accept]): [string, Prepare] => [
        format,
        async (bytes) => {
          const path = '/api/v1/namespaces/default/configmaps'
          await bench.send('DELETE', `${path}/large`)
          const body = JSON.stringify({ metadata: { name: 'large' }, ...make(size(bytes)) })
          const { status, text } = await bench.send('POST', path, body)
          assert.equal(status, 201, text.slice(0, 300))
          return { bytes: body.length, work: () => bench.send('GET', `${path}/large`, undefined, { accept }) }
        },
      ],
    )
    assert.deepEqual(await faultsOf(works), [])
  })
