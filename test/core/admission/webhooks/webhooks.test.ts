/** Admission webhooks as clients see them. The webhooks are functions here; in test/e2e they are separate processes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { eventually } from '../../../support/wait.ts'
import { type Answer, patch, type Review, rule, startWithWebhooks, type TestObject, webhook } from './webhook-harness.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string, more: object = {}) => ({ metadata: { name, ...more }, data: { from: 'client' } })
const dataOf = (object: TestObject | null) => (object?.['data'] ?? {}) as { readonly [key: string]: string }
const allow = { allowed: true }
const addData = (key: string, value: string) => patch({ op: 'add', path: `/data/${key}`, value })

test('mutating webhooks run one after the other, validating ones see the result', async (t) => {
  const hooks = await startWithWebhooks(t, {
    first: ({ request }) => (request.operation === 'DELETE' ? allow : addData('first', '1')),
    second: ({ request }) => (request.operation === 'DELETE' ? allow : addData('second', String(dataOf(request.object)['first']))),
  })
  await hooks.mutating('b', webhook('second'))
  await hooks.mutating('a', webhook('first'))
  await hooks.validating('v', webhook('check'))
  const { code, body } = await hooks.send('POST', configMaps, configMap('c'))
  assert.equal(code, 201)
  const data = { from: 'client', first: '1', second: '1' }
  assert.deepEqual(body['data'], data)
  const check = hooks.reviews.find(({ name }) => name === 'check')
  assert.deepEqual(check?.review.request.object?.['data'], data)
  assert.deepEqual(hooks.asked(), ['first CREATE', 'second CREATE', 'check CREATE'])
  await hooks.send('DELETE', `${configMaps}/c`)
  assert.deepEqual(hooks.asked(), ['first DELETE', 'second DELETE', 'check DELETE'])
})

test('an AdmissionReview contains everything about the request', async (t) => {
  const hooks = await startWithWebhooks(t, {})
  await hooks.validating('v', webhook('v1'), webhook('beta', { admissionReviewVersions: ['v2', 'v1beta1'] }))
  await hooks.send('POST', `${configMaps}?fieldManager=me&dryRun=All`, configMap('c'))
  const [first, second] = hooks.reviews.splice(0)
  const { uid, object, ...request } = first?.review.request ?? ({} as Review['request'])
  assert.match(uid, /^[0-9a-f-]{36}$/)
  assert.deepEqual(
    { kind: first?.review.kind, apiVersion: first?.review.apiVersion, other: second?.review.apiVersion },
    { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', other: 'admission.k8s.io/v1beta1' },
  )
  assert.equal(first?.url, 'https://hooks.example.com/v1?timeout=10s')
  const { managedFields, uid: own, creationTimestamp, ...metadata } = object?.metadata ?? {}
  assert.ok(Array.isArray(managedFields) && own && creationTimestamp, 'a validating webhook sees the object as it will be stored')
  assert.deepEqual(
    { ...object, metadata },
    { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'c', namespace: 'default' }, data: { from: 'client' } },
  )
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' }
  const resource = { group: '', version: 'v1', resource: 'configmaps' }
  assert.deepEqual(request, {
    kind,
    resource,
    requestKind: kind,
    requestResource: resource,
    name: 'c',
    namespace: 'default',
    operation: 'CREATE',
    userInfo: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
    oldObject: null,
    dryRun: true,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me', dryRun: ['All'] },
  })
})

test('a webhook call ends with the deadline of the request', async (t) => {
  let answered: Promise<object> | undefined
  const hang = () => (answered = new Promise<object>((resolve) => setTimeout(() => resolve({ allowed: true }), 500)))
  const hooks = await startWithWebhooks(t, { hang })
  await hooks.mutating('m', webhook('quick'), webhook('patient', { timeoutSeconds: 30 }), webhook('hasty', { timeoutSeconds: 1 }))
  await hooks.send('POST', `${configMaps}?timeout=4s`, configMap('c'))
  assert.deepEqual(
    hooks.reviews.splice(0).map(({ url }) => url.replace(/.*\//, '')),
    ['quick?timeout=4s', 'patient?timeout=4s', 'hasty?timeout=1s'],
  )
  await hooks.validating('v', webhook('hang', { timeoutSeconds: 30, failurePolicy: 'Ignore' }))
  await eventually('the webhook', async () => {
    await hooks.send('POST', `${configMaps}?dryRun=All`, configMap('first'))
    return hooks.asked().includes('hang CREATE')
  })
  const { code, message } = await hooks.send('POST', `${configMaps}?timeout=100ms`, configMap('late'))
  assert.equal(code, 504, message)
  await answered
  await hooks.unregister('validating', 'v')
  const { code: found } = await hooks.send('GET', `${configMaps}/late`)
  assert.equal(found, 404, 'nothing is stored after the deadline')
})

test('connect requests are submitted with their options', async (t) => {
  const hooks = await startWithWebhooks(t, {
    gate: ({ request }) => ({ allowed: request['subResource'] !== 'attach', status: { message: 'no attaching' } }),
  })
  const rules = [{ ...rule('*/*', ['CONNECT']) }]
  await hooks.validating('v', webhook('gate', { rules }))
  const pods = '/api/v1/namespaces/default/pods'
  const exec = await hooks.send('POST', `${pods}/web/exec?command=ls&command=-l&stdin=1&tty=false&container=main`)
  assert.equal(exec.code, 404, 'the pod is looked up after admission')
  const [{ request }] = hooks.reviews.splice(0).map(({ review }) => review) as [Review]
  const { uid: _uid, userInfo: _userInfo, ...asked } = request
  const kind = { group: '', version: 'v1', kind: 'PodExecOptions' }
  const resource = { group: '', version: 'v1', resource: 'pods' }
  assert.deepEqual(asked, {
    kind,
    resource,
    subResource: 'exec',
    requestKind: kind,
    requestResource: resource,
    requestSubResource: 'exec',
    name: 'web',
    namespace: 'default',
    operation: 'CONNECT',
    object: { kind: 'PodExecOptions', apiVersion: 'v1', stdin: true, container: 'main', command: ['ls', '-l'] },
    oldObject: null,
    dryRun: false,
    options: null,
  })
  await hooks.send('GET', `${pods}/web/portforward?ports=80&ports=443`)
  await hooks.send('DELETE', `${pods}/web:8080/proxy/a/b/?x=1`)
  await hooks.send('GET', '/api/v1/nodes/n/proxy')
  assert.deepEqual(
    hooks.reviews.splice(0).map(({ review }) => review.request.object as object),
    [
      { kind: 'PodPortForwardOptions', apiVersion: 'v1', ports: [80, 443] },
      { kind: 'PodProxyOptions', apiVersion: 'v1', path: '/a/b/' },
      { kind: 'NodeProxyOptions', apiVersion: 'v1' },
    ],
  )
  const { code, message } = await hooks.send('POST', `${pods}/web/attach`)
  assert.deepEqual([code, message], [400, 'admission webhook "gate.example.com" denied the request: no attaching'])
  assert.equal((await hooks.send('POST', `${pods}/web/portforward?ports=x`)).code, 400)
})

test('a refusal has the Status of the webhook', async (t) => {
  const refusals: readonly (readonly [answer: object, code: number, message: string, reason?: string])[] = [
    [{ allowed: false }, 400, 'admission webhook "v.example.com" denied the request without explanation'],
    [{ allowed: false, status: { message: 'no' } }, 400, 'admission webhook "v.example.com" denied the request: no'],
    [{ allowed: false, status: { reason: 'Tired' } }, 400, 'admission webhook "v.example.com" denied the request: Tired', 'Tired'],
    [
      { allowed: false, status: { message: 'no', code: 418, reason: 'Teapot' } },
      418,
      'admission webhook "v.example.com" denied the request: no',
      'Teapot',
    ],
    [
      { allowed: false, status: { message: 'no', code: 200, status: 'Success' } },
      400,
      'admission webhook "v.example.com" denied the request: no',
    ],
    [{ status: { message: 'silent' } }, 400, 'admission webhook "v.example.com" denied the request: silent'],
    // In a built-in Response; a listener sends the code itself.
    [{ allowed: false, status: { message: 'odd', code: 700 } }, 500, 'admission webhook "v.example.com" denied the request: odd'],
    ...[1_000, 99_999, 2_147_483_647].map(
      (code) =>
        [{ allowed: false, status: { message: 'odd', code } }, 500, 'admission webhook "v.example.com" denied the request: odd'] as const,
    ),
    ...[-2_147_483_648, -1, 0, 1, 99, 100, 101, 204, 304, 399].map(
      (code) =>
        [{ allowed: false, status: { message: 'odd', code } }, 400, 'admission webhook "v.example.com" denied the request: odd'] as const,
    ),
  ]
  let answer: object = {}
  const hooks = await startWithWebhooks(t, { v: () => answer })
  await hooks.validating('v', webhook('v'))
  for (const [given, code, message, reason] of refusals) {
    answer = given
    const refused = await hooks.send('POST', configMaps, configMap('c'))
    assert.deepEqual([refused.code, refused.message, refused.body.reason, refused.body['status']], [code, message, reason, 'Failure'])
  }
  const details = { name: 'c', causes: [{ reason: 'FieldValueInvalid', field: 'data', message: 'wrong' }], retryAfterSeconds: 3 }
  answer = { allowed: false, status: { message: 'no', details } }
  assert.deepEqual((await hooks.send('POST', configMaps, configMap('c'))).body.details, details)
})

const failed = (why: string) => `Internal error occurred: failed calling webhook "w.example.com": ${why}`

/** Unusable responses, and the error messages of kube-apiserver. */
const unusable: readonly (readonly [what: string, answer: (review: Review) => Answer, message: string | RegExp])[] = [
  [
    '500',
    () => new Response('broken', { status: 500 }),
    failed('failed to call webhook: an error on the server ("broken") has prevented the request from succeeding'),
  ],
  ['404', () => new Response('', { status: 404 }), failed('failed to call webhook: the server could not find the requested resource')],
  ['302', () => new Response('', { status: 302 }), /the server responded with the status code 302/],
  ['no JSON', () => new Response('<html>'), /failed to call webhook: couldn't get version\/kind; json parse error: /],
  [
    'an array',
    () => Response.json([]),
    /: couldn't get version\/kind; json parse error: json: cannot unmarshal array into Go value of type /,
  ],
  [
    'no response',
    ({ kind, apiVersion }) => Response.json({ kind, apiVersion }),
    failed('received invalid webhook response: webhook response was absent'),
  ],
  [
    'another uid',
    () => ({ uid: 'other', allowed: true }),
    /received invalid webhook response: expected response\.uid="[0-9a-f-]{36}", got "other"$/,
  ],
  [
    'no uid',
    ({ kind, apiVersion }) => Response.json({ kind, apiVersion, response: { allowed: true } }),
    /expected response\.uid=.*, got ""$/,
  ],
  [
    'another kind',
    ({ apiVersion, request: { uid } }) => Response.json({ kind: 'Other', apiVersion, response: { uid, allowed: true } }),
    /failed to call webhook: no kind "Other" is registered for version "admission\.k8s\.io\/v1" in scheme /,
  ],
  [
    'wrong types',
    () => ({ allowed: 'yes' }),
    failed('failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool'),
  ],
  [
    'a connection that breaks',
    () => Promise.reject(new Error('socket hang up')),
    /failed to call webhook: Post "https:\/\/hooks\.example\.com\/w\?timeout=10s": socket hang up$/,
  ],
]

const unusablePatches: typeof unusable = [
  [
    'patch without type',
    () => ({ allowed: true, patch: 'W10=' }),
    failed('received invalid webhook response: webhook returned response.patch but not response.patchType'),
  ],
  [
    'type without patch',
    () => ({ allowed: true, patchType: 'JSONPatch' }),
    failed('received invalid webhook response: webhook returned response.patchType but not response.patch'),
  ],
  ['another type', () => ({ allowed: true, patch: 'W10=', patchType: 'Merge' }), failed('unsupported patch type "Merge"')],
  [
    'no content',
    () => new Response(''),
    failed('failed to call webhook: 0-length response with status code: 200 and content type: text/plain;charset=UTF-8'),
  ],
  [
    'a Status',
    () => Response.json({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'broken' }, { status: 500 }),
    failed('failed to call webhook: broken'),
  ],
  ['no base64', () => ({ allowed: true, patch: '***', patchType: 'JSONPatch' }), /failed calling webhook/],
  ['no list', () => ({ allowed: true, patch: btoa('{}'), patchType: 'JSONPatch' }), /received undecodable patch in webhook response/],
]

test('a response may be YAML', async (t) => {
  const text = ({ kind, apiVersion, request: { uid } }: Review) =>
    `kind: ${kind}\napiVersion: ${apiVersion}\nresponse:\n  uid: ${uid}\n  allowed: false\n  status: {message: not here}\n`
  const hooks = await startWithWebhooks(t, { w: (review) => new Response(text(review)) })
  await hooks.validating('yaml', webhook('w'))
  const refused = await hooks.send('POST', configMaps, configMap('c'))
  assert.deepEqual([refused.code, refused.message], [400, 'admission webhook "w.example.com" denied the request: not here'])
})

/** Patches that can't be applied, and what answers say about them. */
const inapplicable: readonly (readonly [operation: object, message: string])[] = [
  [{ op: 'test', path: '/data/a', value: 'x' }, 'testing value /data/a failed: test failed'],
  [{ op: 'x', path: '/data' }, 'Unexpected kind: x'],
  [{ op: 'add', value: 1 }, 'add operation failed to decode path: missing value'],
  [{ op: 'replace', value: 1 }, 'replace operation failed to decode path: operation missing path field: missing value'],
  [{ op: 'add', path: '/spec/a/b', value: 1 }, 'add operation does not apply: doc is missing path: "/spec/a/b": missing value'],
  [{ op: 'remove', path: '/data/none' }, "error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value"],
  [{ op: 'replace', path: '/none/a', value: 1 }, 'replace operation does not apply: doc is missing path: /none/a: missing value'],
  [{ op: 'move', path: '/data/b' }, 'move operation failed to decode from: operation, missing from field: missing value'],
  [
    { op: 'move', from: '/data/none', path: '/data/b' },
    "error in move for path: 'none': Unable to remove nonexistent key: none: missing value",
  ],
  [{ op: 'copy', from: '/none/a', path: '/data/b' }, 'copy operation does not apply: doc is missing from path: /none/a: missing value'],
  [
    { op: 'add', path: '/metadata/managedFields/x', value: 1 },
    `error in add for path: '/metadata/managedFields/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
  ],
  [
    { op: 'remove', path: '/metadata/managedFields/7' },
    "error in remove for path: '/metadata/managedFields/7': Unable to access invalid index: 7: invalid index referenced",
  ],
  [{ op: 'add', path: '/kind', value: 'Namespace' }, 'converting (v1.Namespace) to (core.ConfigMap): unknown conversion'],
]

test('a patch that can not be applied is named in the answer', async (t) => {
  let operation: object = {}
  const hooks = await startWithWebhooks(t, {
    w: () => ({ allowed: true, patchType: 'JSONPatch', patch: btoa(JSON.stringify([operation])) }),
  })
  await hooks.mutating('strict', webhook('w'))
  for (const [given, message] of inapplicable) {
    operation = given
    const refused = await hooks.send('POST', configMaps, { ...configMap('c'), data: { a: '1' } })
    assert.equal(refused.message, `Internal error occurred: ${message}`)
  }
})

for (const phase of ['mutating', 'validating'] as const) {
  test(`an unusable response of a ${phase} webhook is handled by its failure policy`, async (t) => {
    let answer: (review: Review) => Answer = () => ({ allowed: true })
    const hooks = await startWithWebhooks(t, { w: (review) => answer(review) })
    const rows = phase === 'mutating' ? [...unusable, ...unusablePatches] : unusable
    await hooks[phase]('strict', webhook('w'))
    for (const [what, given, message] of rows) {
      answer = given
      const refused = await hooks.send('POST', configMaps, configMap('c'))
      assert.equal(refused.code, 500, what)
      if (typeof message === 'string') assert.equal(refused.message, message, what)
      else assert.match(refused.message, message, what)
    }
    await hooks.unregister(phase, 'strict')
    await hooks[phase]('lenient', webhook('w', { failurePolicy: 'Ignore' }))
    for (const [index, [what, given]] of rows.entries()) {
      answer = given
      const passed = await hooks.send('POST', configMaps, configMap(`c${index}`))
      assert.equal(passed.code, 201, `${what}: ${passed.message}`)
    }
  })
}

test('a validating webhook may not patch', async (t) => {
  const hooks = await startWithWebhooks(t, { v: () => addData('a', 'b') })
  await hooks.validating('v', webhook('v'))
  const { code, message } = await hooks.send('POST', configMaps, configMap('c'))
  assert.deepEqual(
    [code, message],
    [
      500,
      'Internal error occurred: failed calling webhook "v.example.com": received invalid webhook response: validating webhook may not return response.patch',
    ],
  )
})

/** Patches that are refused whatever the failure policy. */
const impossible: readonly (readonly [what: string, operations: object[], code: number])[] = [
  ['a path that does not exist', [{ op: 'replace', path: '/spec/x', value: 1 }], 500],
  ['a wrong type', [{ op: 'replace', path: '/data', value: 'text' }], 500],
  ['another kind', [{ op: 'replace', path: '/kind', value: 'Secret' }], 500],
  ['another version', [{ op: 'replace', path: '/apiVersion', value: 'v2' }], 500],
  ['no object', [{ op: 'replace', path: '', value: 7 }], 500],
  ['another namespace', [{ op: 'replace', path: '/metadata/namespace', value: 'kube-system' }], 400],
  ['an invalid label', [{ op: 'add', path: '/metadata/labels', value: { 'not a label!': 'x' } }], 422],
]

test('an invalid patch stores nothing, whatever the failure policy', async (t) => {
  let operations: object[] = []
  const hooks = await startWithWebhooks(t, { m: () => patch(...operations) })
  await hooks.mutating('m', webhook('m', { failurePolicy: 'Ignore', rules: [rule('configmaps', ['CREATE', 'UPDATE'])] }))
  const stored = await hooks.send('POST', configMaps, configMap('kept'))
  assert.equal(stored.code, 201)
  for (const [what, given, code] of impossible) {
    operations = given
    const created = await hooks.send('POST', configMaps, configMap('c'))
    assert.equal(created.code, code, `${what}: ${created.message}`)
    assert.equal((await hooks.send('GET', `${configMaps}/c`)).code, 404)
    assert.ok((await hooks.send('PATCH', `${configMaps}/kept`, { data: { more: 'x' } })).code >= 400, what)
  }
  operations = [{ op: 'replace', path: '/metadata/name', value: 'other' }]
  assert.equal((await hooks.send('PATCH', `${configMaps}/kept`, { data: { more: 'x' } })).code, 400)
  operations = []
  assert.deepEqual((await hooks.send('GET', `${configMaps}/kept`)).body['data'], { from: 'client' })
})

test('a webhook may not patch a deleted object', async (t) => {
  const hooks = await startWithWebhooks(t, { m: ({ request }) => (request.operation === 'DELETE' ? addData('a', 'b') : {}) })
  await hooks.send('POST', configMaps, configMap('c'))
  await hooks.mutating('m', webhook('m', { rules: [rule('configmaps', ['DELETE'])] }))
  const { code, message } = await hooks.send('DELETE', `${configMaps}/c`)
  assert.deepEqual(
    [code, message],
    [
      500,
      'Internal error occurred: admission webhook "m.example.com" attempted to modify the object, which is not supported for this operation',
    ],
  )
})

test('rules match operation, group, version, resource, subresource and scope', async (t) => {
  const hooks = await startWithWebhooks(t, {})
  const all = (more: object) => ({ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], ...more })
  await hooks.validating(
    'v',
    webhook('status', { rules: [all({ resources: ['pods/status'] })] }),
    webhook('below', { rules: [all({ resources: ['pods/*'] })] }),
    webhook('plain', { rules: [all({ resources: ['*'] })] }),
    webhook('everything', { rules: [all({ resources: ['*/*'] })] }),
    webhook('cluster', { rules: [all({ scope: 'Cluster' })] }),
    webhook('namespaced', { rules: [all({ scope: 'Namespaced' })] }),
    webhook('updates', { rules: [all({ operations: ['UPDATE'] })] }),
    webhook('apps', { rules: [all({ apiGroups: ['apps'] })] }),
  )
  const names = () =>
    hooks
      .asked()
      .map((text) => text.split(' ')[0])
      .sort()
  const pods = '/api/v1/namespaces/default/pods'
  const spec = { containers: [{ name: 'c', image: 'i' }], serviceAccountName: 'default', automountServiceAccountToken: false }
  const server = hooks.send
  assert.equal((await server('POST', '/api/v1/namespaces', { metadata: { name: 'n' } })).code, 201)
  assert.deepEqual(names(), ['cluster', 'everything', 'plain'], 'a namespace is cluster-scoped')
  await server('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } })
  names()
  const pod = await server('POST', pods, { metadata: { name: 'p' }, spec })
  assert.equal(pod.code, 201, pod.message)
  assert.deepEqual(names(), ['below', 'everything', 'namespaced', 'plain'])
  await server('PATCH', `${pods}/p/status`, { status: { message: 'x' } })
  assert.deepEqual(names(), ['below', 'everything', 'status'])
  await server('PATCH', `${pods}/p`, { metadata: { labels: { a: 'b' } } })
  assert.deepEqual(names(), ['below', 'everything', 'namespaced', 'plain', 'updates'])
})

test('selectors match labels of the namespace, and of the old or the new object', async (t) => {
  const hooks = await startWithWebhooks(t, {})
  const rules = [rule(), rule('namespaces'), rule('nodes')]
  await hooks.validating(
    'v',
    webhook('team', { rules, namespaceSelector: { matchLabels: { team: 'a' } } }),
    webhook('marked', { rules, objectSelector: { matchExpressions: [{ key: 'marked', operator: 'Exists' }] } }),
  )
  await hooks.send('POST', '/api/v1/namespaces', { metadata: { name: 'ours', labels: { team: 'a' } } })
  await hooks.send('POST', '/api/v1/namespaces', { metadata: { name: 'theirs', labels: { team: 'b' } } })
  assert.deepEqual(hooks.asked(), ['team CREATE'], 'a created namespace is matched by its own labels')
  await hooks.send('POST', '/api/v1/namespaces/ours/configmaps', configMap('c'))
  await hooks.send('POST', '/api/v1/namespaces/theirs/configmaps', configMap('c', { labels: { marked: '' } }))
  assert.deepEqual(hooks.asked(), ['team CREATE', 'marked CREATE'])
  await hooks.send('PATCH', '/api/v1/namespaces/theirs/configmaps/c', { metadata: { labels: null } })
  assert.deepEqual(hooks.asked(), ['marked UPDATE'], 'the old object matches')
  await hooks.send('POST', '/api/v1/nodes', { metadata: { name: 'n' } })
  assert.deepEqual(hooks.asked(), ['team CREATE'], 'cluster-scoped objects always match')
})

test('matchPolicy: requests in other versions are converted to the version in the rules, and back', async (t) => {
  const hooks = await startWithWebhooks(t, { m: () => patch({ op: 'add', path: '/note', value: 'from the webhook' }) })
  const events = rule('events', ['CREATE'], ['events.k8s.io'])
  await hooks.mutating('m', webhook('m', { rules: [events] }))
  await hooks.validating('v', webhook('exact', { rules: [events], matchPolicy: 'Exact' }), webhook('equivalent', { rules: [events] }))
  const event = {
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    reason: 'r',
    message: 'x',
    type: 'Normal',
  }
  const made = await hooks.send('POST', '/api/v1/namespaces/default/events', event)
  assert.equal(made.code, 201, made.message)
  assert.equal(made.body['message'], 'from the webhook')
  const { request } = hooks.reviews[0]!.review
  assert.deepEqual(
    [
      request['kind'],
      request['requestKind'],
      request.object?.apiVersion,
      (request.object as unknown as { regarding: { name: string } }).regarding.name,
    ],
    [{ group: 'events.k8s.io', version: 'v1', kind: 'Event' }, { group: '', version: 'v1', kind: 'Event' }, 'events.k8s.io/v1', 'p'],
  )
  assert.deepEqual(hooks.asked(), ['m CREATE', 'equivalent CREATE'])
})

test('match conditions see the request, its objects and the authorizer', async (t) => {
  const hooks = await startWithWebhooks(t, {})
  const when = (name: string, ...expressions: string[]) =>
    webhook(name, { matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })) })
  await hooks.validating(
    'v',
    when('named', "request.name.startsWith('a')", "object.data.from == 'client'"),
    when('other', "request.userInfo.username == 'somebody else'"),
    when('allowed', "authorizer.group('').resource('pods').namespace('default').check('create').allowed()"),
    when('own', "authorizer.requestResource.check('create').allowed()"),
    when('old', 'oldObject == null'),
  )
  await hooks.send('POST', configMaps, configMap('a1'))
  assert.deepEqual(hooks.asked(), ['named CREATE', 'allowed CREATE', 'own CREATE', 'old CREATE'])
  await hooks.send('POST', configMaps, configMap('b1'))
  assert.deepEqual(hooks.asked(), ['allowed CREATE', 'own CREATE', 'old CREATE'])
})

test('a failing match condition is handled by the failure policy, unless another one is false', async (t) => {
  const hooks = await startWithWebhooks(t, {})
  const broken = { name: 'broken', expression: "object.data.missing == 'x'" }
  const never = { name: 'never', expression: 'false' }
  await hooks.validating('ignoring', webhook('ignoring', { failurePolicy: 'Ignore', matchConditions: [broken] }))
  await hooks.validating('skipped', webhook('skipped', { matchConditions: [broken, never] }))
  assert.equal((await hooks.send('POST', configMaps, configMap('a'))).code, 201)
  await hooks.validating('strict', webhook('strict', { matchConditions: [broken] }))
  const { code, message } = await hooks.send('POST', configMaps, configMap('c'))
  assert.deepEqual(
    [code, message],
    [403, `configmaps "c" is forbidden: expression 'object.data.missing == 'x'' resulted in error: no such key: missing`],
  )
  assert.deepEqual(hooks.asked(), [])
})

test('reinvocationPolicy IfNeeded: a webhook called before a change is called again, once', async (t) => {
  const hooks = await startWithWebhooks(t, {
    once: () => addData('once', '1'),
    again: ({ request }) => {
      const { late, seen } = dataOf(request.object)
      return late && !seen ? addData('seen', late) : allow
    },
    late: ({ request }) => (dataOf(request.object)['late'] ? allow : addData('late', '1')),
  })
  await hooks.mutating(
    'a',
    webhook('once'),
    webhook('again', { reinvocationPolicy: 'IfNeeded' }),
    webhook('late', { reinvocationPolicy: 'IfNeeded' }),
  )
  const { body } = await hooks.send('POST', configMaps, configMap('c'))
  assert.deepEqual(body['data'], { from: 'client', once: '1', late: '1', seen: '1' })
  assert.deepEqual(hooks.asked(), ['once CREATE', 'again CREATE', 'late CREATE', 'again CREATE', 'late CREATE'])
})

test('a patch that changes nothing is a change to an object with managed fields of this request, as in the reference', async (t) => {
  const idle = () => patch({ op: 'replace', path: '/data/from', value: 'client' })
  const hooks = await startWithWebhooks(t, { idle, more: idle })
  await hooks.mutating('a', webhook('first', { reinvocationPolicy: 'IfNeeded' }), webhook('idle'))
  await hooks.mutating('b', webhook('second', { reinvocationPolicy: 'IfNeeded' }), webhook('more'))
  await hooks.send('POST', configMaps, configMap('c'))
  const { body } = await hooks.send('PUT', `${configMaps}/c`, configMap('c'))
  await hooks.send('PUT', `${configMaps}/c`, { ...body, data: { from: 'client', more: '1' } })
  assert.deepEqual(
    hooks.asked(),
    [
      ...['first CREATE', 'idle CREATE', 'second CREATE', 'more CREATE', 'first CREATE'],
      ...['first UPDATE', 'idle UPDATE', 'second UPDATE', 'more UPDATE'],
      ...['first UPDATE', 'idle UPDATE', 'second UPDATE', 'more UPDATE', 'first UPDATE'],
    ],
    'only the first patch of a write, and none of a write that changes nothing',
  )
})

test('built-in plugins run again after a webhook has changed the object', async (t) => {
  const hooks = await startWithWebhooks(
    t,
    { sidecar: () => patch({ op: 'add', path: '/spec/containers/-', value: { name: 'sidecar', image: 'i', imagePullPolicy: 'Never' } }) },
    { admissionPlugins: { enable: ['AlwaysPullImages'] } },
  )
  await hooks.send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } })
  await hooks.mutating('m', webhook('sidecar', { rules: [rule('pods', ['CREATE'])] }))
  const { code, body, message } = await hooks.send('POST', '/api/v1/namespaces/default/pods', {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  })
  assert.equal(code, 201, message)
  assert.deepEqual(
    (body['spec'] as { containers: { imagePullPolicy: string }[] }).containers.map(({ imagePullPolicy }) => imagePullPolicy),
    ['Always', 'Always'],
  )
})

test('a dry run calls only webhooks without side effects', async (t) => {
  const hooks = await startWithWebhooks(t, {})
  await hooks.validating('v', webhook('none'), webhook('unless', { sideEffects: 'NoneOnDryRun' }))
  assert.equal((await hooks.send('POST', `${configMaps}?dryRun=All`, configMap('c'))).code, 201)
  assert.deepEqual(hooks.asked(), ['none CREATE', 'unless CREATE'])
})

test('warnings are sent to the client', async (t) => {
  const hooks = await startWithWebhooks(t, {
    m: () => ({ allowed: true, warnings: ['mind the gap'] }),
    v: () => ({ allowed: false, warnings: ['and the edge'], status: { message: 'no' } }),
  })
  await hooks.mutating('m', webhook('m'))
  await hooks.validating('v', webhook('v'))
  const { warnings } = await hooks.send('POST', configMaps, configMap('c'))
  assert.deepEqual(warnings, ['299 - "mind the gap"', '299 - "and the edge"'])
})

test('configurations of webhooks and policies are never submitted to webhooks', async (t) => {
  const hooks = await startWithWebhooks(t, { v: () => ({ allowed: false }) })
  await hooks.validating('v', webhook('v', { rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }] }))
  assert.equal((await hooks.send('POST', configMaps, configMap('c'))).code, 400)
  assert.equal((await hooks.send('DELETE', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/v')).code, 200)
  assert.equal((await hooks.send('POST', configMaps, configMap('c'))).code, 201)
})

test('validating webhooks are called in parallel, mutating ones in sequence', async (t) => {
  let running = 0
  let most = 0
  const slow = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    return {}
  }
  const hooks = await startWithWebhooks(t, { a: slow, b: slow, c: slow })
  await hooks.mutating('m', webhook('a'), webhook('b'), webhook('c'))
  await hooks.send('POST', configMaps, configMap('one'))
  assert.equal(most, 1)
  await hooks.unregister('mutating', 'm')
  await hooks.validating('v', webhook('a'), webhook('b'), webhook('c'))
  await hooks.send('POST', configMaps, configMap('two'))
  assert.equal(most, 3)
})

test('metrics of webhook calls', async (t) => {
  const hooks = await startWithWebhooks(t, {
    no: () => ({ allowed: false, status: { code: 409 } }),
    broken: () => new Response('', { status: 500 }),
  })
  await hooks.validating('v', webhook('yes'), webhook('broken', { failurePolicy: 'Ignore' }))
  await hooks.send('POST', configMaps, configMap('c'))
  await hooks.validating('w', webhook('no'))
  await hooks.send('POST', configMaps, configMap('d'))
  const text = await (await hooks.api.get<string>('/metrics')).body
  const line = (pattern: string) => assert.match(text, new RegExp(`^apiserver_admission_${pattern}$`, 'm'))
  line('webhook_request_total\\{code="200",name="yes.example.com",operation="CREATE",rejected="false",type="validating"\\} 2')
  line('webhook_request_total\\{code="409",name="no.example.com",operation="CREATE",rejected="true",type="validating"\\} 1')
  line(
    'webhook_rejection_count\\{error_type="no_error",name="no.example.com",operation="CREATE",rejection_code="409",type="validating"\\} 1',
  )
  line('webhook_fail_open_count\\{name="broken.example.com",type="validating"\\} 2')
  line('webhook_admission_duration_seconds_count\\{name="yes.example.com",operation="CREATE",rejected="false",type="validating"\\} 2')
  const plugin = 'name="ValidatingAdmissionWebhook",operation="CREATE",rejected="true",type="validate"'
  line(`controller_admission_duration_seconds_count\\{${plugin}\\} 1`)
  line('step_admission_duration_seconds_count\\{operation="CREATE",rejected="true",type="validate"\\} 1')
  line('step_admission_duration_seconds_summary_count\\{operation="CREATE",rejected="true",type="validate"\\} 1')
  line('step_admission_duration_seconds_count\\{operation="CREATE",rejected="false",type="admit"\\} [0-9]+')
})

test('metrics of match conditions', async (t) => {
  const hooks = await startWithWebhooks(t, {})
  const matchConditions = [
    { name: 'fails', expression: 'object.data.none == "x"' },
    { name: 'false', expression: 'object.metadata.name == "d"' },
  ]
  await hooks.mutating('m', webhook('some', { matchConditions }))
  await hooks.send('POST', configMaps, configMap('c'))
  const text = await (await hooks.api.get<string>('/metrics')).body
  const labels = '\\{kind="webhook",name="some.example.com",operation="CREATE",type="admit"\\}'
  for (const name of ['evaluation_errors_total', 'exclusions_total', 'evaluation_seconds_count'])
    assert.match(text, new RegExp(`^apiserver_admission_match_condition_${name}${labels} 1$`, 'm'))
})

test('a configuration is in force on every server of the store within a second', async (t) => {
  const store = memoryStore()
  const [one, other] = await Promise.all([startWithWebhooks(t, {}, { store }), startWithWebhooks(t, {}, { store })])
  await one.validating('v', webhook('v', { rules: [rule('configmaps', ['CREATE'])] }))
  let count = 0
  const asked = async () => {
    await other.send('POST', configMaps, configMap(`c${count++}`))
    return other.asked().includes('v CREATE')
  }
  await eventually('the webhook on the other server', asked, 1_000)
})

test('an invalid match condition is refused when the configuration is created', async (t) => {
  const hooks = await startWithWebhooks(t, {})
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
  for (const [expression, problem] of [
    ['object.metadata.', /Invalid value: "object\.metadata\.": compilation failed: ERROR: /],
    ['nobody.name == "x"', /compilation failed: .*undeclared reference to 'nobody'/],
    ['1 + 1', /Invalid value: "1 \+ 1": must evaluate to bool but got int/],
    ['request.nothing == "x"', /undefined field 'nothing'/],
  ] as const) {
    const webhooks = [webhook('v', { matchConditions: [{ name: 'c', expression }] })]
    const { code, message } = await hooks.send('POST', path, { metadata: { name: 'v' }, webhooks })
    assert.equal(code, 422, expression)
    assert.match(message, /webhooks\[0\]\.matchConditions\[0\]\.expression: /)
    assert.match(message, problem)
  }
})
