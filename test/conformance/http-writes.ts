import assert from 'node:assert/strict'
import { assertFailure, configMap, type TestObject } from '../support/api.ts'
import { type On, unchanged } from './http-suite.ts'
import { deployment, pod } from './samples.ts'

/** The object without the times of its managedFields, which change with each attempt. */
const untimed = (object: TestObject) =>
  JSON.parse(JSON.stringify(object, (key, value: unknown) => (key === 'time' ? undefined : value))) as TestObject

/** Create, get, update; conflicts, generated names, dry run. */
export function writes(on: On): void {
  on('creates an object and returns it as stored', async ({ api, at, namespace }) => {
    const created = await api.send<TestObject>('POST', at('configmaps'), configMap('a', { k: 'v' }, { labels: { l: '1' } }))
    assert.equal(created.status, 201)
    const { metadata, ...rest } = created.body
    assert.deepEqual(rest, { kind: 'ConfigMap', apiVersion: 'v1', data: { k: 'v' } })
    assert.equal(metadata.name, 'a')
    assert.equal(metadata.namespace, namespace)
    assert.deepEqual(metadata.labels, { l: '1' })
    assert.match(metadata.uid, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.match(metadata.resourceVersion, /^[1-9]\d*$/)
    assert.match(metadata.creationTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const read = await api.get(at('configmaps/a'))
    assert.equal(read.status, 200)
    assert.deepEqual(read.body, created.body)
    assert.equal(read.headers.get('cache-control'), 'no-cache, private')
    assert(read.headers.get('audit-id'))
  })

  on('sets uid, creationTimestamp and deletion fields itself', async ({ api, at }) => {
    const metadata = {
      uid: 'mine',
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
      selfLink: '/mine',
    }
    const created = await api.create(at('configmaps'), configMap('a', {}, metadata))
    assert.equal(Object.hasOwn(created.metadata, 'selfLink'), false, 'a link to itself')
    assert.notEqual(created.metadata.uid, 'mine')
    assert.notEqual(created.metadata.creationTimestamp, '2001-01-01T00:00:00Z')
    assert.equal(created.metadata.deletionTimestamp, undefined)
    assert.equal(created.metadata.deletionGracePeriodSeconds, undefined)
  })

  on('refuses to create a name that exists and to read one that does not', async ({ api, at }) => {
    await api.create(at('configmaps'), configMap('a'))
    const taken = await api.send('POST', at('configmaps'), configMap('a', { other: 'content' }))
    const status = assertFailure(taken, 409, 'AlreadyExists', 'configmaps "a" already exists')
    assert.deepEqual(status.details, { name: 'a', kind: 'configmaps' })
    const missing = assertFailure(await api.get(at('configmaps/none')), 404, 'NotFound', 'configmaps "none" not found')
    assert.deepEqual(missing.details, { name: 'none', kind: 'configmaps' })
    const grouped = assertFailure(
      await api.get('/apis/apps/v1/namespaces/default/deployments/none'),
      404,
      'NotFound',
      'deployments.apps "none" not found',
    )
    assert.deepEqual(grouped.details, { name: 'none', group: 'apps', kind: 'deployments' })
  })

  on('refuses objects in a namespace that does not exist', async ({ api }) => {
    const answer = await api.send('POST', '/api/v1/namespaces/nowhere/configmaps', configMap('a'))
    const status = assertFailure(answer, 404, 'NotFound', 'namespaces "nowhere" not found')
    assert.deepEqual(status.details, { name: 'nowhere', kind: 'namespaces' })
    assert.deepEqual((await api.list('/api/v1/namespaces/nowhere/configmaps')).items, [])
  })

  on('generates names from generateName', async ({ api, at }) => {
    const first = await api.create(at('configmaps'), { ...configMap(''), metadata: { generateName: 'made-' } })
    const second = await api.create(at('configmaps'), { ...configMap(''), metadata: { generateName: 'made-' } })
    assert.match(first.metadata.name, /^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    assert.notEqual(first.metadata.name, second.metadata.name)
    const long = await api.create(at('configmaps'), { ...configMap(''), metadata: { generateName: 'x'.repeat(80) } })
    assert.match(long.metadata.name, /^x{58}.{5}$/)
    const nameless = await api.send('POST', at('configmaps'), { ...configMap(''), metadata: {} })
    assertFailure(nameless, 422, 'Invalid', 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required')
  })

  on('updates with the current resourceVersion or without one', async ({ api, at }) => {
    const created = await api.create(at('configmaps'), configMap('a', { k: '1' }))
    const second = await api.send('PUT', at('configmaps/a'), { ...created, data: { k: '2' } })
    assert.equal(second.status, 200)
    assert(BigInt(second.body.metadata.resourceVersion) > BigInt(created.metadata.resourceVersion))
    const stale = await api.send('PUT', at('configmaps/a'), { ...created, data: { k: '3' } })
    const status = assertFailure(
      stale,
      409,
      'Conflict',
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    )
    assert.deepEqual(status.details, { name: 'a', kind: 'configmaps' })
    const blind = await api.send('PUT', at('configmaps/a'), configMap('a', { k: '4' }))
    assert.equal(blind.status, 200)
    assert.deepEqual((await api.get(at('configmaps/a'))).body.data, { k: '4' })
    assert.equal(blind.body.metadata.uid, created.metadata.uid)
    assert.equal(blind.body.metadata.creationTimestamp, created.metadata.creationTimestamp)
  })

  on(
    'updates with resourceVersion 0 as without one, unless the kind requires one; refuses one that is not a number',
    async ({ api, at, under }) => {
      await api.create(at('configmaps'), configMap('a', { k: '1' }))
      const zero = { resourceVersion: '0' }
      const replaced = await api.send('PUT', at('configmaps/a'), configMap('a', { k: '2' }, zero))
      assert.deepEqual([replaced.status, replaced.body.data], [200, { k: '2' }])
      const patched = await api.patch(at('configmaps/a'), { metadata: zero, data: { k: '3' } })
      assert.deepEqual([patched.status, patched.body.data], [200, { k: '3' }])
      await api.create(under('coordination.k8s.io/v1', 'leases'), { metadata: { name: 'a' } })
      const lease = { metadata: { name: 'a', ...zero } }
      assertFailure(
        await api.send('PUT', under('coordination.k8s.io/v1', 'leases/a'), lease),
        422,
        'Invalid',
        'leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      )
      for (const [resourceVersion, why] of [
        ['soon', 'invalid syntax'],
        ['18446744073709551616', 'value out of range'],
      ] as const) {
        const { status, body } = await api.send<object>('PUT', at('configmaps/a'), configMap('a', {}, { resourceVersion }))
        const message = `strconv.ParseUint: parsing "${resourceVersion}": ${why}`
        assert.deepEqual([status, body], [500, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 }])
      }
      assert.deepEqual((await api.get(at('configmaps/a'))).body.data, { k: '3' })
    },
  )

  on('keeps the resourceVersion of an update that changes nothing', async ({ api, at }) => {
    const created = await api.create(at('configmaps'), configMap('a', { k: '1' }))
    const again = await api.send('PUT', at('configmaps/a'), created)
    assert.deepEqual(again.body, created)
    const patched = await api.patch(at('configmaps/a'), { data: { k: '1' } })
    assert.deepEqual(patched.body, created)
  })

  on('stores every change, also of an object whose writes have changed nothing for a while', async ({ api, under }) => {
    const path = under('apps/v1', 'deployments/a')
    let last = await api.create(under('apps/v1', 'deployments'), deployment('a'))
    const changes: [patch: object, generation: number][] = [
      [{ metadata: { labels: { b: '1' } } }, 1],
      [{ metadata: { labels: { a: '1' } } }, 1],
      [{ metadata: { labels: { b: null } } }, 1],
      [{ metadata: { annotations: {} } }, 1],
      [{ spec: { paused: true } }, 2],
      [{ spec: { template: { metadata: { labels: { c: '1' } } } } }, 3],
      [{ spec: { paused: null } }, 4],
    ]
    for (const [patch, generation] of changes) {
      const changed = await api.patch(path, patch)
      assert.equal(changed.status, 200)
      const isEmpty = JSON.stringify(patch).includes('{}')
      assert.equal(changed.body.metadata.resourceVersion === last.metadata.resourceVersion, isEmpty, JSON.stringify(patch))
      assert.equal(changed.body.metadata['generation'], generation)
      for (let time = 0; time < 3; time++) {
        assert.deepEqual((await api.patch(path, patch)).body, changed.body)
        assert.deepEqual((await api.send('PUT', path, changed.body)).body, changed.body)
        assert.deepEqual((await api.patch(path, [], 'application/json-patch+json')).body, changed.body)
      }
      last = changed.body
    }
  })

  on('refuses an update with another name, namespace or uid than the stored object', async ({ api, at }) => {
    const created = await api.create(at('configmaps'), configMap('a'))
    await unchanged(api, at('configmaps'), async () => {
      assertFailure(
        await api.send('PUT', at('configmaps/a'), configMap('b')),
        400,
        'BadRequest',
        'the name of the object (b) does not match the name on the URL (a)',
      )
      const undeterminable = 'the name of the object (a based on URL) was undeterminable: name must be provided'
      assertFailure(await api.send('PUT', at('configmaps/a'), { ...configMap('a'), metadata: {} }), 400, 'BadRequest', undeterminable)
      assertFailure(await api.patch(at('configmaps/a'), { metadata: { name: null } }), 400, 'BadRequest', undeterminable)
      assertFailure(
        await api.send('PUT', at('configmaps/a'), configMap('a', {}, { namespace: 'default' })),
        400,
        'BadRequest',
        'the namespace of the provided object does not match the namespace sent on the request',
      )
      const { metadata } = created
      assertFailure(
        await api.send('PUT', at('configmaps/a'), configMap('a', {}, { uid: 'another' })),
        409,
        'Conflict',
        new RegExp(`Precondition failed: UID in precondition: another, UID in object meta: ${metadata.uid}$`),
      )
      assertFailure(await api.send('PUT', at('configmaps/none'), configMap('none')), 404, 'NotFound', 'configmaps "none" not found')
    })
  })

  on('creates a lease by PUT', async ({ api, under }) => {
    const lease = { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', metadata: { name: 'l' }, spec: { holderIdentity: 'me' } }
    const created = await api.send('PUT', under('coordination.k8s.io/v1', 'leases/l'), lease)
    assert.equal(created.status, 201)
    const updated = await api.send('PUT', under('coordination.k8s.io/v1', 'leases/l'), {
      ...created.body,
      spec: { holderIdentity: 'you' },
    })
    assert.equal(updated.status, 200)
    assert.equal(updated.body.metadata.uid, created.body.metadata.uid)
  })

  on('counts generations: changes of spec and of deployment annotations, not of status or labels', async ({ api, under }) => {
    const url = under('apps/v1', 'deployments/d')
    const created = await api.create(under('apps/v1', 'deployments'), { ...deployment('d'), status: { replicas: 7 } })
    assert.equal(created.metadata.generation, 1)
    assert.notEqual(created.status?.['replicas'], 7)
    assert.equal((await api.patch(url, { metadata: { labels: { more: 'yes' } } })).body.metadata.generation, 1)
    assert.equal((await api.patch(url, { spec: { replicas: 3 } })).body.metadata.generation, 2)
    assert.equal((await api.patch(url, { metadata: { annotations: { note: 'x' } } })).body.metadata.generation, 3)
    assert.equal((await api.patch(`${url}/status`, { status: { replicas: 1 } })).body.metadata.generation, 3)
  })

  on('refuses changes of immutable fields', async ({ api, at }) => {
    await api.create(at('configmaps'), { ...configMap('a', { k: '1' }), immutable: true })
    await unchanged(api, at('configmaps'), async () => {
      assertFailure(
        await api.patch(at('configmaps/a'), { data: { k: '2' } }),
        422,
        'Invalid',
        'ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set',
      )
      assertFailure(
        await api.patch(at('configmaps/a'), { immutable: false }),
        422,
        'Invalid',
        'ConfigMap "a" is invalid: immutable: Forbidden: field is immutable when `immutable` is set',
      )
    })
    const secret = { kind: 'Secret', apiVersion: 'v1', metadata: { name: 's' }, type: 'Opaque' }
    await api.create(at('secrets'), secret)
    assertFailure(
      await api.send('PUT', at('secrets/s'), { ...secret, type: 'other' }),
      422,
      'Invalid',
      'Secret "s" is invalid: type: Invalid value: "other": field is immutable',
    )
  })

  on('reports field, reason and message of every validation error', async ({ api, at }) => {
    await unchanged(api, at('pods'), async () => {
      const answer = await api.send('POST', at('pods'), pod('p', { containers: [] }))
      const status = assertFailure(answer, 422, 'Invalid', 'Pod "p" is invalid: spec.containers: Required value')
      assert.deepEqual(status.details, {
        name: 'p',
        kind: 'Pod',
        causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.containers' }],
      })
    })
  })

  on('dryRun=All validates a write in full and stores nothing', async ({ api, at }) => {
    const created = await api.create(at('configmaps'), configMap('a', { k: '1' }))
    await unchanged(api, at('configmaps'), async () => {
      const tried = await api.send<TestObject>('POST', at('configmaps?dryRun=All'), configMap('b'))
      assert.equal(tried.status, 201)
      assert(tried.body.metadata.uid)
      assert.equal(tried.body.metadata.resourceVersion, undefined)
      assertFailure(await api.send('POST', at('configmaps?dryRun=All'), configMap('a')), 409, 'AlreadyExists')
      const put = await api.send('PUT', at('configmaps/a?dryRun=All'), configMap('a', { k: '2' }))
      assert.deepEqual(untimed(put.body), untimed({ ...created, data: { k: '2' } }))
      const patched = await api.patch(at('configmaps/a?dryRun=All'), { data: { k: '3' } })
      assert.deepEqual(untimed(patched.body), untimed({ ...created, data: { k: '3' } }))
      assert.equal((await api.delete(at('configmaps/a?dryRun=All'))).status, 200)
      assert.equal((await api.delete(at('configmaps/a'), { dryRun: ['All'] })).status, 200)
      assert.equal((await api.delete(at('configmaps?dryRun=All'))).status, 200)
      const unknown = await api.send('POST', at('configmaps?dryRun=Some'), configMap('b'))
      assertFailure(unknown, 422, 'Invalid', /^CreateOptions\.meta\.k8s\.io "" is invalid: dryRun: /)
    })
  })

  on('one of many concurrent creates succeeds, and no concurrent patch is lost', async ({ api, at }) => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => api.send('POST', at('configmaps'), configMap('a', { by: `${i}` }))),
    )
    const winner = answers.findIndex(({ status }) => status === 201)
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, ...Array<number>(19).fill(409)])
    assert.deepEqual((await api.get(at('configmaps/a'))).body.data, { by: `${winner}` })
    const patches = await Promise.all(Array.from({ length: 20 }, (_, i) => api.patch(at('configmaps/a'), { data: { [`k${i}`]: 'v' } })))
    assert.deepEqual(new Set(patches.map(({ status }) => status)), new Set([200]))
    assert.equal(Object.keys((await api.get(at('configmaps/a'))).body.data ?? {}).length, 21)
  })

  on(
    'concurrent patches without a resourceVersion never conflict; of those with the same one, exactly one succeeds',
    async ({ api, at }) => {
      const { metadata } = await api.create(at('configmaps'), configMap('busy'))
      const versions = new Set<string>()
      const patcher = async (_: unknown, i: number) => {
        for (let n = 0; n < 15; n++) {
          const { status, body } = await api.patch(at('configmaps/busy'), { data: { [`k${i}`]: `${n}` } })
          assert.equal(status, 200, JSON.stringify(body))
          versions.add(body.metadata.resourceVersion)
        }
      }
      await Promise.all(Array.from({ length: 20 }, patcher))
      assert.equal(versions.size, 300, 'every patch is a write of its own')
      const { body } = await api.get(at('configmaps/busy'))
      assert.deepEqual(body.data, Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, '14'])))
      const { uid, resourceVersion } = body.metadata
      assert.equal(uid, metadata.uid)
      const named = await Promise.all(
        Array.from({ length: 20 }, (_, i) => api.patch(at('configmaps/busy'), { metadata: { resourceVersion }, data: { last: `${i}` } })),
      )
      assert.deepEqual(named.map(({ status }) => status).toSorted(), [200, ...Array<number>(19).fill(409)])
    },
  )
}
