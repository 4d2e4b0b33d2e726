/** The webhook authorizer, with an in-process service and a manual clock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Attributes, Decision } from '../../../../core/access/authz/authorizer.ts'
import { compileMatchConditions } from '../../../../core/access/authz/match-conditions.ts'
import { type WebhookOptions, webhookAuthorizer } from '../../../../core/access/authz/webhook.ts'
import { createPlatform } from '../../../../core/platform.ts'
import type { Clock, OutboundOptions } from '../../../../core/ports.ts'
import { ManualClock } from '../../../support/clock.ts'
import { eventually } from '../../../support/wait.ts'
import { onPath, onResource, userOf } from './attributes.ts'

interface Sent {
  readonly url: string
  readonly headers: Headers
  /** Bytes of the body. */
  readonly length: number
  readonly body: { readonly kind: string; readonly apiVersion: string; readonly spec: object }
  readonly options: OutboundOptions | undefined
}

type Answer = Response | object | Error

/** An authorizer whose service gives these answers in order, repeating the last. */
function setUp(answers: readonly Answer[], options: Partial<WebhookOptions> = {}, other?: Clock) {
  const sent: Sent[] = []
  const clock = new ManualClock()
  const quiet = () => {}
  const authorizer = webhookAuthorizer(
    {
      name: 'judge',
      version: 'v1',
      connection: { url: 'https://judge.example/decide', options: { certificateAuthority: 'CA' } },
      authorizedTtl: 300_000,
      unauthorizedTtl: 30_000,
      timeout: 3_000,
      onFailure: 'no-opinion',
      ...options,
    },
    {
      clock: other ?? clock,
      logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      platform: createPlatform(),
      outbound: {
        async fetch(request, given) {
          const answer = answers[Math.min(sent.length, answers.length - 1)]
          const text = await request.text()
          const length = Buffer.byteLength(text)
          sent.push({ url: request.url, headers: request.headers, length, body: JSON.parse(text) as Sent['body'], options: given })
          if (answer instanceof Error) throw answer
          return answer instanceof Response ? answer.clone() : Response.json(answer)
        },
      },
    },
  )
  const decide = async (attributes: Attributes = request) => authorizer.authorize(attributes, undefined)
  return { sent, clock, decide, authorizer }
}

const request = onResource('jane+dev', 'get', 'pods', 'dev', 'web')
const status = (fields: object) => ({ kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', status: fields })
const yes = status({ allowed: true, reason: 'welcome' })
const no = status({ allowed: false, reason: 'not today' })
const allow: Decision = { verdict: 'allow', reason: 'welcome' }

test('sends a SubjectAccessReview without empty fields', async () => {
  const { sent, decide } = setUp([yes])
  const user = { name: 'jane', uid: '7', groups: ['dev'], extra: { tint: ['red', 'blue'] } }
  const selectors = { labelSelector: 'app in (a,b),!old,tier!=db,n>3', fieldSelector: 'metadata.name=x,spec.y!=z' }
  assert.deepEqual(await decide({ ...onResource('', 'list', 'deployments.apps/scale', 'dev'), user, ...selectors }), allow)
  assert.deepEqual(sent[0]?.body, {
    kind: 'SubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec: {
      resourceAttributes: {
        namespace: 'dev',
        verb: 'list',
        group: 'apps',
        version: 'v1',
        resource: 'deployments',
        subresource: 'scale',
        fieldSelector: {
          requirements: [
            { key: 'metadata.name', operator: 'In', values: ['x'] },
            { key: 'spec.y', operator: 'NotIn', values: ['z'] },
          ],
        },
        labelSelector: {
          requirements: [
            { key: 'app', operator: 'In', values: ['a', 'b'] },
            { key: 'old', operator: 'DoesNotExist' },
            { key: 'tier', operator: 'NotIn', values: ['db'] },
          ],
        },
      },
      user: 'jane',
      groups: ['dev'],
      extra: { tint: ['red', 'blue'] },
      uid: '7',
    },
    status: { allowed: false },
  })
  assert.deepEqual(sent[0]?.options, { certificateAuthority: 'CA' })
  const [{ headers, length } = assert.fail()] = sent
  const shown = ['content-type', 'content-length', 'accept'].map((name) => headers.get(name))
  assert.deepEqual(shown, ['application/json', String(length), 'application/json, */*'])
})

test('v1beta1 calls groups `group`; resource requests have no path', async () => {
  const { sent, decide } = setUp([{ ...yes, apiVersion: 'authorization.k8s.io/v1beta1' }], {
    version: 'v1beta1',
    connection: { url: 'https://judge.example/', options: {}, authorization: async () => 'Bearer t' },
  })
  assert.deepEqual(await decide(onPath('jane+dev+ops', 'get', '/metrics')), allow)
  assert.deepEqual(sent[0]?.body.spec, { nonResourceAttributes: { path: '/metrics', verb: 'get' }, user: 'jane', group: ['dev', 'ops'] })
  assert.equal(sent[0]?.body.apiVersion, 'authorization.k8s.io/v1beta1')
  assert.equal(sent[0]?.headers.get('authorization'), 'Bearer t')
})

const both = 'webhook subject access review returned both allow and deny response'
const failure = (error: string) => ({ verdict: 'no-opinion', reason: '', error })
const post = 'Post "https://judge.example/decide?timeout=3s": '
const scheme = 'in scheme "pkg/util/webhook/client.go:71"'

const unsuccessful = 'the server responded with the status code'
const typed = (given: string, field: string) =>
  `json: cannot unmarshal ${given} into Go struct field SubjectAccessReviewStatus.status.${field} of type`

const answers: readonly (readonly [what: string, answer: Answer, decision: object])[] = [
  ['allowed', yes, allow],
  ['not allowed', no, { verdict: 'no-opinion', reason: 'not today' }],
  ['denied', status({ allowed: false, denied: true, reason: 'never' }), { verdict: 'deny', reason: 'never' }],
  ['both', status({ allowed: true, denied: true, reason: 'eh' }), { verdict: 'deny', reason: 'eh', error: both }],
  ['no reason', status({ allowed: true }), { verdict: 'allow', reason: '' }],
  ['no status', status({}), { verdict: 'no-opinion', reason: '' }],
  ['no kind and version', { status: { allowed: true } }, { verdict: 'allow', reason: '' }],
  ['null reason', status({ allowed: true, reason: null }), { verdict: 'allow', reason: '' }],
  ['prototype', JSON.parse('{"status":{"__proto__":{"allowed":true}}}'), { verdict: 'no-opinion', reason: '' }],
  ['other version', { ...yes, apiVersion: 'v1' }, failure(`no kind "SubjectAccessReview" is registered for version "v1" ${scheme}`)],
  [
    'a newer version',
    { ...yes, apiVersion: 'authorization.k8s.io/v1beta1' },
    failure('converting (v1beta1.SubjectAccessReview) to (v1.SubjectAccessReview): unknown conversion'),
  ],
  ['other kind', { ...yes, kind: 'Status' }, failure(`no kind "Status" is registered for version "authorization.k8s.io/v1" ${scheme}`)],
  ['a string for a boolean', status({ allowed: 'true' }), failure(`${typed('string', 'allowed')} bool`)],
  ['a number for the reason', status({ reason: 1 }), failure(`${typed('number', 'reason')} string`)],
  [
    'a list for the status',
    { status: [] },
    failure('json: cannot unmarshal array into Go struct field SubjectAccessReview.status of type v1.SubjectAccessReviewStatus'),
  ],
  ['another case of a name', { Status: { allowed: true }, status: { Allowed: true } }, { verdict: 'no-opinion', reason: '' }],
  ['YAML', new Response('status:\n  allowed: true\n  reason: welcome\n'), allow],
  ['repeated members', new Response('{"status":{"allowed":false,"reason":"welcome"},"status":{"allowed":true}}'), allow],
  ['a number beyond doubles in an unknown member', new Response('{"x":1e999,"status":{"allowed":true,"reason":"welcome"}}'), allow],
  ['no content', new Response(null), failure('0-length response with status code: 200 and content type: application/json')],
  ['multi-status', Response.json(yes, { status: 207 }), failure(`${unsuccessful} 207 but did not return more information`)],
  ['bad request', new Response('no', { status: 400 }), failure('the server rejected our request for an unknown reason')],
  ['forbidden', new Response('no', { status: 403 }), failure('no')],
  ['not found', new Response('no', { status: 404 }), failure('the server could not find the requested resource')],
  [
    'unreachable',
    Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
    failure(`${post}dial tcp judge.example:443: connect: connection refused`),
  ],
]

test(`${answers.length} answers`, async () => {
  for (const [what, answer, decision] of answers) {
    const { decide, sent } = setUp([answer])
    assert.deepEqual(await decide(), decision, what)
    assert.equal(sent.length, 1, what)
    const strict = setUp([answer], { onFailure: 'deny' })
    const failed = 'error' in decision && decision.error !== both
    assert.deepEqual(await strict.decide(), failed ? { ...decision, verdict: 'deny' } : decision, what)
  }
  const { decide } = setUp([new Response('oops')])
  assert.match((await decide()).error ?? '', /^couldn't get version\/kind; json parse error: json: cannot unmarshal string into Go value/)
})

test('answers are cached for their TTLs, failures not at all', async () => {
  const { decide, clock, sent } = setUp([yes, no, new Error('down'), yes])
  for (const _ of [1, 2, 3]) assert.deepEqual(await decide(), allow)
  clock.advance(299_999)
  assert.deepEqual(await decide(), allow)
  assert.equal(sent.length, 1)
  clock.advance(1)
  assert.equal((await decide()).verdict, 'no-opinion')
  clock.advance(29_999)
  assert.equal((await decide()).verdict, 'no-opinion')
  assert.equal(sent.length, 2)
  clock.advance(1)
  assert.notEqual((await decide()).error, undefined)
  assert.deepEqual(await decide(), allow)
  assert.equal(sent.length, 4)
})

test('different requests have different cache keys', async () => {
  const { decide, sent } = setUp([yes])
  const others: Attributes[] = [
    request,
    { ...request, name: 'db' },
    { ...request, verb: 'list' },
    { ...request, user: userOf('john+dev') },
    { ...request, user: userOf('jane') },
    { ...request, labelSelector: 'a=b' },
    { ...request, fieldSelector: 'a=b' },
  ]
  for (const _ of [1, 2]) for (const each of others) await decide(each)
  assert.equal(sent.length, others.length)
})

test('a TTL of zero caches nothing; concurrent callers share one call', async () => {
  const { decide, sent } = setUp([yes, no], { authorizedTtl: 0 })
  assert.deepEqual(await Promise.all([decide(), decide(), decide()]), [allow, allow, allow])
  assert.equal(sent.length, 1)
  assert.equal((await decide()).verdict, 'no-opinion')
  assert.equal((await decide()).verdict, 'no-opinion')
  assert.equal(sent.length, 2)
})

test('very long requests are not cached', async () => {
  const list = onResource('jane+dev', 'list', 'pods', 'dev')
  for (const long of [
    { ...request, name: 'x'.repeat(10_000) },
    { ...list, labelSelector: `app in (${'x,'.repeat(5_000)}x)` },
    { ...list, fieldSelector: `spec.nodeName=${'x'.repeat(10_000)}` },
  ]) {
    const { decide, sent } = setUp([yes])
    await decide(long)
    await decide(long)
    assert.equal(sent.length, 2)
  }
})

test('temporary failures are retried with backoff, five times in all', async () => {
  for (const passing of [
    new Response('', { status: 500 }),
    new Response('', { status: 429 }),
    new Response('', { status: 504 }),
    new Response('', { status: 503, headers: { 'retry-after': '1' } }),
    Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
  ]) {
    const { decide, clock, sent } = setUp([passing, passing, yes])
    const decision = decide()
    await waitFor(() => clock.pending === 1)
    clock.advance(600)
    await waitFor(() => clock.pending === 1)
    assert.equal(sent.length, 2)
    clock.advance(749)
    assert.equal(clock.pending, 1)
    clock.advance(151)
    assert.deepEqual(await decision, allow)
    assert.equal(sent.length, 3)
  }
  const { decide, clock, sent } = setUp([new Response('', { status: 500 })])
  const decision = decide()
  for (const _ of [1, 2, 3, 4]) {
    await waitFor(() => clock.pending === 1)
    clock.advance(2_100)
  }
  assert.deepEqual(await decision, failure('an error on the server ("") has prevented the request from succeeding'))
  assert.equal(sent.length, 5)
})

async function waitFor(condition: () => boolean): Promise<void> {
  await eventually('the condition', async () => condition())
  // An attempt in progress has a timer too, for its timeout: wait until it has ended.
  for (let turns = 0; turns < 50; turns++) await turn()
  assert.ok(condition())
}

test('an unreachable service is not called for a while', async () => {
  const { decide, clock, sent } = setUp([...Array.from({ length: 6 }, () => new Error('down')), yes])
  for (const _ of [1, 2, 3, 4, 5]) await decide()
  assert.equal(sent.length, 5)
  assert.deepEqual(await decide(), failure(`${post}not sent: the circuit breaker is open after repeated failures`))
  assert.equal(sent.length, 5)
  clock.advance(5_000)
  const probes = await Promise.all(['a', 'b', 'c'].map((name) => decide({ ...request, name })))
  assert.equal(sent.length, 6)
  assert.ok(probes.every(({ error }) => error !== undefined))
  clock.advance(5_000)
  assert.deepEqual(await decide(), allow)
  assert.deepEqual(await decide({ ...request, name: 'd' }), allow)
})

const system = { ...request, namespace: 'kube-system' }
const rows: readonly (readonly [expressions: string[], attributes: Attributes, outcome: boolean | RegExp])[] = [
  [["request.user == 'jane'"], request, true],
  [["request.user == 'john'"], request, false],
  [["'dev' in request.groups", "!('system:masters' in request.groups)"], request, true],
  [['has(request.resourceAttributes)'], request, true],
  [['has(request.resourceAttributes)'], onPath('jane', 'get', '/x'), false],
  [['has(request.nonResourceAttributes)'], onPath('jane', 'get', '/x'), true],
  [["request.resourceAttributes.namespace == 'kube-system'"], system, true],
  [["request.resourceAttributes.namespace == 'kube-system'"], request, false],
  [["request.resourceAttributes.namespace == 'kube-system'"], onPath('jane', 'get', '/x'), /no such key: resourceAttributes/],
  [["request.?resourceAttributes.namespace.orValue('') == ''"], onPath('jane', 'get', '/x'), true],
  [["request.resourceAttributes.subresource == ''"], request, true],
  [["request.uid == '' && size(request.extra) == 0"], request, true],
  [["request.nonResourceAttributes.path.startsWith('/x')", 'false'], request, false],
  [
    ["request.nonResourceAttributes.path == '/x'", "request.nonResourceAttributes.verb == 'get'"],
    request,
    /^\[cel evaluation error.*, cel/,
  ],
  [["request.user.matches('^j.*e$')"], request, true],
  [["request.user.matches('(a+)+$')"], { ...request, user: userOf(`${'a'.repeat(5_000)}!`) }, false],
  [["request.user.matches('(' + request.uid)"], request, /cel evaluation error: expression/],
  [
    ["request.resourceAttributes.labelSelector.requirements.exists(r, r.key == 'a' && 'b' in r.values)"],
    { ...request, labelSelector: 'a=b' },
    true,
  ],
  [["request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == 'a')"], request, /no such key: fieldSelector/],
  [['has(request.resourceAttributes.fieldSelector)'], request, false],
]

test(`${rows.length} match conditions`, async () => {
  for (const [expressions, attributes, outcome] of rows) {
    const conditions = compileMatchConditions(expressions, (index, message) => assert.fail(`${expressions[index]}: ${message}`))
    assert.ok(conditions)
    for (const onFailure of ['no-opinion', 'deny'] as const) {
      const { decide, sent } = setUp([yes], { conditions, onFailure })
      const decision = await decide(attributes)
      assert.equal(sent.length, outcome === true ? 1 : 0, expressions.join())
      if (outcome === true) assert.deepEqual(decision, allow)
      else if (outcome === false) assert.deepEqual(decision, { verdict: 'no-opinion', reason: '' }, expressions.join())
      else {
        assert.equal(decision.verdict, onFailure)
        assert.match(decision.error ?? '', outcome)
      }
    }
  }
})

test('match conditions pause, so that other requests run meanwhile', async () => {
  let pauses = 0
  let time = 0
  const pause = async () => void pauses++
  const clock = { now: () => 0, monotonic: () => (time += 3), after: () => () => {}, pause }
  const conditions = compileMatchConditions(["request.resourceAttributes.name.matches('(a?){50}a{50}b')"], () => assert.fail())
  const { decide, sent } = setUp([yes], { ...(conditions && { conditions }) }, clock)
  const decision = await decide({ ...request, name: `${'a'.repeat(20)}c`.repeat(3_000) })
  assert.deepEqual([decision, sent.length], [{ verdict: 'no-opinion', reason: '' }, 0])
  assert.ok(pauses > 1, `${pauses} pauses`)
})

test('invalid match conditions', () => {
  const problems: string[] = []
  const expressions = ['request.user', 'request.user ==', 'nobody', 'request.colour', "request.user == 'x'", 'request.user.matches(1)', '1']
  compileMatchConditions(expressions, (index, message) => problems.push(`${index} ${message}`))
  assert.deepEqual(problems, [
    '0 must evaluate to bool but got string',
    "1 compilation failed: ERROR: <input>:1:16: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | request.user ==\n | ...............^",
    "2 compilation failed: ERROR: <input>:1:1: undeclared reference to 'nobody' (in container '')\n | nobody\n | ^",
    "3 compilation failed: ERROR: <input>:1:8: undefined field 'colour'\n | request.colour\n | .......^",
    "5 compilation failed: ERROR: <input>:1:21: found no matching overload for 'matches' applied to 'string.(int)'\n | request.user.matches(1)\n | ....................^",
    '6 must evaluate to bool but got int',
  ])
  assert.equal(
    compileMatchConditions([], () => assert.fail()),
    undefined,
  )
})

test('rules can not be listed', () => {
  const rules = setUp([yes]).authorizer.rulesFor?.(userOf('x'), 'dev')
  assert.deepEqual([rules?.incomplete, rules?.evaluationError], [true, 'webhook authorizer does not support user rule resolution'])
})
