import assert from 'node:assert/strict'
import { assertFailure, configMap } from '../support/api.ts'
import { type On, unchanged } from './http-suite.ts'
import { deployment, pod } from './samples.ts'

const json = 'application/json-patch+json'
const merge = 'application/merge-patch+json'
const strategic = 'application/strategic-merge-patch+json'

interface PodSpec {
  readonly containers: readonly { readonly name: string; readonly image: string; readonly env?: readonly object[] }[]
}

/** JSON patch, merge patch and strategic merge patch. */
export function patches(on: On): void {
  on('applies a JSON patch (RFC 6902)', async ({ api, at }) => {
    await api.create(at('configmaps'), configMap('a', { keep: '1', drop: '2', move: '3' }))
    const { status, body } = await api.patch(
      at('configmaps/a'),
      [
        { op: 'test', path: '/data/keep', value: '1' },
        { op: 'add', path: '/data/new', value: '4' },
        { op: 'remove', path: '/data/drop' },
        { op: 'move', from: '/data/move', path: '/data/moved' },
        { op: 'replace', path: '/data/keep', value: '5' },
        { op: 'add', path: '/metadata/labels', value: { 'a.b/c': 'd' } },
        { op: 'copy', from: '/metadata/labels/a.b~1c', path: '/data/copy' },
      ],
      json,
    )
    assert.equal(status, 200)
    assert.deepEqual(body.data, { keep: '5', new: '4', moved: '3', copy: 'd' })
  })

  on('refuses a JSON patch that does not apply, and changes nothing', async ({ api, at }) => {
    await api.create(at('configmaps'), configMap('a', { k: '1' }))
    await unchanged(api, at('configmaps'), async () => {
      const failing = [
        { op: 'replace', path: '/data/k', value: '2' },
        { op: 'test', path: '/data/k', value: 'other' },
      ]
      const rejected = 'the server rejected our request due to an error in our request'
      assertFailure(await api.patch(at('configmaps/a'), failing, json), 422, 'Invalid', rejected)
      assertFailure(await api.patch(at('configmaps/a'), [{ op: 'remove', path: '/data/none' }], json), 422, 'Invalid', rejected)
      assertFailure(await api.patch(at('configmaps/a'), { op: 'add' }, json), 400, 'BadRequest')
      assertFailure(await api.patch(at('configmaps/a'), '[{"op":', json), 400, 'BadRequest')
      assertFailure(await api.patch(at('configmaps/a'), [{ op: 'shuffle', path: '/data' }], json), 422, 'Invalid')
      const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/k', value: '1' }))
      assertFailure(
        await api.patch(at('configmaps/a'), many, json),
        413,
        'RequestEntityTooLarge',
        'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
      )
    })
  })

  on('applies a merge patch (RFC 7396): null removes, lists are replaced', async ({ api, at }) => {
    await api.create(at('pods'), pod('p', { containers: [{ name: 'web', image: 'nginx:1' }] }, { labels: { a: '1', b: '2' } }))
    const { status, body } = await api.patch(
      at('pods/p'),
      { metadata: { labels: { a: null, c: '3' } }, spec: { containers: [{ name: 'web', image: 'nginx:2' }] } },
      merge,
    )
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body.metadata.labels, { b: '2', c: '3' })
    assert.deepEqual(
      (body.spec as unknown as PodSpec).containers.map(({ image }) => image),
      ['nginx:2'],
    )
  })

  on('applies a strategic merge patch: lists merge by key, with directives', async ({ api, under }) => {
    await api.create(under('apps/v1', 'deployments'), deployment('d'))
    const url = under('apps/v1', 'deployments/d')
    const template = (containers: readonly object[]) => ({ spec: { template: { spec: { containers } } } })
    const podSpec = (body: object) => (body as { spec: { template: { spec: PodSpec } } }).spec.template.spec
    const added = await api.patch(
      url,
      template([
        { name: 'side', image: 'busybox' },
        { name: 'web', env: [{ name: 'A', value: '1' }] },
      ]),
      strategic,
    )
    assert.equal(added.status, 200)
    const { containers } = podSpec(added.body)
    assert.deepEqual(new Set(containers.map(({ name, image }) => `${name}=${image}`)), new Set(['side=busybox', 'web=nginx']))
    assert.deepEqual(containers.find(({ name }) => name === 'web')?.env, [{ name: 'A', value: '1' }])
    const removed = await api.patch(url, template([{ name: 'side', $patch: 'delete' }]), strategic)
    assert.deepEqual(
      podSpec(removed.body).containers.map(({ name }) => name),
      ['web'],
    )
    const replaced = await api.patch(url, template([{ $patch: 'replace' }, { name: 'only', image: 'x' }]), strategic)
    assert.deepEqual(
      podSpec(replaced.body).containers.map(({ name, image }) => [name, image]),
      [['only', 'x']],
    )
    const keys = await api.patch(url, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }, strategic)
    assert.deepEqual(keys.body.spec?.['strategy'], { type: 'Recreate' })
  })

  on('checks the resourceVersion in a patch, and refuses another name, malformed JSON and wrong types', async ({ api, at }) => {
    const created = await api.create(at('configmaps'), configMap('a', { k: '1' }))
    await api.patch(at('configmaps/a'), { data: { k: '2' } })
    await unchanged(api, at('configmaps'), async () => {
      const stale = { metadata: { resourceVersion: created.metadata.resourceVersion }, data: { k: '3' } }
      assertFailure(await api.patch(at('configmaps/a'), stale), 409, 'Conflict', /the object has been modified/)
      assertFailure(
        await api.patch(at('configmaps/a'), { metadata: { name: 'b' } }),
        400,
        'BadRequest',
        'the name of the object (b) does not match the name on the URL (a)',
      )
      assertFailure(await api.patch(at('configmaps/none'), { data: { k: '3' } }), 404, 'NotFound', 'configmaps "none" not found')
      assertFailure(await api.patch(at('configmaps/a'), '{'), 400, 'BadRequest')
      const wrongType = await api.patch(at('configmaps/a'), { data: { k: { deep: true } } })
      assertFailure(
        wrongType,
        422,
        'Invalid',
        /^ "" is invalid: patch: Invalid value: .*cannot unmarshal object into Go struct field ConfigMap\.data of type string$/,
      )
    })
  })

  on(
    'shows the patch when the result of a strategic merge patch is not of the kind, in the words of a conversion',
    async ({ api, under }) => {
      await api.create(under('apps/v1', 'deployments'), deployment('d'))
      const refused =
        (patch: object, shown: string) =>
        async (why: string, query = '') => {
          const answer = await api.patch(under('apps/v1', `deployments/d${query}`), patch, strategic)
          assertFailure(answer, 422, 'Invalid', ` "" is invalid: patch: Invalid value: "${shown}": ${why}`)
        }
      await unchanged(api, under('apps/v1', 'deployments'), async () => {
        await refused({ metadata: { labels: 'x' } }, 'map[metadata:map[labels:x]]')('cannot restore map from string')
        await refused({ metadata: { finalizers: 'x' } }, 'map[metadata:map[finalizers:x]]')('cannot restore slice from string')
        await refused(
          { spec: { strategy: { rollingUpdate: true } } },
          'map[spec:map[strategy:map[rollingUpdate:true]]]',
        )('cannot restore struct from: bool')
        await refused({ spec: { replicas: '2' } }, 'map[spec:map[replicas:2]]')('unrecognized type: int32')
        await refused({ spec: { replicas: 1.5 } }, 'map[spec:map[replicas:1.5]]')('cannot convert float64 to int32')
        await refused({ metadata: { labels: { a: 1 } } }, 'map[metadata:map[labels:map[a:1]]]')('cannot convert int64 to string')
        await refused({ spec: { zz: 1, b: 2 }, a: 3 }, 'map[a:3 spec:map[b:2 zz:1]]')(
          'strict decoding error: unknown field "a", unknown field "spec.b", unknown field "spec.zz"',
          '?fieldValidation=Strict',
        )
      })
    },
  )

  on('refuses unknown patch types', async ({ api, at }) => {
    await api.create(at('configmaps'), configMap('a'))
    for (const type of ['application/json', 'text/plain', 'application/xml-patch+xml'])
      assertFailure(await api.patch(at('configmaps/a'), {}, type), 415, 'UnsupportedMediaType', '415: Unsupported Media Type')
  })

  on('validates the patched object', async ({ api, under, at }) => {
    await api.create(under('apps/v1', 'deployments'), deployment('d'))
    await unchanged(api, under('apps/v1', 'deployments'), async () => {
      assertFailure(
        await api.patch(under('apps/v1', 'deployments/d'), { spec: { replicas: -1 } }),
        422,
        'Invalid',
        'Deployment.apps "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      )
      const unknown = await api.patch(under('apps/v1', 'deployments/d?fieldValidation=Strict'), { spec: { bogus: 1 } })
      assertFailure(unknown, 422, 'Invalid', /^ "" is invalid: patch: Invalid value: .*strict decoding error: unknown field "spec\.bogus"$/)
    })
    await api.create(at('configmaps'), configMap('a'))
    const warned = await api.patch(at('configmaps/a'), { bogus: 1 })
    assert.equal(warned.headers.get('warning'), '299 - "unknown field \\"bogus\\""')
  })
}
