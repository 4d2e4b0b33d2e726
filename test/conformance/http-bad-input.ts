import assert from 'node:assert/strict'
import { assertFailure, configMap } from '../support/api.ts'
import { type On, unchanged } from './http-suite.ts'

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

/** Invalid requests: each gets the right code, reason and message and changes nothing. */
export function badInput(on: On): void {
  on('refuses bodies that are not JSON', async ({ api, at }) => {
    await unchanged(api, at('configmaps'), async () => {
      const post = (body: string | Uint8Array) => api.send('POST', at('configmaps'), body)
      assertFailure(
        await post('{not json'),
        400,
        'BadRequest',
        "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character 'n' looking for beginning of object key string ({not json)",
      )
      for (const body of ['', '[]', '"text"', '42', '{"kind":"ConfigMap"', '{"kind":"ConfigMap"}}', '\u0000', '{"a":01}'])
        assertFailure(
          await post(body),
          400,
          'BadRequest',
          /^(the object provided is unrecognized \(must be of type ConfigMap\)|ConfigMap in version)/,
        )
      assertFailure(await post(new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])), 400, 'BadRequest')
    })
  })

  on('refuses malformed YAML and alias bombs', async ({ api, at }) => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]']
    for (let i = 1; i < 12; i++)
      bomb.push(
        `k${i}: &k${i} [${Array(9)
          .fill(i === 1 ? '*a' : `*k${i - 1}`)
          .join(',')}]`,
      )
    await unchanged(api, at('configmaps'), async () => {
      const texts = ['a: [', 'a: b: c', '- x', '\tx: 1', bomb.join('\n'), `a: ${'['.repeat(1000)}`]
      for (const text of texts)
        assertFailure(await api.send('POST', at('configmaps'), text, { 'content-type': 'application/yaml' }), 400, 'BadRequest')
    })
  })

  on('refuses another kind, version or namespace than in the URL', async ({ api, at, under }) => {
    await unchanged(api, at('configmaps'), async () => {
      const post = (object: object) => api.send('POST', at('configmaps'), object)
      assertFailure(
        await post({ ...configMap('a'), kind: 'Secret' }),
        400,
        'BadRequest',
        /^Secret in version "v1" cannot be handled as a ConfigMap: /,
      )
      assertFailure(await post({ ...configMap('a'), apiVersion: 'v9' }), 400, 'BadRequest', /v9/)
      assertFailure(
        await post(configMap('a', {}, { namespace: 'other' })),
        400,
        'BadRequest',
        'the namespace of the provided object does not match the namespace sent on the request',
      )
    })
    const deployment = { kind: 'Deployment', apiVersion: 'apps/v1beta1', metadata: { name: 'd' } }
    assertFailure(
      await api.send('POST', under('apps/v1', 'deployments'), deployment),
      400,
      'BadRequest',
      'the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)',
    )
  })

  on('refuses values of the wrong type', async ({ api, at, under }) => {
    await unchanged(api, at('configmaps'), async () => {
      const post = (object: object) => api.send('POST', at('configmaps'), { kind: 'ConfigMap', apiVersion: 'v1', ...object })
      const wrong = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal '
      assertFailure(
        await post({ metadata: { name: 'a' }, data: { k: 1 } }),
        400,
        'BadRequest',
        `${wrong}number into Go struct field ConfigMap.data of type string`,
      )
      assertFailure(
        await post({ metadata: { name: 'a' }, data: { k: {} } }),
        400,
        'BadRequest',
        `${wrong}object into Go struct field ConfigMap.data of type string`,
      )
      assertFailure(
        await post({ metadata: { name: 'a' }, immutable: 'yes' }),
        400,
        'BadRequest',
        `${wrong}string into Go struct field ConfigMap.immutable of type bool`,
      )
      assertFailure(await post({ metadata: 'a' }), 400, 'BadRequest', /^ConfigMap in version "v1" cannot be handled as a ConfigMap: /)
    })
    const replicas = { kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'd' }, spec: { replicas: 'many' } }
    assertFailure(
      await api.send('POST', under('apps/v1', 'deployments'), replicas),
      400,
      'BadRequest',
      'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    )
  })

  on('refuses names that are too long or no DNS names', async ({ api, at }) => {
    await unchanged(api, at('configmaps'), async () => {
      const post = (name: string) => api.send('POST', at('configmaps'), configMap(name))
      const long = 'x'.repeat(254)
      assertFailure(
        await post(long),
        422,
        'Invalid',
        `ConfigMap "${long}" is invalid: metadata.name: Invalid value: "${long}": must be no more than 253 characters`,
      )
      for (const name of ['Upper', 'under_score', '-a', 'a-', 'a..b', 'a b', 'é', 'a%b']) {
        const status = assertFailure(await post(name), 422, 'Invalid')
        assert(status.message?.includes(`metadata.name: Invalid value: "${name}": `), `${status.message}`)
        assert(status.message?.includes(subdomain), `${status.message}`)
      }
      const slash = assertFailure(await post('a/b'), 422, 'Invalid')
      assert(slash.message?.includes('"a/b"'), `${slash.message}`)
    })
    const namespace = (name: string) => api.send('POST', '/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } })
    assertFailure(await namespace('a_b'), 422, 'Invalid', /a lowercase RFC 1123 label must consist of/)
    assertFailure(
      await namespace('a.b'),
      422,
      'Invalid',
      'Namespace "a.b" is invalid: metadata.name: Invalid value: "a.b": must not contain dots',
    )
    assertFailure(await namespace('x'.repeat(64)), 422, 'Invalid', /must be no more than 63 (characters|bytes)/)
    const service = { kind: 'Service', apiVersion: 'v1', metadata: { name: 'a_b' }, spec: { ports: [{ port: 80 }] } }
    assertFailure(
      await api.send('POST', at('services'), service),
      422,
      'Invalid',
      /a DNS-1035 label must consist of|a lowercase RFC 1123 label/,
    )
    const labels = { ok: 'a', 'not ok': 'b', 'x/y/z': 'c', v: 'ends-', long: 'x'.repeat(64) }
    const labelled = assertFailure(await api.send('POST', at('configmaps'), configMap('a', {}, { labels })), 422, 'Invalid')
    assert.equal(labelled.details?.causes?.length, 4)
    const keys = assertFailure(await api.send('POST', at('configmaps'), configMap('a', { 'a b': '1', '..': '2' })), 422, 'Invalid')
    assert.deepEqual(keys.details?.causes?.map(({ field }) => field).toSorted(), ['data[..]', 'data[a b]'])
  })

  on('refuses bodies of more than 3 MiB', async ({ api, at }) => {
    await unchanged(api, at('configmaps'), async () => {
      const body = JSON.stringify(configMap('a', { k: 'x'.repeat(4 * 1024 * 1024) }))
      assertFailure(
        await api.send('POST', at('configmaps'), body),
        413,
        'RequestEntityTooLarge',
        'Request entity too large: limit is 3145728',
      )
      assertFailure(
        await api.send('PATCH', at('configmaps/a'), body, { 'content-type': 'application/merge-patch+json' }),
        413,
        'RequestEntityTooLarge',
        'Request entity too large: limit is 3145728',
      )
      const data = assertFailure(
        await api.send('POST', at('configmaps'), configMap('a', { k: 'x'.repeat(1024 * 1024 + 1) })),
        422,
        'Invalid',
      )
      assert.match(data.message ?? '', /Too long: (may not be more than|must have at most) 1048576 (bytes|characters)/)
    })
  })

  on('accepts __proto__ and constructor as ordinary keys', async ({ api, at }) => {
    const text =
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"__proto__":"own","constructor":"c"},"__proto__":{"polluted":1}}'
    await unchanged(api, at('configmaps'), async () => {
      const strict = await api.send('POST', at('configmaps?fieldValidation=Strict'), text)
      assertFailure(strict, 400, 'BadRequest', /unknown field "__proto__"/)
    })
    const created = await api.send('POST', at('configmaps'), text)
    assert.equal(created.status, 201)
    const stored = await (await api.fetch(at('configmaps/a'))).text()
    assert(stored.includes('"__proto__":"own"'), stored)
    assert(!stored.includes('polluted'), stored)
    const patch = '{"data":{"__proto__":"patched","toString":"t"}}'
    for (const type of ['application/merge-patch+json', 'application/strategic-merge-patch+json']) {
      assert.equal((await api.send('PATCH', at('configmaps/a'), patch, { 'content-type': type })).status, 200)
      const patched = await (await api.fetch(at('configmaps/a'))).text()
      assert(
        patched.includes('"__proto__":"patched"') && patched.includes('"toString":"t"') && patched.includes('"constructor":"c"'),
        patched,
      )
    }
    const json = '[{"op":"replace","path":"/data/__proto__","value":"again"},{"op":"add","path":"/data/valueOf","value":"v"}]'
    assert.equal((await api.send('PATCH', at('configmaps/a'), json, { 'content-type': 'application/json-patch+json' })).status, 200)
    const last = await (await api.fetch(at('configmaps/a'))).text()
    assert(last.includes('"__proto__":"again"') && last.includes('"valueOf":"v"'), last)
    assert.equal(({} as { polluted?: unknown }).polluted, undefined)
    assert.equal((await api.get(at('configmaps/constructor'))).status, 404)
    assert.equal((await api.get(at('__proto__'))).status, 404)
  })

  on('limits the nesting depth of bodies', async ({ api, at }) => {
    const deep = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"deep"},"bogus":${nested(200)}}`
    await unchanged(api, at('configmaps'), async () => {
      assertFailure(await api.send('POST', at('configmaps?fieldValidation=Strict'), deep), 400, 'BadRequest', /unknown field "bogus"/)
      assertFailure(await api.send('POST', at('configmaps'), nested(100_000)), 400, 'BadRequest', /exceeded max depth/)
      assertFailure(await api.send('POST', at('configmaps'), '['.repeat(1_000_000)), 400, 'BadRequest')
      const inside = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"deep"},"data":{"k":${nested(200)}}}`
      assertFailure(
        await api.send('POST', at('configmaps'), inside),
        400,
        'BadRequest',
        /cannot unmarshal object into Go struct field ConfigMap\.data of type string/,
      )
    })
    const created = await api.send('POST', at('configmaps'), deep)
    assert.equal(created.status, 201)
    assert.equal(created.headers.get('warning'), '299 - "unknown field \\"bogus\\""')
    assert(!('bogus' in created.body))
    assertFailure(
      await api.send('PATCH', at('configmaps/deep'), `{"data":${nested(100_000)}}`, { 'content-type': 'application/merge-patch+json' }),
      400,
      'BadRequest',
    )
  })

  on('refuses bodies in unsupported media types', async ({ api, at }) => {
    await unchanged(api, at('configmaps'), async () => {
      for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/merge-patch+json', 'nonsense'])
        assertFailure(
          await api.send('POST', at('configmaps'), configMap('a'), { 'content-type': type }),
          415,
          'UnsupportedMediaType',
          /^the body of the request was in an unknown format - accepted media types include: application\/json, application\/yaml, application\/vnd\./,
        )
    })
  })

  on('answers 404 for unknown paths and resources', async ({ api, at }) => {
    const unknown = [
      at('gadgets'),
      at('gadgets/a'),
      '/api/v1/gadgets',
      '/api/v2/pods',
      '/apis/apps/v9/deployments',
      '/api/v1/configmaps/a',
      '/api/v1/namespaces/default/nodes/n',
      at('configmaps/a/b/c'),
      '/version/x',
    ]
    for (const path of unknown)
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await api.send(method, path, method === 'POST' ? {} : undefined)
        assertFailure(answer, 404, 'NotFound', 'the server could not find the requested resource')
      }
  })

  on('answers in plain text what is outside of the built-in groups', async ({ api }) => {
    for (const path of ['/apis/none.example.com', '/apis/none.example.com/v1/things', '/nothing/here', '/healthz/', '//api/v1'])
      for (const method of ['GET', 'POST', 'DELETE']) {
        const { status, headers, body } = await api.send<string>(method, path)
        const type = [headers.get('content-type'), headers.get('x-content-type-options')]
        assert.deepEqual(
          [status, ...type, body],
          [404, 'text/plain; charset=utf-8', 'nosniff', '404 page not found\n'],
          `${method} ${path}`,
        )
      }
    const { status, body } = await api.send<string>('GET', '/api/v1/watch?x=<')
    const text = 'failed to create RequestInfo: unable to determine kind and namespace from url'
    assert.deepEqual([status, body.includes(text), body.includes('<')], [500, true, false])
  })

  on('serves all methods where no web service restricts them', async ({ api }) => {
    for (const path of ['/', '/apis', '/apis/apps', '/livez', '/openapi/v3'])
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) assert.equal((await api.send(method, path)).status, 200, `${method} ${path}`)
    for (const path of ['/api', '/api/v1', '/apis/apps/v1', '/version']) {
      const refused = await api.send('POST', path)
      const { details } = assertFailure(refused, 405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource')
      assert.deepEqual(details, {})
    }
  })

  on('refuses the export parameter', async ({ api, at }) => {
    await api.create(at('configmaps'), configMap('a'))
    const refused = 'the export parameter, deprecated since v1.14, is no longer supported'
    assertFailure(await api.get(at('configmaps/a?export=true')), 400, 'BadRequest', refused)
    assert.equal((await api.get(at('configmaps/a?export=false'))).status, 200)
  })

  on('answers 405 for methods that a path does not support', async ({ api, at, namespace }) => {
    await unchanged(api, at('configmaps'), async () => {
      const tries: readonly (readonly [string, string])[] = [
        ['PUT', at('configmaps')],
        ['PATCH', at('configmaps')],
        ['POST', at('configmaps/a')],
        ['POST', '/api/v1/configmaps'],
        ['DELETE', `/api/v1/namespaces`],
        ['POST', `/api/v1/namespaces/${namespace}/status`],
        ['DELETE', `/api/v1/namespaces/${namespace}/status`],
        ['GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
      ]
      for (const [method, path] of tries) {
        const body = method === 'DELETE' || method === 'GET' ? undefined : configMap('a')
        const answer = await api.send(method, path, body)
        assertFailure(answer, 405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource')
      }
    })
  })

  on('refuses to create an object with a resourceVersion, after all other validation', async ({ api, at }) => {
    const versioned = (name: string) => configMap(name, {}, { resourceVersion: '5' })
    await unchanged(api, at('configmaps'), async () => {
      const { status, body } = await api.send<object>('POST', at('configmaps'), versioned('a'))
      assert.equal(status, 500)
      const message = 'resourceVersion should not be set on objects to be created'
      assert.deepEqual(body, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 })
      assertFailure(await api.send('POST', at('configmaps'), versioned('A')), 422, 'Invalid')
      const tried = await api.send('POST', at('configmaps?dryRun=All'), versioned('a'))
      assert.deepEqual([tried.status, tried.body.metadata.resourceVersion], [201, '5'])
    })
  })

  on('handles odd URLs', async ({ api, at, namespace }) => {
    assert.equal((await api.get(at('configmaps/%zz'))).status, 400)
    for (const path of [
      at('configmaps/a%00b'),
      at('configmaps/..%2f..%2fsecrets'),
      `/api/v1/namespaces/${namespace}/configmaps/${'x'.repeat(5000)}`,
    ])
      assert.equal((await api.get(path)).status, 404, path)
    assert.equal((await api.get(at('configmaps?limit=-1'))).status, 200)
    assert.equal((await api.get(at('configmaps?unknown=1&unknown=2'))).status, 200)
    assert.equal((await api.get(`${at('configmaps')}/`)).status, 200)
  })
}
