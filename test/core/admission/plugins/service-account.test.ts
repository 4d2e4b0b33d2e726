/** ServiceAccount plugin: the account of a pod, its token volume, its secrets. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { serviceAccount } from '../../../../core/admission/plugins/service-account.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { assertFailure } from '../../../support/api.ts'
import { ManualClock } from '../../../support/clock.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'
import { attributesOf, once } from '../attributes.ts'
import { admit, contextWith } from '../context.ts'

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'
const account = (name: string, more: object = {}, annotations: object = {}) => ({
  metadata: { name, namespace: 'dev', annotations },
  ...more,
})
const strict = { 'kubernetes.io/enforce-mountable-secrets': 'true' }
const plugin = serviceAccount(
  contextWith({
    'serviceaccounts/dev/default': account('default', { imagePullSecrets: [{ name: 'registry' }] }),
    'serviceaccounts/dev/quiet': account('quiet', { automountServiceAccountToken: false }),
    'serviceaccounts/dev/strict': account('strict', { secrets: [{ name: 'own' }], imagePullSecrets: [{ name: 'pull' }] }, strict),
  }),
)

interface Spec {
  readonly serviceAccountName?: string
  readonly imagePullSecrets?: readonly object[]
  readonly volumes?: readonly { readonly name: string; readonly projected?: object }[]
  readonly containers: readonly { readonly name: string; readonly volumeMounts?: readonly { readonly name: string }[] }[]
}

const pod = (spec: object = {}, metadata: object = {}) => ({
  metadata: { name: 'p', namespace: 'dev', ...metadata },
  spec: { containers: [{ name: 'c' }], ...spec } as Spec,
})
const create = (object: object) => admit(plugin, { on: 'pods', operation: 'CREATE', object, namespace: 'dev' })

test('sets the account default, its pull secrets and a token volume', async () => {
  const object = pod({ initContainers: [{ name: 'i' }] })
  assert.equal(await create(object), undefined)
  const { serviceAccountName, imagePullSecrets, volumes = [], containers } = object.spec
  assert.equal(serviceAccountName, 'default')
  assert.deepEqual(imagePullSecrets, [{ name: 'registry' }])
  const [volume] = volumes
  assert.match(volume?.name ?? '', /^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  assert.deepEqual(volume?.projected, {
    defaultMode: 420,
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
    ],
  })
  const mounts = [{ name: volume?.name, readOnly: true, mountPath }]
  assert.deepEqual(containers[0]?.volumeMounts, mounts)
  assert.deepEqual((object.spec as unknown as { initContainers: { volumeMounts: object[] }[] }).initContainers[0]?.volumeMounts, mounts)
})

test('fields set in the pod are kept', async () => {
  const silent = pod({ automountServiceAccountToken: false, imagePullSecrets: [{ name: 'mine' }] })
  await create(silent)
  assert.deepEqual([silent.spec.volumes, silent.spec.imagePullSecrets], [undefined, [{ name: 'mine' }]])
  const quiet = pod({ serviceAccountName: 'quiet' })
  await create(quiet)
  assert.equal(quiet.spec.volumes, undefined, 'the account disables the mount')
  const loud = pod({ serviceAccountName: 'quiet', automountServiceAccountToken: true })
  await create(loud)
  assert.equal(loud.spec.volumes?.length, 1, 'the pod enables the mount')
  const mounted = pod({ containers: [{ name: 'c', volumeMounts: [{ name: 'v', mountPath }] }] })
  await create(mounted)
  assert.equal(mounted.spec.volumes, undefined, 'another volume is mounted at that path')
  const again = pod({ volumes: [{ name: 'kube-api-access-abcde', emptyDir: {} }] })
  await create(again)
  assert.deepEqual(
    [again.spec.volumes?.length, again.spec.containers[0]?.volumeMounts?.[0]?.name],
    [1, 'kube-api-access-abcde'],
    'the volume exists already',
  )
})

test('refusals', async () => {
  const missing = 'error looking up service account dev/nobody: serviceaccount "nobody" not found'
  assert.equal(await create(pod({ serviceAccountName: 'nobody' })), missing)
  const limited = (spec: object) => create(pod({ serviceAccountName: 'strict', automountServiceAccountToken: false, ...spec }))
  const not = (what: string) => `${what} is not allowed because service account strict does not reference that secret`
  const container = (more: object) => [{ name: 'c', ...more }]
  const reference = (name: string) => ({ env: [{ name: 'E', valueFrom: { secretKeyRef: { name } } }] })
  const own = { volumes: [{ name: 'v', secret: { secretName: 'own' } }], containers: container(reference('own')) }
  assert.equal(await limited(own), undefined)
  const rows: readonly (readonly [object, string])[] = [
    [{ volumes: [{ name: 'v', secret: { secretName: 'x' } }] }, not('volume with secret.secretName="x"')],
    [{ containers: container(reference('x')) }, not('container c with envVar E referencing secret.secretName="x"')],
    [{ initContainers: container(reference('x')) }, not('init container c with envVar E referencing secret.secretName="x"')],
    [
      { containers: container({ envFrom: [{ secretRef: { name: 'x' } }] }) },
      not('container c with envFrom referencing secret.secretName="x"'),
    ],
    [
      { imagePullSecrets: [{ name: 'x' }] },
      'imagePullSecrets[0].name="x" is not allowed because service account strict does not reference that imagePullSecret',
    ],
  ]
  for (const [spec, refusal] of rows) assert.equal(await limited(spec), refusal, JSON.stringify(spec))
  const ephemeral = pod({ serviceAccountName: 'strict', ephemeralContainers: container(reference('x')) })
  assert.equal(
    await admit(plugin, { on: 'pods/ephemeralcontainers', operation: 'UPDATE', object: ephemeral, old: ephemeral, namespace: 'dev' }),
    not('ephemeral container c with envVar E referencing secret.secretName="x"'),
  )
})

test('secrets are checked before other plugins see the pod; ephemeral containers need an account', async () => {
  const foreign = pod({ serviceAccountName: 'strict', volumes: [{ name: 'v', secret: { secretName: 'x' } }] })
  const write = { on: 'pods', operation: 'CREATE', object: foreign, namespace: 'dev' } as const
  const refusal = /volume with secret\.secretName="x" is not allowed because service account strict does not reference that secret$/
  await assert.rejects(async () => plugin.mutate?.(attributesOf(write), once), refusal)
  const update = { ...write, operation: 'UPDATE', old: foreign } as const
  assert.equal(await admit(plugin, update), undefined, 'an update of the pod itself')
  const without = pod({ ephemeralContainers: [{ name: 'c' }] })
  const debugged = { on: 'pods/ephemeralcontainers', operation: 'UPDATE', object: without, old: without, namespace: 'dev' } as const
  assert.equal(await admit(plugin, debugged), 'no service account specified for pod dev/p')
})

test('mirror pods may not use service accounts', async () => {
  const mirror = (spec: object) => create(pod(spec, { annotations: { 'kubernetes.io/config.mirror': 'x' } }))
  assert.equal(await mirror({}), undefined)
  assert.equal(await mirror({ serviceAccountName: 'default' }), 'a mirror pod may not reference service accounts')
  assert.equal(await mirror({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }), 'a mirror pod may not reference secrets')
  const token = { name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }
  assert.equal(await mirror({ volumes: [token] }), 'a mirror pod may not use ServiceAccountToken volume projections')
})

/** A server without the controllers that create service accounts, and its clock. */
async function withoutAccounts(t: TestContext) {
  const clock = new ManualClock()
  const { api } = await startInProcess({ clock, controllers: [] }, t)
  const accounts = '/api/v1/namespaces/default/serviceaccounts'
  const send = (name: string) =>
    api.send('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name },
      spec: { serviceAccountName: name, containers: [{ name: 'c', image: 'i' }] },
    })
  return { api, clock, send, addAccount: (name: string) => api.create(accounts, { metadata: { name } }) }
}

test('pods wait a second for the account default, and not for others', async (t) => {
  const { clock, send } = await withoutAccounts(t)
  assertFailure(await send('nobody'), 403, 'Forbidden', /^pods "nobody" is forbidden: .*serviceaccount "nobody" not found$/)
  const before = clock.now()
  let settled = false
  const refused = send('default').finally(() => {
    settled = true
  })
  await eventually('the refusal', async () => {
    clock.advance(100)
    return settled
  })
  const text = 'pods "default" is forbidden: error looking up service account default/default: serviceaccount "default" not found'
  assertFailure(await refused, 403, 'Forbidden', text)
  assert(clock.now() - before >= 1_000, `refused after ${clock.now() - before} ms`)
})

test('a pod is created as soon as its account exists', async (t) => {
  const { send, addAccount } = await withoutAccounts(t)
  const created = send('default')
  await addAccount('default')
  assert.equal((await created).status, 201)
})

test('a pod created right after its namespace waits for the account', async () => {
  const { api, close } = await startInProcess({ platform: createPlatform('kubernetes') })
  try {
    await api.create('/api/v1/namespaces', { metadata: { name: 'fresh' } })
    const { spec } = await api.create(
      '/api/v1/namespaces/fresh/pods',
      pod({ containers: [{ name: 'c', image: 'i' }] }, { namespace: 'fresh' }),
    )
    assert.equal(spec?.['serviceAccountName'], 'default')
    assert.equal(spec?.['serviceAccount'], 'default', 'the deprecated field is set too')
  } finally {
    await close()
  }
})
