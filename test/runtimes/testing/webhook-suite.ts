/** Tests of webhooks as functions, for every supported test runner. */
import assert from 'node:assert/strict'
import { type AdmissionRequest, startTestServer, type TestServer, type WebhookFunctions } from '../../../runtimes/testing/index.ts'
import { silentLogger } from '../../support/logger.ts'
import { eventually } from '../../support/wait.ts'
import { widgetsIn } from './widgets.ts'

interface Labelled {
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> }
}

const maps = { resources: ['configmaps'], operations: ['CREATE'] }
const needsTeam = ({ object }: AdmissionRequest) => (object.metadata.labels?.['team'] ? undefined : 'which team?')
const clientOf = (server: TestServer) => server.objects<Labelled & { data?: Record<string, string> }>('v1', 'ConfigMap')
const map = (name: string, labels?: Record<string, string>) => ({ metadata: { name, ...(labels && { labels }) } })
const quiet = { logger: silentLogger }

const teams: WebhookFunctions = { validating: { 'teams.example.com': { rules: [maps], handle: needsTeam } } }

async function open(functions = teams) {
  const server = await startTestServer({ telemetry: quiet })
  return { server, maps: clientOf(server), hooks: await server.webhooks(functions) }
}

const widgets = widgetsIn({ name: 'v1' }, { name: 'v2' })

const manifests = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: teams}
webhooks:
- name: teams.example.com
  clientConfig: {service: {namespace: system, name: hooks, path: /validate}}
  rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  namespaceSelector: {matchLabels: {checked: 'yes'}}
  admissionReviewVersions: [v1]
  sideEffects: None
`

export const webhookSuite: { readonly [title: string]: () => Promise<void> } = {
  async 'a validating function is in effect at once, and until it is removed'() {
    for (let round = 0; round < 5; round++) {
      const { server, maps, hooks } = await open()
      await assert.rejects(maps.create(map('a')), { message: 'admission webhook "teams.example.com" denied the request: which team?' })
      await maps.create(map('a', { team: 'red' }))
      assert.deepEqual(
        hooks.calls.map(({ name, request, response }) => [name, request.name, response?.['allowed']]),
        [
          ['teams.example.com', 'a', false],
          ['teams.example.com', 'a', true],
        ],
      )
      await hooks.remove()
      await maps.create(map('b'))
      await server.close()
    }
  },

  async 'a mutating function changes the object, in the order of the webhooks, and again when that is asked for'() {
    const seen: string[] = []
    const { server, maps: client } = await open({
      mutating: {
        'a.example.com': {
          rules: [maps],
          reinvocationPolicy: 'IfNeeded',
          handle({ object }) {
            seen.push('a')
            object.metadata.labels = { ...object.metadata.labels, a: 'x' }
          },
        },
        'b.example.com': {
          rules: [maps],
          handle({ object }) {
            seen.push('b')
            object['data'] = { 'a.b': 'ü' }
            object.metadata.annotations = { 'example.com/a.b': 'x' }
          },
        },
      },
    })
    const { metadata, data } = await client.create(map('a'))
    assert.deepEqual([metadata.labels, metadata.annotations, data], [{ a: 'x' }, { 'example.com/a.b': 'x' }, { 'a.b': 'ü' }])
    assert.deepEqual(seen, ['a', 'b', 'a'])
    await server.close()
  },

  async 'rules, conditions and selectors are those of the server'() {
    const {
      server,
      maps: client,
      hooks,
    } = await open({
      validating: {
        'some.example.com': {
          rules: [{ resources: ['configmaps'], operations: ['UPDATE'] }],
          matchConditions: [{ name: 'named', expression: "request.name != 'free'" }],
          objectSelector: { matchLabels: { checked: 'yes' } },
          handle: () => 'no',
        },
      },
    })
    for (const name of ['free', 'other', 'checked']) await client.create(map(name, name === 'other' ? {} : { checked: 'yes' }))
    await client.update(map('free', { checked: 'yes', x: 'y' }))
    await client.update(map('other', { x: 'y' }))
    await assert.rejects(client.update(map('checked', { checked: 'yes', x: 'y' })), /denied the request: no/)
    assert.equal(hooks.calls.length, 1)
    await server.close()
  },

  async 'failure policies and timeouts are those of the server'() {
    const {
      server,
      maps: client,
      hooks,
    } = await open({
      validating: {
        'closed.example.com': { rules: [maps], timeoutSeconds: 7, handle: () => undefined },
        'open.example.com': { rules: [maps], failurePolicy: 'Ignore', handle: () => undefined },
      },
    })
    const failures: readonly [how: number | 'refuse' | 'hang', message: RegExp][] = [
      [
        'refuse',
        /failed calling webhook "closed.example.com": failed to call webhook: Post "https:.*\?timeout=7s": dial tcp .*: connect: connection refused/,
      ],
      [503, /failed calling webhook "closed.example.com": .*the server is currently unable to handle the request/],
      ['hang', /failed calling webhook "closed.example.com": .*context deadline exceeded/],
    ]
    /** Resolves when these webhooks are called for the object. */
    const called = (name: string, count: number) =>
      eventually(`${name} is reviewed`, async () => hooks.calls.filter(({ request }) => request.name === name).length === count)
    for (const [how, message] of failures) {
      const heal = [hooks.fail('open.example.com', how), hooks.fail('closed.example.com', how)]
      const refused = assert.rejects(client.create(map(`closed-${how}`)), message)
      if (how === 'hang') {
        await called('closed-hang', 2)
        await server.clock.advance(10_000)
      }
      await refused
      heal[1]?.()
      if (how !== 'hang') await client.create(map(`open-${how}`))
      heal[0]?.()
    }
    const heal = hooks.delay('closed.example.com', 5_000)
    const created = client.create(map('late'))
    await called('late', 2)
    await server.clock.advance(5_000)
    assert.equal((await created).metadata.name, 'late')
    heal()
    assert.throws(() => hooks.fail('none.example.com', 500), /no webhook none.example.com; there are closed.example.com, open.example.com/)
    await server.close()
  },

  async 'what a function throws fails the call; a whole answer or response is passed on; dry runs call it'() {
    const {
      server,
      maps: client,
      hooks,
    } = await open({
      validating: {
        'all.example.com': {
          rules: [maps],
          handle({ name, dryRun }) {
            if (name === 'throws') throw new Error('a defect')
            if (name === 'response') return new Response('{}', { headers: { 'content-type': 'application/json' } })
            if (name === 'answer') return { allowed: false, status: { code: 418, message: 'tea' } }
            return dryRun ? 'dry' : undefined
          },
        },
      },
    })
    await assert.rejects(client.create(map('throws')), /failed calling webhook "all.example.com": .*a defect/)
    await assert.rejects(client.create(map('response')), /failed calling webhook .*/)
    await assert.rejects(client.create(map('answer')), { code: 418, message: /tea/ })
    await assert.rejects(client.create(map('dry'), { dryRun: 'All' }), /denied the request: dry/)
    assert.equal(hooks.calls.length, 4)
    await server.close()
  },

  async 'manifests name their webhooks, whose functions are given'() {
    const { server, maps: client } = await open({ manifests, validating: { 'teams.example.com': needsTeam } })
    await server.load('{apiVersion: v1, kind: Namespace, metadata: {name: checked, labels: {checked: "yes"}}}')
    await client.create(map('a'))
    await assert.rejects(server.objects('v1', 'ConfigMap', { namespace: 'checked' }).create(map('a')), /which team/)
    await assert.rejects(
      server.webhooks({ manifests }),
      /webhooks: teams has a webhook teams.example.com, and validating has no function for it/,
    )
    await assert.rejects(
      server.webhooks({ mutating: { 'x.example.com': () => 'no' } }),
      /mutating x.example.com has no rules, and manifests have no such webhook/,
    )
    await assert.rejects(
      server.webhooks({ validating: { x: { rules: [{ resource: ['pods'] }], handle: needsTeam } } } as never),
      /webhooks: validating.x.rules\[0\].resource: unknown option; did you mean resources/,
    )
    await server.close()
  },

  async 'converts custom resources'() {
    const server = await startTestServer()
    await server.load(widgets)
    const hooks = await server.webhooks({
      conversion: {
        'widgets.example.com'({ spec, ...object }, apiVersion) {
          const { size, sizes } = spec as { size?: string; sizes?: string[] }
          if (size === 'none') throw new Error('no size')
          return { ...object, spec: apiVersion.endsWith('v2') ? { sizes: [size] } : { size: sizes?.[0] } }
        },
      },
    })
    interface Widget {
      metadata: { name: string }
      spec: { size?: string; sizes?: string[] }
    }
    const [v1, v2] = ['v1', 'v2'].map((version) => server.objects<Widget>(`example.com/${version}`, 'Widget'))
    await v2!.create({ metadata: { name: 'one' }, spec: { sizes: ['small'] } })
    assert.deepEqual((await v1!.get('one')).spec, { size: 'small' })
    await v1!.create({ metadata: { name: 'two' }, spec: { size: 'large' } })
    assert.deepEqual(
      (await v2!.list()).map(({ spec }) => spec.sizes),
      [['small'], ['large']],
    )
    assert.equal(hooks.calls.at(-1)?.name, 'widgets.example.com')
    await v1!.create({ metadata: { name: 'none' }, spec: { size: 'none' } })
    await assert.rejects(v2!.get('none'), /conversion webhook for example.com\/v1, Kind=Widget failed: no size/)
    const fork = await server.fork()
    assert.deepEqual((await fork.objects<Widget>('example.com/v2', 'Widget').get('one')).spec, { sizes: ['small'] })
    await hooks.remove()
    assert.deepEqual((await v2!.get('one')).spec, { size: 'small' })
    await Promise.all([server.close(), fork.close()])
  },

  async 'authorizes and authenticates'() {
    const asked: string[] = []
    const server = await startTestServer({
      webhooks: {
        authorization({ user, resourceAttributes }) {
          asked.push(`${user} ${resourceAttributes?.verb} ${resourceAttributes?.resource}`)
          return user === 'alice'
            ? 'allow'
            : resourceAttributes?.resource === 'secrets'
              ? { denied: true, reason: 'secrets are mine' }
              : undefined
        },
        token: (token) => (token === 'of-alice' ? { name: 'alice', groups: ['devs'] } : undefined),
      },
    })
    const as = (token: string) => server.fetch('/api/v1/namespaces/default/secrets', { headers: { authorization: `Bearer ${token}` } })
    assert.equal((await as('of-alice')).status, 200)
    assert.equal((await as('of-nobody')).status, 401)
    await assert.rejects(server.objects('v1', 'Secret', { user: { name: 'bob' } }).list(), { code: 403, message: /secrets are mine/ })
    await assert.rejects(server.objects('v1', 'ConfigMap', { user: { name: 'bob' } }).list(), { code: 403 })
    await server.objects('v1', 'ConfigMap').list()
    assert.deepEqual(
      asked.filter((text) => !text.includes('undefined')),
      ['alice list secrets', 'bob list secrets', 'bob list configmaps'],
    )
    // Decisions are cached, as by the daemon.
    assert.equal((await as('of-alice')).status, 200)
    const fork = await server.fork()
    assert.equal((await fork.fetch('/api/v1/namespaces/default/secrets', { headers: { authorization: 'Bearer of-alice' } })).status, 200)
    await Promise.all([server.close(), fork.close()])
  },

  async 'forks and snapshots keep webhooks'() {
    const { server, hooks } = await open()
    const snapshot = server.snapshot()
    const fork = await server.fork()
    await assert.rejects(clientOf(fork).create(map('a')), /which team/)
    await hooks.remove()
    await clientOf(server).create(map('a'))
    await assert.rejects(clientOf(fork).create(map('a')), /which team/)
    await server.restore(snapshot)
    await assert.rejects(clientOf(server).create(map('b')), /which team/)
    const other = await startTestServer({ from: snapshot, telemetry: quiet })
    await assert.rejects(
      clientOf(other).create(map('a')),
      /no function of this test answers \/validating\/teams.example.com: call server.webhooks on this server/,
    )
    await Promise.all([server, fork, other].map((each) => each.close()))
  },
}
