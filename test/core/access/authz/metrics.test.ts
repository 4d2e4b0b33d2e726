/** Authorization metrics: decisions, webhooks, match conditions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Authenticator } from '../../../../core/access/authn/authenticator.ts'
import { compileMatchConditions } from '../../../../core/access/authz/match-conditions.ts'
import { authorizationRows } from '../../../../core/access/authz/metrics.ts'
import { type WebhookOptions, webhookAuthorizer } from '../../../../core/access/authz/webhook.ts'
import { createMetrics } from '../../../../core/meta/metrics/registry.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { ManualClock } from '../../../support/clock.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { onResource, userOf } from './attributes.ts'

const seriesOf = (text: string, name: string) => text.split('\n').filter((line) => line.startsWith(`${name}{`))

test('allowed and denied requests are counted by authorizer; no opinion and system:masters are not', async () => {
  const byHeader: Authenticator = { name: 'header', authenticate: async (request) => ({ user: userOf(request.headers.get('who') ?? '') }) }
  const { api, close } = await startInProcess({ authorizationModes: ['Node', 'RBAC'], authenticators: [byHeader], controllers: [] })
  const ask = async (who: string, path: string) => (await api.get(path, { who })).status
  try {
    assert.equal(await ask('root+system:masters', '/api/v1/pods'), 200, 'masters')
    assert.equal(await ask('system:kube-scheduler', '/api/v1/pods'), 200, 'scheduler')
    assert.equal(await ask('system:kube-scheduler', '/api/v1/nodes'), 200, 'scheduler')
    assert.equal(await ask('system:node:n1+system:nodes', '/api/v1/services'), 200, 'node')
    assert.equal(await ask('nobody', '/api/v1/pods'), 403, 'nobody')
    const { body } = await api.get<string>('/metrics', { who: 'root+system:masters' })
    assert.deepEqual(seriesOf(body, 'apiserver_authorization_decisions_total'), [
      'apiserver_authorization_decisions_total{decision="allowed",name="rbac",type="RBAC"} 2',
      'apiserver_authorization_decisions_total{decision="allowed",name="node",type="Node"} 1',
    ])
  } finally {
    await close()
  }
})

test('AlwaysDeny has no opinion, so it denies nothing by itself', async () => {
  const { api, close } = await startInProcess({ authorizationModes: ['AlwaysDeny', 'AlwaysAllow'], controllers: [] })
  try {
    const { status, body } = await api.get<string>('/metrics')
    assert.equal(status, 200, 'allowed after AlwaysDeny')
    assert.deepEqual(seriesOf(body, 'apiserver_authorization_decisions_total'), [
      'apiserver_authorization_decisions_total{decision="allowed",name="alwaysallow",type="AlwaysAllow"} 1',
    ])
  } finally {
    await close()
  }
})

const request = onResource('jane', 'get', 'pods', 'dev')
const quiet = () => {}
const late = Object.assign(new Error('The operation was aborted due to timeout'), { name: 'TimeoutError' })
const yes = { kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', status: { allowed: true } }

/** Metrics after one request that the webhook answers like this. */
async function counted(answer: object | Error, options: Partial<WebhookOptions> = {}): Promise<string[]> {
  const clock = new ManualClock()
  const registry = createMetrics()
  const authorizer = webhookAuthorizer(
    {
      name: 'judge',
      version: 'v1',
      connection: { url: 'https://judge.example/', options: {} },
      authorizedTtl: 0,
      unauthorizedTtl: 0,
      timeout: 3_000,
      onFailure: 'no-opinion',
      ...options,
    },
    {
      clock,
      logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      platform: createPlatform(),
      metrics: registry.record(authorizationRows),
      outbound: {
        async fetch() {
          clock.advance(40)
          if (answer instanceof Error) throw answer
          return answer instanceof Response ? answer.clone() : Response.json(answer)
        },
      },
    },
  )
  await authorizer.authorize(request, undefined)
  return registry
    .text()
    .split('\n')
    .filter((line) => /^apiserver_authorization_(webhook|match)/.test(line) && !/_bucket/.test(line))
    .map((line) => line.slice('apiserver_authorization_'.length))
}

const called = (result: string, failedOpen = false) => [
  `webhook_duration_seconds_sum{name="judge",result="${result}"} 0.04`,
  `webhook_duration_seconds_count{name="judge",result="${result}"} 1`,
  ...(failedOpen ? [`webhook_evaluations_fail_open_total{name="judge",result="${result}"} 1`] : []),
  `webhook_evaluations_total{name="judge",result="${result}"} 1`,
]
const cases: readonly (readonly [what: string, answer: object | Error, options: Partial<WebhookOptions>, expected: readonly string[]])[] = [
  ['an answer', yes, {}, called('success')],
  ['a late answer', late, {}, called('timeout', true)],
  ['a broken answer', { kind: 'Pod' }, {}, called('error', true)],
  ['a failure that denies', new Response('', { status: 404 }), { onFailure: 'deny' }, called('error')],
]

test(`${cases.length} outcomes of webhook calls are counted`, async () => {
  for (const [what, answer, options, expected] of cases) assert.deepEqual(await counted(answer, options), expected, what)
})

test('match conditions are timed, exclusions and errors counted', async () => {
  const none = () => assert.fail('the condition does not compile')
  const conditions = (expression: string) => {
    const compiled = compileMatchConditions([expression], none)
    assert.ok(compiled, expression)
    return { conditions: compiled }
  }
  const timed = [
    'match_condition_evaluation_seconds_sum{name="judge",type="Webhook"} 0',
    'match_condition_evaluation_seconds_count{name="judge",type="Webhook"} 1',
  ]
  assert.deepEqual(await counted(yes, conditions('true')), [...timed, ...called('success')])
  assert.deepEqual(await counted(yes, conditions("request.user == 'john'")), [
    ...timed,
    'match_condition_exclusions_total{name="judge",type="Webhook"} 1',
  ])
  assert.deepEqual(await counted(yes, conditions("request.nonResourceAttributes.path == '/x'")), [
    'match_condition_evaluation_errors_total{name="judge",type="Webhook"} 1',
    ...timed,
  ])
})
