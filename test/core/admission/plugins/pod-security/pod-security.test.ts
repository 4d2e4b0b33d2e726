/** PodSecurity: which policy applies to a request; refusals, warnings, audit annotations; exemptions; changes of namespace labels. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionAttributes } from '../../../../../core/admission/attributes.ts'
import type { PodSecurityConfiguration } from '../../../../../core/admission/configuration.ts'
import type { PluginContext } from '../../../../../core/admission/context.ts'
import { podSecurity } from '../../../../../core/admission/plugins/pod-security.ts'
import { ApiError } from '../../../../../core/answers/status.ts'
import { startInProcess } from '../../../../support/in-process.ts'
import { attributesOf, type Write } from '../../attributes.ts'
import { contextWith } from '../../context.ts'

type Labels = { readonly [key: string]: string }
const asks = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]))
const namespace = (labels: Labels, name = 'dev') => ({ metadata: { name, labels: asks(labels) } })
const bad = { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] }
const fault = 'privileged (container "c" must not set securityContext.privileged=true)'
const pod = (spec: object = bad, name = 'p', more: object = {}) => ({ metadata: { name, namespace: 'dev', ...more }, spec })

interface Outcome {
  readonly refusal?: string
  readonly warnings?: readonly string[]
  readonly notes?: { readonly [key: string]: string }
}

async function ask(context: PluginContext, write: Write): Promise<Outcome> {
  const warnings: string[] = []
  const notes: { [key: string]: string } = {}
  const attributes: AdmissionAttributes = {
    ...attributesOf({ ...write, warn: (text) => warnings.push(text) }),
    annotate: (key, value) => {
      notes[key.replace('pod-security.kubernetes.io/', '')] = value
    },
  }
  const result = () => ({ ...(warnings.length > 0 && { warnings }), ...(Object.keys(notes).length > 0 && { notes }) })
  try {
    await podSecurity(context).validate?.(attributes)
    return result()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { refusal: error.message, ...result() }
  }
}

const inNamespace = (labels: Labels, configuration?: PodSecurityConfiguration, stored: object = {}) =>
  contextWith({ 'namespaces//dev': namespace(labels), ...stored }, configuration ? { configuration: { PodSecurity: configuration } } : {})
const create = (object: object = pod(), on = 'pods'): Write => ({ on, operation: 'CREATE', object, namespace: 'dev' })

test('enforce refuses, audit annotates, warn warns; enforced violations are warned of as well', async () => {
  const enforced = { 'enforce-policy': 'privileged:latest' }
  const rows: readonly (readonly [labels: Labels, expected: Outcome])[] = [
    [{}, { notes: enforced }],
    [
      { enforce: 'baseline' },
      {
        refusal: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${fault}`,
        notes: { 'enforce-policy': 'baseline:latest' },
      },
    ],
    [
      { enforce: 'baseline', 'enforce-version': 'v1.20' },
      {
        refusal: `pods "p" is forbidden: violates PodSecurity "baseline:v1.20": ${fault}`,
        notes: { 'enforce-policy': 'baseline:v1.20' },
      },
    ],
    [{ warn: 'baseline' }, { warnings: [`would violate PodSecurity "baseline:latest": ${fault}`], notes: enforced }],
    [
      { audit: 'baseline', 'audit-version': 'v1.5' },
      { notes: { ...enforced, 'audit-violations': `would violate PodSecurity "baseline:v1.5": ${fault}` } },
    ],
    [
      { audit: 'strict' },
      {
        notes: {
          ...enforced,
          error:
            'Failed to parse policy: metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: "strict": must be one of privileged, baseline, restricted',
        },
      },
    ],
  ]
  for (const [labels, expected] of rows) assert.deepEqual(await ask(inNamespace(labels), create()), expected, JSON.stringify(labels))
})

test('invalid labels are enforced as restricted', async () => {
  const { refusal } = await ask(inNamespace({ enforce: 'none' }), create())
  assert.match(refusal ?? '', /violates PodSecurity "restricted:latest"/)
  const version = await ask(inNamespace({ enforce: 'baseline', 'enforce-version': '1.20' }), create())
  assert.match(version.refusal ?? '', /"baseline:latest"/)
})

test('pod templates of workloads give warnings, never refusals', async () => {
  const template = { metadata: {}, spec: bad }
  const rows: readonly (readonly [on: string, object: object])[] = [
    ['deployments.apps', { spec: { template } }],
    ['daemonsets.apps', { spec: { template } }],
    ['statefulsets.apps', { spec: { template } }],
    ['replicasets.apps', { spec: { template } }],
    ['replicationcontrollers', { spec: { template } }],
    ['jobs.batch', { spec: { template } }],
    ['cronjobs.batch', { spec: { jobTemplate: { spec: { template } } } }],
    ['podtemplates', { template }],
  ]
  for (const [on, object] of rows) {
    const whole = { metadata: { name: 'w', namespace: 'dev' }, ...object }
    const warned = { warnings: [`would violate PodSecurity "baseline:latest": ${fault}`] }
    assert.deepEqual(await ask(inNamespace({ enforce: 'baseline' }), create(whole, on)), warned, on)
    assert.deepEqual(await ask(inNamespace({ enforce: 'baseline' }), create(whole, `${on}/status`)), {}, on)
    assert.deepEqual(await ask(inNamespace({}), create(whole, on)), {}, on)
  }
  const empty = { metadata: { name: 'w', namespace: 'dev' }, spec: {} }
  assert.deepEqual(await ask(inNamespace({ warn: 'baseline' }), create(empty, 'replicationcontrollers')), {})
})

test('exemptions: namespaces, users, runtime classes', async () => {
  const exemptions = { usernames: ['jane'], namespaces: ['dev'], runtimeClasses: ['vm'] }
  const none = { usernames: [], namespaces: [], runtimeClasses: [] }
  const strict = { level: 'baseline', version: '1.30' } as const
  const configuration = (some: Partial<typeof exemptions>): PodSecurityConfiguration => ({
    defaults: { enforce: strict, audit: strict, warn: strict },
    exemptions: { ...none, ...some },
  })
  const outcome = (some: Partial<typeof exemptions>, object = pod()) => ask(inNamespace({}, configuration(some)), create(object))
  assert.match((await outcome({})).refusal ?? '', /baseline:v1\.30/, 'defaults of the configuration')
  assert.deepEqual(await outcome({ namespaces: ['dev'] }), { notes: { exempt: 'namespace' } })
  assert.deepEqual(await outcome({ usernames: ['jane'] }), { notes: { exempt: 'user' } })
  assert.deepEqual(await outcome({ runtimeClasses: ['vm'] }, pod({ ...bad, runtimeClassName: 'vm' })), {
    notes: { exempt: 'runtimeClass' },
  })
  assert.match((await outcome({ runtimeClasses: ['vm'] })).refusal ?? '', /violates/)
})

test('pod updates are checked when they change images or ephemeral containers', async () => {
  const update = (object: object, old: object, on = 'pods'): Write => ({ on, operation: 'UPDATE', object, old, namespace: 'dev' })
  const judged = async (now: object, before: object, on?: string) =>
    (await ask(inNamespace({ enforce: 'baseline' }), update(pod(now), pod(before), on))).refusal !== undefined
  assert.equal(await judged({ ...bad, activeDeadlineSeconds: 1 }, bad), false)
  assert.equal(await judged({ containers: [{ ...bad.containers[0], image: 'j' }] }, bad), true)
  assert.equal(await judged({ ...bad, ephemeralContainers: [{ name: 'e', image: 'i' }] }, bad, 'pods/ephemeralcontainers'), true)
  assert.equal(await judged({ containers: [{ ...bad.containers[0], image: 'j' }] }, bad, 'pods/status'), false)
})

test('namespace labels are validated, and existing pods that violate a new level give warnings', async () => {
  const change = (labels: Labels, old?: Labels, stored: object = {}, configuration?: PodSecurityConfiguration) =>
    ask(inNamespace({}, configuration, stored), {
      on: 'namespaces',
      operation: old ? 'UPDATE' : 'CREATE',
      object: namespace(labels),
      ...(old && { old: namespace(old) }),
    })
  const wrong = 'must be one of privileged, baseline, restricted'
  assert.equal(
    (await change({ enforce: 'most' })).refusal,
    `Namespace "dev" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "most": ${wrong}`,
  )
  assert.match((await change({ 'warn-version': '1.2' })).refusal ?? '', /must be "latest" or "v1\.x"/)
  assert.deepEqual(await change({ enforce: 'most' }, { enforce: 'most' }), {}, 'an invalid label may stay as it is')
  assert.match((await change({ enforce: 'other' }, { enforce: 'most' })).refusal ?? '', /"other"/)

  const owned = { ownerReferences: [{ uid: 'u', controller: true }] }
  const stored = {
    'pods/dev/b': pod(bad, 'b'),
    'pods/dev/a': pod(bad, 'a', owned),
    'pods/dev/c': pod(bad, 'c', owned),
    'pods/dev/good': pod({ containers: [{ name: 'c' }] }, 'good'),
    'pods/dev/net': pod({ hostNetwork: true, containers: [{ name: 'c' }] }, 'net'),
  }
  const warnings = [
    'existing pods in namespace "dev" violate the new PodSecurity enforce level "baseline:latest"',
    'a (and 2 other pods): privileged',
    'net: host namespaces',
  ]
  assert.deepEqual(await change({ enforce: 'baseline' }, {}, stored), { warnings })
  assert.deepEqual(await change({ enforce: 'baseline' }, { enforce: 'restricted' }, stored), {}, 'a lower level')
  assert.deepEqual(await change({ enforce: 'baseline', x: 'y' }, { enforce: 'baseline' }, stored), {}, 'as before')
  assert.deepEqual(await change({ enforce: 'baseline' }, undefined, stored), {}, 'a new namespace has no pods')

  const configuration: PodSecurityConfiguration = {
    defaults: {
      enforce: { level: 'privileged', version: '1.1' },
      audit: { level: 'privileged', version: '1.1' },
      warn: { level: 'privileged', version: '1.1' },
    },
    exemptions: { usernames: [], namespaces: ['dev'], runtimeClasses: [] },
  }
  const ignored =
    'namespace "dev" is exempt from Pod Security, and the policy (enforce=baseline:v1.1, audit=restricted:v1.3) will be ignored'
  const exempt = { enforce: 'baseline', audit: 'restricted', 'audit-version': 'v1.3' }
  assert.deepEqual(await change(exempt, undefined, stored, configuration), { warnings: [ignored] })
  assert.deepEqual(await change(exempt, {}, stored, configuration), { warnings: [ignored] })
})

test('refusals name pods by their generated name, and warnings are headers', async () => {
  const { fetch, close } = await startInProcess({ controllers: [], admissionPlugins: { disable: ['ServiceAccount'] } })
  const send = (path: string, body: object) =>
    fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  assert.equal((await send('/api/v1/namespaces', namespace({ enforce: 'baseline' }))).status, 201)
  const pods = '/api/v1/namespaces/dev/pods'
  const refused = await send(pods, { metadata: { generateName: 'p-' }, spec: bad })
  assert.equal(refused.status, 403)
  assert.match(
    ((await refused.json()) as { message: string }).message,
    /^pods "p-\w{5}" is forbidden: violates PodSecurity "baseline:latest": /,
  )
  const labels = { app: 'a' }
  const workload = { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: bad } } }
  const warned = await send('/apis/apps/v1/namespaces/dev/deployments', workload)
  assert.equal(warned.status, 201)
  assert.match(warned.headers.get('warning') ?? '', /would violate PodSecurity/)
  assert.equal((await send(pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } })).status, 201)
  await close()
})
