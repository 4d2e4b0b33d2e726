import assert from 'node:assert/strict'
import { type Answer, apiOf, assertFailure, configMap, type TestList } from '../support/api.ts'
import { eventually } from '../support/wait.ts'
import type { On, Open, TestNamespace } from './http-suite.ts'
import { pod } from './samples.ts'

const names = ({ items }: TestList) => items.map(({ metadata }) => metadata.name)

async function fill({ api, at }: TestNamespace, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await api.create(at('secrets'), { kind: 'Secret', apiVersion: 'v1', metadata: { name: `s${i}` } })
}

/** Lists: order, pages, resource versions, selectors. */
export function lists(on: On, open: Open): void {
  on('lists in the order of names, without kind and apiVersion in the items', async (space) => {
    const { api, at } = space
    const empty = await api.fetch(at('secrets'))
    assert.match(await empty.text(), /^\{"kind":"SecretList","apiVersion":"v1","metadata":\{"resourceVersion":"\d+"\},"items":\[\]\}\n?$/)
    for (const name of ['b', 'a', 'a.b', 'a-b']) await api.create(at('secrets'), { kind: 'Secret', apiVersion: 'v1', metadata: { name } })
    const list = await api.list(at('secrets'))
    assert.deepEqual(names(list), ['a', 'a-b', 'a.b', 'b'])
    for (const item of list.items) {
      assert(!Object.hasOwn(item, 'kind') && !Object.hasOwn(item, 'apiVersion'))
      assert(BigInt(item.metadata.resourceVersion) <= BigInt(list.metadata.resourceVersion))
    }
    const { namespace } = space
    const everywhere = await api.list('/api/v1/secrets')
    assert.deepEqual(
      everywhere.items.filter(({ metadata }) => metadata.namespace === namespace),
      list.items,
    )
  })

  on('all pages of a list show the same revision, whatever is written in between', async (space) => {
    const { api, at } = space
    await fill(space, 7)
    const first = await api.list(at('secrets?limit=3'))
    assert.deepEqual(names(first), ['s0', 's1', 's2'])
    assert.equal(first.metadata.remainingItemCount, 4)
    await api.create(at('secrets'), { kind: 'Secret', apiVersion: 'v1', metadata: { name: 's3a' } })
    await api.delete(at('secrets/s4'))
    const after = (token = '') => `&continue=${encodeURIComponent(token)}`
    const second = await api.list(at(`secrets?limit=2${after(first.metadata.continue)}`))
    assert.deepEqual(names(second), ['s3', 's4'])
    assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion)
    assert.equal(second.metadata.remainingItemCount, 2)
    const last = await api.list(at(`secrets?limit=50${after(second.metadata.continue)}`))
    assert.deepEqual(names(last), ['s5', 's6'])
    assert.deepEqual(last.metadata, { resourceVersion: first.metadata.resourceVersion })
    const exact = await api.list(at(`secrets?limit=7`))
    assert.deepEqual([exact.items.length, exact.metadata.continue], [7, undefined])
  })

  on('pages with a selector have no remainingItemCount', async (space) => {
    const { api, at } = space
    for (let i = 0; i < 9; i++) await api.create(at('configmaps'), configMap(`c${i}`, {}, { labels: { odd: `${i % 2}` } }))
    const first = await api.list(at('configmaps?limit=2&labelSelector=odd=1'))
    assert.deepEqual(names(first), ['c1', 'c3'])
    assert.equal(first.metadata.remainingItemCount, undefined)
    const second = await api.list(at(`configmaps?limit=2&labelSelector=odd=1&continue=${first.metadata.continue}`))
    assert.deepEqual(names(second), ['c5', 'c7'])
  })

  on('refuses forged or malformed continue tokens', async (space) => {
    const { api, at } = space
    await fill(space, 2)
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const tokens = [
      'abc!',
      'AAAA',
      encode({ v: 'meta.k8s.io/v9', rv: 5, start: 's0' }),
      encode({ v: 'meta.k8s.io/v1', rv: 0, start: 's0' }),
      encode({ v: 'meta.k8s.io/v1', rv: 5, start: '' }),
      encode({ v: 'meta.k8s.io/v1', rv: 5, start: '../../../secrets/default/x' }),
    ]
    for (const token of tokens)
      assertFailure(
        await api.get(at(`secrets?limit=1&continue=${encodeURIComponent(token)}`)),
        400,
        'BadRequest',
        /^invalid continue token: continue key is not valid/,
      )
    const { metadata } = await api.list(at('secrets?limit=1'))
    assertFailure(
      await api.get(at(`secrets?limit=1&resourceVersion=${metadata.resourceVersion}&continue=${metadata.continue}`)),
      400,
      'BadRequest',
      'specifying resource version is not allowed when using continue',
    )
  })

  on('answers an expired continue token with 410 and a token to resume', async () => {
    const server = await open({ watchCache: false, compactionInterval: 200 })
    try {
      const api = apiOf(server.fetch)
      const url = '/api/v1/namespaces/default/configmaps'
      for (const name of ['a', 'b', 'c']) await api.create(url, configMap(name))
      const first = await api.list(`${url}?limit=1`)
      await api.create(url, configMap('b1'))
      const expired = await eventually('end of the token', async () => {
        await api.patch(`${url}/a`, { data: { at: `${performance.now()}` } })
        const answer: Answer<TestList> = await api.get(`${url}?limit=1&continue=${first.metadata.continue}`)
        return answer.status !== 200 && answer
      })
      const { metadata, ...status } = expired.body as unknown as { metadata: { continue?: string }; [field: string]: unknown }
      assert.equal(expired.status, 410)
      assert.equal(status['reason'], 'Expired')
      assert.match(String(status['message']), /^The provided continue parameter is too old to display a consistent list result\. /)
      const rest = await api.list(`${url}?continue=${metadata.continue}`)
      assert.equal(rest.items.at(-1)?.metadata.name, 'c')
      assert(names(rest).includes('b1'))
      const old = await api.get(`${url}?resourceVersion=${first.metadata.resourceVersion}&resourceVersionMatch=Exact`)
      assertFailure(old, 410, 'Expired', 'The resourceVersion for the provided list is too old.')
    } finally {
      await server.close()
    }
  })

  on('honours resourceVersion and resourceVersionMatch', async (space) => {
    const { api, at } = space
    await fill(space, 2)
    const { metadata } = await api.list(at('secrets'))
    await api.delete(at('secrets/s0'))
    const version = metadata.resourceVersion
    assert.deepEqual(names(await api.list(at(`secrets?resourceVersion=${version}&resourceVersionMatch=Exact`))), ['s0', 's1'])
    assert.deepEqual(names(await api.list(at(`secrets?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`))), ['s1'])
    assert.deepEqual(names(await api.list(at(`secrets?resourceVersion=${version}`))), ['s1'])
    assert((await api.list(at('secrets?resourceVersion=0'))).items.length >= 1)
    const future = await api.get(at('secrets?resourceVersion=999999999'))
    const status = assertFailure(future, 504, 'Timeout', /^Timeout: Too large resource version: 999999999, current: \d+$/)
    assert.deepEqual(status.details?.causes, [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }])
    assert.equal(future.headers.get('retry-after'), '1')
    assertFailure(await api.get(at('secrets?resourceVersion=x')), 400, 'BadRequest', /^invalid resource version: /)
    assertFailure(
      await api.get(at('secrets?resourceVersionMatch=Exact')),
      422,
      'Invalid',
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    )
  })

  on('GET waits until the store has reached the given resourceVersion', async ({ api, at }) => {
    const { metadata } = await api.create(at('configmaps'), configMap('a'))
    for (const version of ['0', '1', metadata.resourceVersion])
      assert.equal((await api.get(at(`configmaps/a?resourceVersion=${version}`))).body.metadata.uid, metadata.uid, version)
    const future = await api.get(at('configmaps/a?resourceVersion=999999999'))
    const { details } = assertFailure(future, 504, 'Timeout', /^Timeout: Too large resource version: 999999999, current: \d+$/)
    assert.deepEqual(details, {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    })
    assert.equal(future.headers.get('retry-after'), '1')
    assertFailure(await api.get(at(`configmaps/b?resourceVersion=${metadata.resourceVersion}`)), 404, 'NotFound')
    const malformed = await api.get(at('configmaps/a?resourceVersion=x'))
    const { reason, message } = malformed.body as unknown as { reason?: string; message: string }
    // kube-apiserver's watch cache answers this with an error that is no Status.
    assert.deepEqual([malformed.status, reason], [500, undefined])
    assert.match(message, /^resourceVersion: Invalid value: "x": strconv.ParseUint: /)
    await api.create(at('configmaps'), configMap('b'))
    const own = await api.get('/api/v1/namespaces/default?resourceVersion=1')
    assert.equal(own.body.metadata.name, 'default')
  })

  on('label selectors', async ({ api, at }) => {
    const rows: { readonly [name: string]: { readonly [label: string]: string } } = {
      a: { tier: 'web', env: 'test' },
      b: { tier: 'web', env: 'prod' },
      c: { tier: 'db' },
      d: {},
    }
    for (const [name, labels] of Object.entries(rows))
      await api.create(at('configmaps'), configMap(name, {}, { labels: { mine: '', ...labels } }))
    const expected: { readonly [selector: string]: readonly string[] } = {
      'tier=web': ['a', 'b'],
      'tier==web,env=test': ['a'],
      'tier!=web': ['c', 'd'],
      'tier in (web,db)': ['a', 'b', 'c'],
      'tier notin (web)': ['c', 'd'],
      tier: ['a', 'b', 'c'],
      '!tier': ['d'],
      'tier=web,env!=prod': ['a'],
      'mine=': ['a', 'b', 'c', 'd'],
    }
    for (const [selector, found] of Object.entries(expected)) {
      const only = selector.includes('mine') ? selector : `mine,${selector}`
      assert.deepEqual(names(await api.list(at(`configmaps?labelSelector=${encodeURIComponent(only)}`))), found, selector)
    }
  })

  on('field selectors', async ({ api, at, namespace }) => {
    await api.create(at('pods'), pod('a', { nodeName: 'n1' }))
    await api.create(at('pods'), pod('b', { nodeName: 'n2', restartPolicy: 'Never' }))
    await api.create(at('pods'), pod('c'))
    await api.patch(at('pods/b/status'), { status: { phase: 'Running' } })
    const expected: { readonly [selector: string]: readonly string[] } = {
      'metadata.name=b': ['b'],
      'metadata.name!=b': ['a', 'c'],
      'spec.nodeName=n1': ['a'],
      'spec.nodeName!=n1': ['b', 'c'],
      'spec.nodeName=': ['c'],
      'status.phase=Running': ['b'],
      'status.phase=Pending': ['a', 'c'],
      'spec.restartPolicy=Always,status.phase!=Running': ['a', 'c'],
      [`metadata.namespace=${namespace}`]: ['a', 'b', 'c'],
      'metadata.namespace=other': [],
    }
    for (const [selector, found] of Object.entries(expected))
      assert.deepEqual(names(await api.list(at(`pods?fieldSelector=${encodeURIComponent(selector)}`))), found, selector)
    await api.create(at('secrets'), { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'typed' }, type: 'example.com/mine' })
    await api.create(at('secrets'), { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'plain' } })
    assert.deepEqual(names(await api.list(at('secrets?fieldSelector=type=example.com/mine'))), ['typed'])
    assert.deepEqual(names(await api.list(at('secrets?fieldSelector=metadata.name=typed,metadata.name=plain'))), [])
    assert.deepEqual(names(await api.list(at('secrets?fieldSelector=metadata.name=typed,metadata.name=typed'))), ['typed'])
    assert.deepEqual(names(await api.list(at('secrets?fieldSelector=type=Opaque'))), ['plain'])
  })

  on('refuses invalid selectors and limits', async ({ api, at }) => {
    const labels = ['a==b==c', 'a in b', 'a in (b', '(', 'a=b c', '=a', 'a=b,', 'a=-b', '-a', `a=${'x'.repeat(64)}`]
    for (const selector of labels)
      assertFailure(await api.get(at(`configmaps?labelSelector=${encodeURIComponent(selector)}`)), 400, 'BadRequest', /./)
    assertFailure(
      await api.get(at('configmaps?fieldSelector=nonsense')),
      400,
      'BadRequest',
      "invalid selector: 'nonsense'; can't understand 'nonsense'",
    )
    assertFailure(
      await api.get(at('configmaps?fieldSelector=spec.x=1')),
      400,
      'BadRequest',
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    )
    assertFailure(await api.get(at('pods?fieldSelector=spec.x=1')), 400, 'BadRequest', 'field label not supported: spec.x')
    assertFailure(await api.get(at('configmaps?limit=many')), 400, 'BadRequest', 'strconv.ParseInt: parsing "many": invalid syntax')
  })
}
