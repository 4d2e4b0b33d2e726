/** Plugins that are driven by a configuration file. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionPlugin } from '../../../../core/admission/attributes.ts'
import type { EventLimit, ImagePolicyWebhookConfiguration } from '../../../../core/admission/configuration.ts'
import { eventRateLimit } from '../../../../core/admission/plugins/event-rate-limit.ts'
import { imagePolicyWebhook } from '../../../../core/admission/plugins/image-policy-webhook.ts'
import { parseNodeSelector, podNodeSelector } from '../../../../core/admission/plugins/pod-node-selector.ts'
import { podTolerationRestriction } from '../../../../core/admission/plugins/pod-toleration-restriction.ts'
import type { Toleration } from '../../../../core/admission/plugins/tolerations.ts'
import type { ApiError, Status } from '../../../../core/answers/status.ts'
import { ManualClock } from '../../../support/clock.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { attributesOf } from '../attributes.ts'
import { admit, contextWith } from '../context.ts'

const pod = (spec: object = {}, metadata: object = {}) => ({ metadata: { name: 'p', namespace: 'dev', ...metadata }, spec })
const namespace = (annotations: object = {}) => ({ 'namespaces//dev': { metadata: { name: 'dev', annotations } } })

test('EventRateLimit: burst and qps per key', async () => {
  const clock = new ManualClock()
  const limited = (...limits: EventLimit[]) => eventRateLimit(contextWith({}, { clock, configuration: { EventRateLimit: { limits } } }))
  const limit = (type: EventLimit['type'], more: Partial<EventLimit> = {}): EventLimit => ({
    type,
    qps: 1,
    burst: 2,
    cacheSize: 0,
    ...more,
  })
  const send = (plugin: AdmissionPlugin, object = {}, more: object = {}) =>
    admit(plugin, { on: 'events', operation: 'CREATE', object: { metadata: {}, ...object }, namespace: 'dev', ...more })

  const server = limited(limit('Server'))
  const refusal = 'Too many requests: limit reached on type'
  const reached = `${refusal} Server for key `
  assert.deepEqual([await send(server), await send(server), await send(server)], [undefined, undefined, reached])
  assert.equal(await send(server, {}, { dryRun: true }), undefined, 'a dry run is not counted')
  clock.advance(1000)
  assert.deepEqual([await send(server), await send(server)], [undefined, reached])

  const byNamespace = limited(limit('Namespace', { burst: 1 }))
  assert.equal(await send(byNamespace), undefined)
  assert.equal(await send(byNamespace), `${refusal} Namespace for key dev`)
  assert.equal(await send(byNamespace, {}, { namespace: 'other' }), undefined)

  const byUser = limited(limit('User', { burst: 1 }))
  assert.equal(await send(byUser), undefined)
  assert.equal(await send(byUser), `${refusal} User for key jane`)
  assert.equal(await send(byUser, {}, { user: { name: 'joe', groups: [] } }), undefined)

  const bySource = limited(limit('SourceAndObject', { burst: 1, cacheSize: 1 }))
  const about = (name: string) => ({
    source: { component: 'c', host: 'h' },
    involvedObject: { kind: 'Pod', namespace: 'dev', name, uid: 'u', apiVersion: 'v1' },
  })
  assert.equal(await send(bySource, about('a')), undefined)
  assert.equal(await send(bySource, about('a')), `${refusal} SourceAndObject for key chPoddevauv1`)
  assert.equal(await send(bySource, about('b')), undefined)
  assert.equal(await send(bySource, about('a')), undefined, 'the cache holds one key')

  const long = limited(limit('SourceAndObject', { burst: 1 }))
  const huge = 'x'.repeat(100_000)
  assert.equal(await send(long, about(`${huge}a`)), undefined)
  const refused = (await send(long, about(`${huge}b`))) ?? 'accepted'
  assert.ok(refused.startsWith(`${refusal} SourceAndObject for key chPoddevxxx`), 'a key is not kept in whole')
})

/**
 * Events by key, in order. `!`: refused; `+`: after a second; `~`: a dry run.
 */
const streams: readonly (readonly [type: EventLimit['type'], burst: number, cacheSize: number, events: string])[] = [
  ['Server', 3, 0, 'A A B !C'],
  ['Server', 3, 0, 'A A ~A ~A ~A ~A A !A ~A'],
  ['Server', 3, 0, 'A A A !A +A'],
  ['Server', 3, 0, '+A +A +A +A +A'],
  ...(['Namespace', 'User', 'SourceAndObject'] as const).flatMap((type) =>
    [
      [10, 'A A A !A'] as const,
      [10, 'A A A B'] as const,
      [10, 'A A B A'] as const,
      [10, 'A A A !A +A'] as const,
      [10, 'A A A B !A'] as const,
      [2, 'A A B B B A !B !A C !A B'] as const,
    ].map(([cacheSize, events]) => [type, 3, cacheSize, events] as const),
  ),
]

test(`EventRateLimit: ${streams.length} streams of events, refused where the reference refuses them`, async () => {
  for (const [type, burst, cacheSize, events] of streams) {
    const clock = new ManualClock()
    const limits: EventLimit[] = [{ type, qps: 1, burst, cacheSize }]
    const plugin = eventRateLimit(contextWith({}, { clock, configuration: { EventRateLimit: { limits } } }))
    for (const event of events.split(' ')) {
      const key = event.at(-1) ?? ''
      if (event.startsWith('+')) clock.advance(1000)
      const object = { metadata: { name: 'e' }, source: { component: key } }
      const write = { on: 'events', operation: 'CREATE', object, namespace: key, user: { name: key, groups: [] } } as const
      const refusal = await admit(plugin, { ...write, dryRun: event.startsWith('~') })
      assert.equal(refusal !== undefined, event.startsWith('!'), `${type} ${events}: ${event}`)
    }
  }
})

test('EventRateLimit: each part of source and object makes another key', async () => {
  const parts: readonly ((label: string) => object)[] = [
    ...['component', 'host'].map((name) => (label: string) => ({ source: { [name]: label } })),
    ...['kind', 'namespace', 'name', 'uid', 'apiVersion'].map((name) => (label: string) => ({ involvedObject: { [name]: label } })),
  ]
  for (const part of parts) {
    const limits: EventLimit[] = [{ type: 'SourceAndObject', qps: 1, burst: 1, cacheSize: 10 }]
    const plugin = eventRateLimit(contextWith({}, { configuration: { EventRateLimit: { limits } } }))
    const send = (label: string) =>
      admit(plugin, { on: 'events', operation: 'CREATE', object: { metadata: {}, ...part(label) }, namespace: 'dev' })
    const isRefused = [await send('A'), await send('A'), await send('B')].map((refusal) => refusal !== undefined)
    assert.deepEqual(isRefused, [false, true, false], JSON.stringify(part('A')))
  }
})

test('EventRateLimit: all reached limits are named; events that come through events.k8s.io are not limited', async () => {
  const limit = (type: EventLimit['type'], burst: number): EventLimit => ({ type, qps: 1, burst, cacheSize: 0 })
  const limits = [limit('Server', 1000), limit('Namespace', 3), limit('User', 3), limit('SourceAndObject', 2)]
  const { fetch, close } = await startInProcess({
    controllers: [],
    admissionPlugins: { enable: ['EventRateLimit'] },
    pluginConfigurations: { EventRateLimit: { limits } },
  })
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${path}/namespaces/default/events`, { method: 'POST', headers, body: JSON.stringify(body) })
    return response.status === 201 ? 201 : ((await response.json()) as { message: string }).message
  }
  const core = (name: string) =>
    post('/api/v1', {
      metadata: { name },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'x' },
      source: { component: 'c' },
    })
  const later = (name: string) =>
    post('/apis/events.k8s.io/v1', {
      metadata: { name },
      ...{ eventTime: '2026-01-01T00:00:00.000000Z', reportingController: 'a/b', reportingInstance: 'i', action: 'a', reason: 'r' },
      ...{ type: 'Normal', regarding: { kind: 'Pod', namespace: 'default', name: 'x' } },
    })
  const answers: (string | number)[] = []
  for (let at = 0; at < 4; at++) answers.push(await later(`l${at}`))
  for (let at = 0; at < 4; at++) answers.push(await core(`c${at}`))
  const perObject = 'limit reached on type SourceAndObject for key cPoddefaultx'
  assert.deepEqual(answers.slice(0, 7), [...Array(6).fill(201), `Too many requests: ${perObject}`])
  assert.match(
    String(answers[7]),
    /^Too many requests: \[limit reached on type Namespace for key default, limit reached on type User for key .*, limit reached on type SourceAndObject for key cPoddefaultx\]$/,
  )
  await close()
})

test('PodNodeSelector: namespace selector, cluster default, whitelist', async () => {
  const selectors = { clusterDefaultNodeSelector: { zone: 'a' }, dev: { zone: 'a', disk: 'ssd' } }
  const ask = async (given: object | undefined, annotation: string | undefined, configured: object = {}) => {
    const stored = namespace(annotation === undefined ? {} : { 'scheduler.alpha.kubernetes.io/node-selector': annotation })
    const context = contextWith(stored, { configuration: { PodNodeSelector: { selectors: configured as typeof selectors } } })
    const object = pod(given ? { nodeSelector: given } : {})
    const refusal = await admit(podNodeSelector(context), { on: 'pods', operation: 'CREATE', object, namespace: 'dev' })
    return refusal ?? (object.spec as { nodeSelector?: object }).nodeSelector
  }
  assert.equal(await ask(undefined, undefined), undefined)
  assert.deepEqual(await ask({ gpu: 'yes' }, 'env=dev, zone=b'), { env: 'dev', zone: 'b', gpu: 'yes' })
  assert.equal(await ask({ env: 'prod' }, 'env=dev'), 'pod node label selector conflicts with its namespace node label selector')
  assert.deepEqual(await ask(undefined, undefined, selectors), { zone: 'a' })
  assert.equal(await ask(undefined, '', selectors), undefined, 'an empty annotation requires nothing')
  assert.deepEqual(await ask({ disk: 'ssd' }, undefined, selectors), { zone: 'a', disk: 'ssd' })
  assert.equal(await ask({ disk: 'hdd' }, undefined, selectors), 'pod node label selector labels conflict with its namespace whitelist')
  assert.equal(await ask(undefined, 'nonsense'), 'invalid selector: [nonsense]')
  assert.deepEqual(await ask({ env: 'prod' }, ' env = prod '), { env: 'prod' })
  assert.throws(() => parseNodeSelector('a=b=c'), /invalid selector: \[a b c\]/)
  assert.throws(() => parseNodeSelector('a=b,'), /invalid selector: \[\]/)
  assert.throws(() => parseNodeSelector('a b=c'), /^Error: <nil>: Invalid value: "a b": name part must consist of/)
  assert.throws(() => parseNodeSelector('=b'), /^Error: <nil>: Invalid value: "": name part must be non-empty; name part must consist of/)
  assert.throws(() => parseNodeSelector('a=b c'), /^Error: \[a\]: Invalid value: "b c": a valid label must be/)
})

test('PodNodeSelector and PodTolerationRestriction: codes and names as with kube-apiserver', async () => {
  const { api, close } = await startInProcess({
    controllers: [],
    admissionPlugins: { enable: ['PodNodeSelector', 'PodTolerationRestriction'], disable: ['ServiceAccount'] },
  })
  const alpha = 'scheduler.alpha.kubernetes.io'
  const rows: readonly (readonly [annotation: string, text: string, code: number, reason: string | undefined, message: RegExp])[] = [
    [
      'node-selector',
      'env=dev',
      403,
      'Forbidden',
      /^pods is forbidden: pod node label selector conflicts with its namespace node label selector$/,
    ],
    ['node-selector', 'nonsense', 500, undefined, /^invalid selector: \[nonsense\]$/],
    ['defaultTolerations', '{', 500, undefined, /^unexpected end of JSON input$/],
    ['tolerationsWhitelist', '[{"key":"a"}]', 500, undefined, /^pod tolerations .* conflict with its namespace whitelist$/],
  ]
  for (const [index, [annotation, text, code, reason, message]] of rows.entries()) {
    const name = `n${index}`
    await api.create('/api/v1/namespaces', { metadata: { name, annotations: { [`${alpha}/${annotation}`]: text } } })
    const spec = { nodeSelector: { env: 'prod' }, containers: [{ name: 'c', image: 'i' }] }
    const { status, body } = await api.send('POST', `/api/v1/namespaces/${name}/pods`, { metadata: { generateName: 'g-' }, spec })
    const answer = body as unknown as Partial<Status>
    assert.deepEqual([status, answer.reason], [code, reason], text)
    assert.match(answer.message ?? '', message)
  }
  await close()
})

test('PodTolerationRestriction: tolerations of the namespace or the cluster, within a whitelist', async () => {
  const a: Toleration = { key: 'a', operator: 'Exists' }
  const b: Toleration = { key: 'b', operator: 'Equal', value: 'x', effect: 'NoSchedule' }
  const pressure = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' }
  const ask = async (
    given: readonly Toleration[],
    {
      own,
      list,
      defaults = [],
      whitelist = [],
      containers = [],
      operation = 'CREATE',
    }: {
      own?: string
      list?: string
      defaults?: readonly Toleration[]
      whitelist?: readonly Toleration[]
      containers?: readonly object[]
      operation?: 'CREATE' | 'UPDATE'
    },
  ) => {
    const annotations = {
      ...(own !== undefined && { 'scheduler.alpha.kubernetes.io/defaultTolerations': own }),
      ...(list !== undefined && { 'scheduler.alpha.kubernetes.io/tolerationsWhitelist': list }),
    }
    const context = contextWith(namespace(annotations), { configuration: { PodTolerationRestriction: { defaults, whitelist } } })
    const object = pod({ containers, ...(given.length > 0 && { tolerations: [...given] }) })
    const write = { on: 'pods', operation, object, old: object, namespace: 'dev' } as const
    return (await admit(podTolerationRestriction(context), write)) ?? (object.spec as { tolerations?: object }).tolerations
  }
  assert.equal(await ask([], {}), undefined)
  assert.deepEqual(await ask([b], { own: JSON.stringify([a]) }), [b, a])
  assert.deepEqual(await ask([b], { defaults: [a] }), [b, a])
  assert.deepEqual(await ask([b], { own: '', defaults: [a] }), [b], 'the namespace sets an empty list')
  assert.deepEqual(await ask([b], { own: JSON.stringify([a]), operation: 'UPDATE' }), [b], 'only new pods')
  assert.deepEqual(await ask([], { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] }), [pressure])
  const conflict = 'pod tolerations (possibly merged with namespace default tolerations) conflict with its'
  assert.equal(await ask([b], { list: JSON.stringify([a]) }), `${conflict} namespace whitelist`)
  assert.equal(await ask([b], { whitelist: [a] }), `${conflict} cluster whitelist`)
  assert.deepEqual(await ask([b], { whitelist: [{ key: 'b', operator: 'Exists' }] }), [b])
  assert.deepEqual(await ask([b], { list: '', whitelist: [a] }), [b], 'an empty whitelist allows all')
  assert.deepEqual(await ask([b], { own: '[{"Key":"a","operator":"Exists","x":1}]' }), [b, a], 'members are found whatever their case')
  const faults: readonly (readonly [annotation: string, fault: string])[] = [
    ['{', 'unexpected end of JSON input'],
    [' ', 'unexpected end of JSON input'],
    ['[1]', 'json: cannot unmarshal number into Go value of type v1.Toleration'],
    ['[{"key":1}]', 'json: cannot unmarshal number into Go struct field Toleration.key of type string'],
    ['{"key":"a"}', 'json: cannot unmarshal object into Go value of type []v1.Toleration'],
  ]
  for (const [annotation, fault] of faults) {
    assert.equal(await ask([], { own: annotation }), fault)
    assert.equal(await ask([b], { list: annotation }), fault)
  }
})

test('ImagePolicyWebhook: calls the webhook, caches its answers, and applies defaultAllow when it fails', async () => {
  const asked: unknown[] = []
  const clock = new ManualClock()
  const settings: ImagePolicyWebhookConfiguration = {
    connection: { url: 'https://images/policy', options: {} },
    allowTtl: 10_000,
    denyTtl: 1_000,
    retryBackoff: 1,
    defaultAllow: false,
  }
  const pluginWith = (answer: () => Response, more: Partial<ImagePolicyWebhookConfiguration> = {}) =>
    imagePolicyWebhook(
      contextWith(
        {},
        {
          clock,
          configuration: { ImagePolicyWebhook: { ...settings, ...more } },
          outbound: {
            fetch: async (request) => {
              asked.push(await request.json())
              return answer()
            },
            call: () => Promise.reject(new Error('not in this test')),
          },
        },
      ),
    )
  const status = (value: object) => () => Response.json({ status: value })
  const object = pod(
    {
      containers: [{ name: 'a', image: 'i' }],
      initContainers: [{ name: 'b', image: 'j' }],
      ephemeralContainers: [{ name: 'e', image: 'k' }],
    },
    { annotations: { 'mycluster.image-policy.k8s.io/ticket': '1', other: '2' } },
  )
  const ask = (plugin: AdmissionPlugin, on = 'pods') => admit(plugin, { on, operation: 'CREATE', object, namespace: 'dev' })

  const allowing = pluginWith(status({ allowed: true }))
  assert.equal(await ask(allowing), undefined)
  const spec = { annotations: { 'mycluster.image-policy.k8s.io/ticket': '1' }, namespace: 'dev' }
  const review = { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', metadata: {}, status: { allowed: false } }
  assert.deepEqual(asked.splice(0), [{ ...review, spec: { ...spec, containers: [{ image: 'i' }, { image: 'j' }] } }])
  assert.equal(await ask(allowing), undefined)
  assert.deepEqual(asked, [], 'kept')
  clock.advance(10_000)
  await ask(allowing)
  assert.equal(asked.splice(0).length, 1, 'asked again')
  assert.equal(await ask(allowing, 'pods/ephemeralcontainers'), undefined)
  assert.deepEqual(asked.splice(0), [{ ...review, spec: { ...spec, containers: [{ image: 'k' }] } }])
  assert.equal(await ask(allowing, 'pods/status'), undefined)
  assert.deepEqual(asked, [])
  const long = pod({ containers: [{ name: 'a', image: 'i'.repeat(16_384) }] })
  for (let time = 0; time < 2; time++) await admit(allowing, { on: 'pods', operation: 'CREATE', object: long, namespace: 'dev' })
  assert.equal(asked.splice(0).length, 2, 'a long review is not kept')

  assert.equal(
    await ask(pluginWith(status({ allowed: false, reason: 'old' }))),
    'image policy webhook backend denied one or more images: old',
  )
  assert.equal(await ask(pluginWith(status({ allowed: false }))), 'one or more images rejected by webhook backend')
  const failing = () => new Response('', { status: 400 })
  assert.equal(await ask(pluginWith(failing)), 'the server rejected our request for an unknown reason')
  assert.equal(await ask(pluginWith(failing, { defaultAllow: true })), undefined)
  const forbidden = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', message: 'not you', code: 403 }
  const errorOf = async (answer: () => Response): Promise<unknown> => {
    try {
      await pluginWith(answer).validate?.(attributesOf({ on: 'pods', operation: 'CREATE', object, namespace: 'dev' }))
    } catch (error) {
      return error
    }
    return undefined
  }
  for (const [answer, message, details] of [
    [() => Response.json(forbidden, { status: 403 }), 'not you', undefined],
    [() => new Response('x', { status: 403 }), 'x', { causes: [{ reason: 'UnexpectedServerResponse', message: 'x' }] }],
  ] as const) {
    const { status: found } = (await errorOf(answer)) as ApiError
    assert.deepEqual([found.code, found.reason, found.message, found.details], [403, 'Forbidden', message, details], 'as it is')
  }
  for (const defaultAllow of [false, true])
    assert.equal(
      await ask(pluginWith(status({}), { defaultAllow })),
      'one or more images rejected by webhook backend',
      'an answer that does not say so allows nothing',
    )
  assert.match((await ask(pluginWith(status({ allowed: 'true' })))) ?? '', /cannot unmarshal string into Go struct field ImageReviewStatus/)
  assert.throws(() => imagePolicyWebhook(contextWith()), /needs a configuration/)
})
