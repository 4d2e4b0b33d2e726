import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Authenticator } from '../../../core/access/authn/authenticator.ts'
import type { Status } from '../../../core/answers/status.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { assertFailure, configMap } from '../../support/api.ts'
import { eventually } from '../../support/wait.ts'
import { watchAt } from '../../support/watch-reader.ts'
import { configuration, keyOf, keys, secret, secrets, secretsPath, startEncrypted } from './support.ts'

const value = Buffer.from('plain-text-value').toString('base64')
const gate = 'AllowUnsafeMalformedObjectDeletion'

/** Takes the username from the header `x-user`; `root` may do everything. */
const byHeader: Authenticator = {
  name: 'header',
  async authenticate(request) {
    const name = request.headers.get('x-user') ?? ''
    return { user: { name, uid: '', groups: name === 'root' ? ['system:masters'] : [], extra: {} } }
  },
}

const providers = [
  { name: 'aesgcm', provider: { aesgcm: keys(['k1', 1]) }, prefix: 'k8s:enc:aesgcm:v1:k1:' },
  { name: 'aescbc', provider: { aescbc: keys(['k1', 1]) }, prefix: 'k8s:enc:aescbc:v1:k1:' },
  { name: 'secretbox', provider: { secretbox: keys(['k1', 1]) }, prefix: 'k8s:enc:secretbox:v1:k1:' },
]

describe('encryption of resources', () => {
  for (const { name, provider, prefix } of providers) {
    test(`${name}: the store holds no plain text, and the API shows everything`, async () => {
      const server = await startEncrypted(secrets(provider))
      try {
        const { api } = server
        const created = await api.create(secretsPath, secret('a'))
        const events = await watchAt(api.fetch, secretsPath, { resourceVersion: created.metadata.resourceVersion })
        const stored = await server.rawText(keyOf('a'))
        assert.ok(stored.startsWith(prefix), stored.slice(0, 40))
        assert.ok(!stored.includes('Secret') && !stored.includes(value), 'no plain text is stored')
        assert.equal((await api.get(`${secretsPath}/a`)).body.data?.['value'], value)
        assert.equal((await api.list(secretsPath)).items[0]?.data?.['value'], value)
        await api.patch(`${secretsPath}/a`, { data: { other: value } })
        await api.delete(`${secretsPath}/a`)
        const [changed, gone] = [await events.object(), await events.object()]
        assert.equal(changed.type, 'MODIFIED')
        assert.equal(changed.object.data?.['other'], value)
        assert.equal(gone.type, 'DELETED')
        assert.equal(gone.object.data?.['value'], value)
        await events.close()
        await api.create('/api/v1/namespaces/default/configmaps', configMap('c', { value: 'seen' }))
        assert.match(await server.rawText('/registry/configmaps/default/c'), /seen/)
      } finally {
        await server.close()
      }
    })
  }

  test('the first matching entry wins, identity first stores plain text, and a wildcard covers the rest', async () => {
    const server = await startEncrypted(
      configuration(
        { resources: ['configmaps'], providers: [{ identity: {} }, { aesgcm: keys(['k1', 1]) }] },
        { resources: ['secrets'], providers: [{ aesgcm: keys(['k1', 1]) }] },
        { resources: ['*.apps'], providers: [{ aescbc: keys(['k2', 2]) }] },
        { resources: ['*.*'], providers: [{ secretbox: keys(['k3', 3]) }, { identity: {} }] },
      ),
    )
    try {
      const { api } = server
      await api.create(secretsPath, secret('a'))
      await api.create('/api/v1/namespaces/default/configmaps', configMap('c'))
      await api.create('/apis/apps/v1/namespaces/default/controllerrevisions', {
        kind: 'ControllerRevision',
        apiVersion: 'apps/v1',
        metadata: { name: 'r' },
        revision: 1,
        data: {},
      })
      const event = { involvedObject: { namespace: 'default' }, metadata: { name: 'e', namespace: 'default' } }
      await api.create('/api/v1/namespaces/default/events', { kind: 'Event', apiVersion: 'v1', ...event })
      const starts = [
        ['/registry/secrets/default/a', 'k8s:enc:aesgcm:v1:k1:'],
        ['/registry/configmaps/default/c', '{"kind"'],
        ['/registry/controllerrevisions/default/r', 'k8s:enc:aescbc:v1:k2:'],
        ['/registry/events/default/e', 'k8s:enc:secretbox:v1:k3:'],
        ['/registry/namespaces/default', 'k8s:enc:secretbox:v1:k3:'],
      ] as const
      for (const [key, start] of starts) assert.ok((await server.rawText(key)).startsWith(start), key)
      assert.equal((await api.get('/api/v1/namespaces/default')).status, 200)
    } finally {
      await server.close()
    }
  })

  test('*. is the core group', async () => {
    const server = await startEncrypted(configuration({ resources: ['*.'], providers: [{ secretbox: keys(['k', 1]) }] }))
    try {
      assert.match(await server.rawText('/registry/namespaces/default'), /^k8s:enc:secretbox:v1:k:/)
      const keysOf = async (prefix: string) => (await server.store.list({ prefix })).items
      const others = await keysOf('/registry/networking.k8s.io/')
      const plain = [...others, ...(await keysOf('/registry/ranges/'))]
      for (const { key, value } of plain) assert.ok(!Buffer.from(value).toString('latin1').startsWith('k8s:enc:'), key)
    } finally {
      await server.close()
    }
  })
})

describe('key rotation', () => {
  test('values under an old key are read, and rewritten by an update without changes', async () => {
    const store = memoryStore()
    const first = await startEncrypted(secrets({ aescbc: keys(['k1', 1]) }), { store })
    const { metadata } = await first.api.create(secretsPath, secret('a'))
    await first.close()

    const second = await startEncrypted(secrets({ aesgcm: keys(['k2', 2], ['k3', 3]) }, { aescbc: keys(['k1', 1]) }), { store })
    const { body } = await second.api.get(`${secretsPath}/a`)
    assert.equal(body.metadata.resourceVersion, metadata.resourceVersion)
    const written = await second.api.send('PUT', `${secretsPath}/a`, body)
    assert.equal(written.status, 200)
    assert.notEqual(written.body.metadata.resourceVersion, metadata.resourceVersion, 'it was rewritten')
    assert.match(await second.rawText(keyOf('a')), /^k8s:enc:aesgcm:v1:k2:/)
    const again = await second.api.patch(`${secretsPath}/a`, {})
    assert.equal(again.body.metadata.resourceVersion, written.body.metadata.resourceVersion, 'it is not rewritten twice')
    await second.close()

    const third = await startEncrypted(secrets({ aesgcm: keys(['k3', 3], ['k2', 2]) }), { store })
    const patched = await third.api.patch(`${secretsPath}/a`, {})
    assert.notEqual(
      patched.body.metadata.resourceVersion,
      written.body.metadata.resourceVersion,
      'another key of the same provider is outdated as well',
    )
    assert.match(await third.rawText(keyOf('a')), /^k8s:enc:aesgcm:v1:k3:/)
    await third.close()

    const last = await startEncrypted(secrets({ identity: {} }, { aesgcm: keys(['k3', 3]) }), { store })
    assert.equal((await last.api.list(secretsPath)).items[0]?.data?.['value'], value)
    await last.api.patch(`${secretsPath}/a`, {})
    assert.match(await last.rawText(keyOf('a')), /^\{"kind":"Secret"/)
    await last.close()
  })

  test('a changed file is reloaded; an invalid one is ignored', async () => {
    const server = await startEncrypted(secrets({ aescbc: keys(['k1', 1]) }), { automaticReload: true })
    try {
      const { api } = server
      await api.create(secretsPath, secret('a'))
      await api.list(secretsPath)
      server.file.write(secrets({ aesgcm: { keys: [{ name: 'k2', secret: 'c2hvcnQ=' }] } }, { aescbc: keys(['k1', 1]) }))
      const complaint = await eventually('complaint', async () => server.log.find(({ level }) => level === 'error'))
      assert.match(JSON.stringify(complaint), /secret is not of the expected length/)
      assert.doesNotMatch(JSON.stringify(server.log), /c2hvcnQ=/)
      await api.create(secretsPath, secret('b'))
      assert.match(await server.rawText(keyOf('b')), /^k8s:enc:aescbc:v1:k1:/)

      server.file.write(secrets({ aesgcm: keys(['k2', 2]) }, { aescbc: keys(['k1', 1]) }))
      await eventually('the new content', async () => server.log.some(({ message }) => message === 'encryption configuration reloaded'))
      await api.create(secretsPath, secret('c'))
      assert.match(await server.rawText(keyOf('c')), /^k8s:enc:aesgcm:v1:k2:/)
      await api.patch(`${secretsPath}/a`, {})
      assert.match(await server.rawText(keyOf('a')), /^k8s:enc:aesgcm:v1:k2:/, 'an object in the watch cache is rewritten as well')

      server.file.write(secrets({ aesgcm: keys(['k2', 2]) }))
      await eventually(
        'the last content',
        async () => server.log.filter(({ message }) => message === 'encryption configuration reloaded').length === 2,
      )
      assertFailure(await api.get(`${secretsPath}/b`), 500, 'InternalError', 'Internal error occurred: no matching prefix found')
      assert.equal((await api.get(`${secretsPath}/a`)).status, 200)
    } finally {
      await server.close()
    }
  })

  test('with automatic reload there is one health check of KMS plugins, even without plugins', async () => {
    const server = await startEncrypted(secrets({ identity: {} }), { automaticReload: true })
    try {
      for (const path of ['/healthz', '/readyz']) assert.match((await server.api.get<string>(`${path}?verbose`)).body, /kms-providers ok/)
      assert.doesNotMatch((await server.api.get<string>('/livez?verbose')).body, /kms/)
    } finally {
      await server.close()
    }
  })
})

describe('objects that can not be decrypted', () => {
  const broken = [
    {
      why: 'a flipped byte',
      spoil: (stored: Uint8Array) => stored.with(-1, (stored.at(-1) ?? 0) ^ 1),
      message: 'cipher: message authentication failed',
    },
    {
      why: 'a truncated value',
      spoil: (stored: Uint8Array) => stored.subarray(0, 25),
      message: 'the stored data was shorter than the required size',
    },
    {
      why: 'a missing key',
      spoil: () => Buffer.from('k8s:enc:aesgcm:v1:gone:x'),
      message: 'no matching key was found for the provided AES transformer',
    },
    { why: 'its provider is not there', spoil: () => Buffer.from('k8s:enc:aescbc:v1:k1:x'), message: 'no matching prefix found' },
  ]
  for (const watchCache of [true, false]) {
    for (const { why, spoil, message } of broken) {
      test(`${why}: reads answer 500, other objects are served (watch cache ${watchCache ? 'on' : 'off'})`, async () => {
        const server = await startEncrypted(secrets({ aesgcm: keys(['k1', 1]) }), { watchCache, controllers: ['garbage-collector'] })
        try {
          const { api, store } = server
          await api.create(secretsPath, secret('good'))
          await api.create(secretsPath, secret('x'))
          assert.equal((await api.list(secretsPath)).items.length, 2)
          const { kv } = await store.get(keyOf('x'))
          assert.ok(kv, 'it is stored')
          await store.put(keyOf('x'), new Uint8Array(spoil(kv.value)), kv.modRevision)

          const expected = `Internal error occurred: ${message}`
          assertFailure(await api.get(`${secretsPath}/x`), 500, 'InternalError', expected)
          assertFailure(await api.patch(`${secretsPath}/x`, {}), 500, 'InternalError', expected)
          assertFailure(await api.delete(`${secretsPath}/x`), 500, 'InternalError', expected)
          assertFailure(
            await api.delete(`${secretsPath}/x`, { ignoreStoreReadErrorWithClusterBreakingPotential: true }),
            500,
            'InternalError',
            expected,
          )
          const listed = `unable to transform key "${keyOf('x')}": ${message}`
          assertFailure(await api.get(`${secretsPath}?limit=500`), 500, 'InternalError', `Internal error occurred: ${listed}`)
          if (watchCache) assertFailure(await api.get(secretsPath), 429, 'TooManyRequests', `storage is (re)initializing: ${listed}`)
          else assertFailure(await api.get(secretsPath), 500, 'InternalError', `Internal error occurred: ${listed}`)

          assert.equal((await api.get(`${secretsPath}/good`)).body.data?.['value'], value)
          assert.equal((await api.patch(`${secretsPath}/good`, { data: { more: value } })).status, 200)
          await api.create(secretsPath, secret('new'))
          await api.create('/api/v1/namespaces/default/configmaps', configMap('c'))
          assert.equal((await api.delete(`${secretsPath}/new`)).status, 200)
        } finally {
          await server.close()
        }
      })
    }
  }

  for (const watchCache of [true, false]) {
    test(`it can be deleted with ignoreStoreReadErrorWithClusterBreakingPotential (watch cache ${watchCache ? 'on' : 'off'})`, async () => {
      const server = await startEncrypted(secrets({ aesgcm: keys(['k1', 1]) }), { watchCache, gates: [gate] })
      try {
        const { api, store } = server
        const unsafe = { ignoreStoreReadErrorWithClusterBreakingPotential: true }
        await api.create(secretsPath, secret('good'))
        for (const name of ['x', 'y']) await store.put(keyOf(name), Buffer.from('k8s:enc:aesgcm:v1:gone:x'), 0)
        const why = 'no matching key was found for the provided AES transformer'
        const corrupt = (name: string) =>
          `StorageError: corrupt object, Code: 7, Key: ${keyOf(name)}, ResourceVersion: 0, AdditionalErrorMsg: data from the storage is not transformable revision=0: ${why}`
        assertFailure(await api.get(`${secretsPath}/x`), 500, 'InternalError', `Internal error occurred: ${corrupt('x')}`)
        const list = assertFailure(await api.get<Status>(`${secretsPath}?limit=500`), 500, 'StoreReadError')
        assert.equal(list.message, `failed to read one or more secrets from the storage: ${corrupt('x')} (and 1 more)`)
        assert.deepEqual(list.details, {
          name: 'list',
          kind: 'secrets',
          causes: ['x', 'y'].map((name) => ({ reason: 'UnexpectedServerResponse', message: corrupt(name), field: keyOf(name) })),
        })

        assertFailure(await api.delete(`${secretsPath}/none`, unsafe), 404, 'NotFound')
        const readable = 'unsafe deletion is not allowed because the object is decodable from storage'
        assertFailure(await api.delete(`${secretsPath}/good`, unsafe), 409, 'Conflict', new RegExp(readable))
        assertFailure(
          await api.delete(`${secretsPath}/x`, { ...unsafe, gracePeriodSeconds: 0 }),
          422,
          'Invalid',
          /cannot be set together with \.gracePeriodSeconds/,
        )
        assertFailure(await api.delete(secretsPath, unsafe), 422, 'Invalid', /is not allowed with DELETECOLLECTION/)
        assert.equal((await api.delete(`${secretsPath}/x`, { ...unsafe, dryRun: ['All'] })).status, 200)
        assert.ok((await store.get(keyOf('x'))).kv, 'a dry run deletes nothing')

        const gone = await api.delete<Status>(`${secretsPath}/x`, unsafe)
        assert.deepEqual(gone.body, {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Success',
          details: { name: 'x', kind: 'Secret' },
          code: 200,
        })
        assert.equal((await store.get(keyOf('x'))).kv, undefined)
        assert.equal((await api.delete(`${secretsPath}/y?ignoreStoreReadErrorWithClusterBreakingPotential=true`)).status, 200)
        assert.deepEqual(
          (await api.list(secretsPath)).items.map(({ metadata }) => metadata.name),
          ['good'],
        )
      } finally {
        await server.close()
      }
    })
  }

  test('without the watch cache, watches end with an ERROR event on its deletion', async () => {
    const server = await startEncrypted(secrets({ aesgcm: keys(['k1', 1]) }), { watchCache: false, gates: [gate] })
    try {
      const { api, store } = server
      const put = await store.put(keyOf('x'), Buffer.from('k8s:enc:aesgcm:v1:gone:x'), 0)
      const events = await watchAt(api.fetch, secretsPath, { resourceVersion: String(put.revision) })
      await api.delete(`${secretsPath}/x`, { ignoreStoreReadErrorWithClusterBreakingPotential: true })
      const event = await events.next()
      assert.ok(event?.type === 'ERROR', `an error, not ${event?.type}`)
      const { reason, message, code } = event.object
      assert.deepEqual({ reason, code }, { reason: 'StoreReadError', code: 500 })
      assert.match(message ?? '', /^saw a DELETED event, but object data is corrupt - /)
      await events.close()
    } finally {
      await server.close()
    }
  })

  test('its deletion requires the verb unsafe-delete-ignore-read-errors', async () => {
    const server = await startEncrypted(secrets({ aesgcm: keys(['k1', 1]) }), {
      gates: [gate],
      authorizationModes: ['RBAC'],
      authenticators: [byHeader],
    })
    try {
      const { store } = server
      await store.put(keyOf('x'), Buffer.from('k8s:enc:aesgcm:v1:gone:x'), 0)
      const send = (user: string, method: string, path: string, body?: object) => server.api.send(method, path, body, { 'x-user': user })
      const rules = (...verbs: readonly string[]) => [{ apiGroups: [''], resources: ['secrets'], verbs }]
      const rbac = '/apis/rbac.authorization.k8s.io/v1'
      for (const [name, verbs] of [
        ['may', ['delete', 'unsafe-delete-ignore-read-errors']],
        ['deletes', ['delete']],
      ] as const) {
        await send('root', 'POST', `${rbac}/clusterroles`, { metadata: { name }, rules: rules(...verbs) })
        const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name }
        const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }]
        await send('root', 'POST', `${rbac}/clusterrolebindings`, { metadata: { name }, roleRef, subjects })
      }
      const remove = (user: string) => send(user, 'DELETE', `${secretsPath}/x`, { ignoreStoreReadErrorWithClusterBreakingPotential: true })
      const refused = await eventually('the role', async () => {
        const answer = await remove('deletes')
        return /not permitted to do/.test(JSON.stringify(answer.body)) && answer
      })
      assertFailure(
        refused,
        403,
        'Forbidden',
        /^secrets "x" is forbidden: not permitted to do "unsafe-delete-ignore-read-errors", reason: /,
      )
      await eventually('the other role', async () => (await remove('may')).status === 200)
    } finally {
      await server.close()
    }
  })

  test('a server without encryption configuration refuses to read encrypted values', async () => {
    const store = memoryStore()
    const server = await startEncrypted(configuration({ resources: ['configmaps'], providers: [{ identity: {} }] }), { store })
    try {
      await store.put(keyOf('x'), Buffer.from('k8s:enc:aesgcm:v1:k1:x'), 0)
      assertFailure(await server.api.get(`${secretsPath}/x`), 500, 'InternalError', /identity transformer tried to read encrypted data/)
    } finally {
      await server.close()
    }
  })
})
