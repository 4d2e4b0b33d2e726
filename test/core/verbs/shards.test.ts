/** Lists and watches of shards (KEP-5866). Texts, hashes and the objects of each shard are those of kube-apiserver 1.36.2. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { fnv1a } from '../../../core/request/fnv.ts'
import { configMap, type TestList } from '../../support/api.ts'
import { serverForTests } from '../../support/in-process.ts'
import { watchAt } from '../../support/watch-reader.ts'

const lowest = '0x0000000000000000'
const middle = '0x8000000000000000'
const highest = '0x10000000000000000'
const range = (start: string, end: string, field = 'uid') => `shardRange(object.metadata.${field}, '${start}', '${end}')`
const halves = [range(lowest, middle), range(middle, highest)] as const

const collection = '/api/v1/namespaces/default/configmaps'
const query = (selector: string, more: { readonly [name: string]: string } = {}) =>
  `${collection}?${new URLSearchParams({ shardSelector: selector, ...more })}`
const names = ({ items }: TestList) => items.map(({ metadata }) => metadata.name)

/** The high bit of the hash. */
const halfOf = (text: string) => (fnv1a(text).high >= 2 ** 31 ? 1 : 0)

test('the hash is FNV-1a of 64 bits', () => {
  const hex = (text: string) => [fnv1a(text).high, fnv1a(text).low].map((part) => part.toString(16).padStart(8, '0')).join('')
  // From the draft's table.
  for (const [text, hash] of [
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
  ] as const)
    assert.equal(hex(text), hash)
  for (const text of ['é', '\u{1f600}', 'x'.repeat(1_000)]) {
    let expected = 0xcbf29ce484222325n
    for (const byte of Buffer.from(text)) expected = BigInt.asUintN(64, (expected ^ BigInt(byte)) * 0x100000001b3n)
    assert.equal(hex(text), expected.toString(16).padStart(16, '0'))
  }
})

for (const watchCache of [true, false])
  describe(`shards, ${watchCache ? 'with' : 'without'} the watch cache`, () => {
    const api = serverForTests({ controllers: [], watchCache, featureGates: { ShardedListAndWatch: true } })
    /** Names by half. */
    const made: [string[], string[]] = [[], []]
    before(async () => {
      for (let i = 10; i < 40; i++) {
        const { metadata } = await api.create(collection, configMap(`c${i}`, {}, { labels: { parity: i % 2 ? 'odd' : 'even' } }))
        made[halfOf((metadata as { uid: string }).uid)].push(`c${i}`)
      }
    })

    test('each object is in one shard, and a list says which', async () => {
      for (const [half, selector] of halves.entries()) {
        const list = await api.list(query(selector))
        assert.deepEqual(names(list), made[half])
        assert.deepEqual(list.metadata, { resourceVersion: list.metadata.resourceVersion, shardInfo: { selector } })
      }
      const both = await api.list(query(` ${halves[0]}||(${halves[1]}) `))
      assert.deepEqual(names(both), [...made[0], ...made[1]].sort())
      assert.deepEqual((both.metadata as { shardInfo?: unknown }).shardInfo, { selector: halves.join(' || ') })
    })

    test('with selectors, in pages', async () => {
      const found: string[] = []
      let next = ''
      do {
        const list = await api.list(query(halves[0], { limit: '2', labelSelector: 'parity=odd', ...(next && { continue: next }) }))
        assert(list.items.length <= 2)
        found.push(...names(list))
        next = list.metadata.continue ?? ''
      } while (next !== '')
      assert.deepEqual(
        found,
        made[0].filter((name) => Number(name.slice(1)) % 2 === 1),
      )
    })

    test('by namespace', async () => {
      const shards = [range(lowest, middle, 'namespace'), range(middle, highest, 'namespace')]
      const sizes = await Promise.all(shards.map(async (selector) => (await api.list(query(selector))).items.length))
      assert.deepEqual(sizes, halfOf('default') ? [0, 30] : [30, 0])
    })

    test('watches have the initial objects and the changes of their shard', async () => {
      const watches = await Promise.all(
        halves.map((selector) =>
          watchAt(api.fetch, collection, {
            shardSelector: selector,
            sendInitialEvents: 'true',
            resourceVersionMatch: 'NotOlderThan',
            allowWatchBookmarks: 'true',
          }),
        ),
      )
      for (const [half, watch] of watches.entries()) {
        const events = await watch.until(({ type }) => type === 'BOOKMARK')
        assert.deepEqual(
          events.slice(0, -1).map(({ object }) => (object as { metadata: { name: string } }).metadata.name),
          made[half],
        )
      }
      const changed = made.map(([name = '']) => name)
      for (const name of [...changed].reverse()) await api.patch(`${collection}/${name}`, { data: { k: 'v' } })
      for (const [half, watch] of watches.entries()) {
        const { type, object } = await watch.object()
        assert.deepEqual([type, object.metadata.name], ['MODIFIED', changed[half]])
        await watch.close()
      }
    })

    test('Tables and metadata are limited without saying so, protobuf says it', async () => {
      const get = async (accept: string) => (await api.fetch(query(halves[0]), { headers: { accept } })).text()
      const table = JSON.parse(await get('application/json;as=Table;v=v1;g=meta.k8s.io'))
      assert.deepEqual([table.rows.length, table.metadata.shardInfo], [made[0].length, undefined])
      const metadata = JSON.parse(await get('application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'))
      assert.deepEqual([metadata.items.length, metadata.metadata.shardInfo], [made[0].length, undefined])
      assert.match(await get('application/vnd.kubernetes.protobuf'), /shardRange\(object\.metadata\.uid, /)
    })

    test('selectors that are none', async () => {
      for (const [selector, why] of [
        [' ', 'empty shard selector is not allowed; omit the parameter for unfiltered lists'],
        ['x', 'unexpected expression kind 3; expected shardRange() call or || operator'],
        ['a && b', 'unsupported function "_&&_"; only shardRange() and || are allowed'],
        ['has(a.b)', 'unsupported function "has"; only shardRange() and || are allowed'],
        ['a + 1 ==', /^CEL parse error: Syntax error: /],
        ["'x'.shardRange()", 'shardRange() requires exactly 3 arguments, got 0'],
        ['shardRange(1, 2, 3)', 'shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 5'],
        [
          range(lowest, middle, 'name'),
          'unsupported field path "object.metadata.name"; supported: object.metadata.uid, object.metadata.namespace',
        ],
        ["shardRange(object.metadata.uid, -1, '0x')", 'hexStart must be a string literal, got int64'],
        ["shardRange(object.metadata.uid, b'0x', '0x')", 'hexStart must be a string literal, got []uint8'],
        [range('0', middle), 'hexStart must have \'0x\' prefix, got "0"'],
        [range('0x', middle), "hexStart: hex value is required after '0x'"],
        [range('0xff', middle), 'hexStart must be a 0x-prefixed 16-digit hex value, got "0xff" (did you mean "0x00000000000000ff"?)'],
        [range('0x000000000000000G', middle), 'hexStart: invalid hex character "G" in "0x000000000000000G"'],
        [range(lowest, '0x10000000000000001'), `hexEnd: 17-digit hex value must be '${highest}' (2^64), got "0x10000000000000001"`],
        [range(lowest, '0x100000000000000000'), 'hexEnd: hex value too long (18 chars, max 17): "100000000000000000"'],
        [range(middle, middle), `shard range start ${middle} must be less than end ${middle}`],
        [
          `${halves[0]} || ${range(lowest, middle, 'namespace')}`,
          'all shard ranges must use the same field, got "object.metadata.uid" and "object.metadata.namespace"',
        ],
      ] as const)
        for (const more of [{}, { watch: 'true' }]) {
          const { status, body } = await api.get<{ message: string; reason?: string }>(query(selector, more))
          assert.deepEqual([status, body.reason], [500, undefined], selector)
          const message = body.message.replace(/^invalid shard selector: /, '')
          if (typeof why === 'string') assert.equal(message, why)
          else assert.match(message, why)
        }
    })

    test('a collection is deleted shard by shard', async () => {
      const { status } = await api.send('DELETE', query(halves[1]))
      assert.equal(status, 200)
      assert.deepEqual(names(await api.list(collection)), made[0])
    })
  })

describe('without the feature gate', () => {
  const api = serverForTests({ controllers: [] })
  test('the selector is ignored', async () => {
    await api.create(collection, configMap('a'))
    for (const selector of [halves[0], halves[1], 'x']) {
      const list = await api.list(query(selector))
      assert.deepEqual([names(list), (list.metadata as { shardInfo?: unknown }).shardInfo], [['a'], undefined])
    }
  })
})
