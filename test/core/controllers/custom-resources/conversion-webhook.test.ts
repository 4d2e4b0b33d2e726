/** Conversion webhooks for custom resources: requests, allowed changes, and errors. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { define, definitionOf, definitionsPath, stored, versionOf, widget } from '../../../conformance/custom-resources.ts'
import type { Api, TestObject } from '../../../support/api.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'
import { readWatch, watchAt } from '../../../support/watch-reader.ts'

const group = 'hooks.example.com'
const at = (version: string, name = '') => `/apis/${group}/${version}/namespaces/default/widgets${name && `/${name}`}`

interface Review {
  readonly kind: string
  readonly apiVersion: string
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly TestObject[] }
}

type Answer = (review: Review) => unknown
type Change = (object: TestObject) => unknown

/** A valid response; `change` converts each object. */
const answering =
  (change: Change = (object) => object, more: object = {}): Answer =>
  ({ kind, apiVersion, request: { uid, desiredAPIVersion, objects } }) => ({
    kind,
    apiVersion,
    response: {
      uid,
      result: { status: 'Success' },
      convertedObjects: objects.map((object) => change({ ...object, apiVersion: desiredAPIVersion })),
      ...more,
    },
  })

interface Hook extends Api {
  readonly reviews: Review[]
  readonly urls: string[]
  answer: Answer
}

async function open(
  t: TestContext,
  reviewVersions: readonly string[] = ['v1'],
  clientConfig: object = { url: 'https://hook.example.com/convert' },
): Promise<Hook> {
  const reviews: Review[] = []
  const urls: string[] = []
  const { api } = await startInProcess(
    {
      outbound: {
        async fetch(request, options) {
          urls.push(`${request.url} ${options?.address ?? ''}`)
          const review = JSON.parse(await request.text()) as Review
          reviews.push(review)
          const answer = await hook.answer(review)
          return answer instanceof Response ? answer : new Response(typeof answer === 'string' ? answer : JSON.stringify(answer))
        },
        call: () => assert.fail('no calls by gRPC'),
      },
    },
    t,
  )
  const hook: Hook = { ...api, reviews, urls, answer: answering() }
  const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: reviewVersions, clientConfig } }
  await define(hook, definitionOf(group, { versions: [stored, versionOf('v2')], conversion }))
  return hook
}

for (const version of ['v1', 'v1beta1']) {
  test(`sends a ConversionReview of ${version}, in batches and once per object`, async (t) => {
    const hook = await open(t, ['v9', version])
    for (const name of ['a', 'b', 'c']) await hook.create(at('v1'), widget(group, name))
    assert.equal(hook.reviews.length, 0)
    hook.answer = answering((object) => ({ ...object, spec: { ...object.spec, size: 'large' } }))
    const list = await hook.list(at('v2'))
    assert.deepEqual(
      list.items.map(({ metadata, spec }) => [metadata.name, spec?.['size']]),
      ['a', 'b', 'c'].map((name) => [name, 'large']),
    )
    assert.equal(list.apiVersion, `${group}/v2`)
    const [review] = hook.reviews
    assert.deepEqual([hook.reviews.length, review?.kind, review?.apiVersion], [1, 'ConversionReview', `apiextensions.k8s.io/${version}`])
    assert.equal(review?.request.desiredAPIVersion, `${group}/v2`)
    assert.deepEqual(
      review?.request.objects.map(({ apiVersion, metadata }) => [apiVersion, metadata.name]),
      ['a', 'b', 'c'].map((name) => [`${group}/v1`, name]),
    )
    await hook.list(at('v2'))
    assert.equal(hook.reviews.length, 1)
    // As in the reference, a read of one object asks again.
    await hook.get(at('v2', 'a'))
    assert.equal(hook.reviews.length, 2)
  })
}

test('writes and watches in the other version', async (t) => {
  const hook = await open(t)
  hook.answer = answering(({ spec = {}, ...object }) => ({ ...object, spec: { ...spec, tags: [`from ${object.apiVersion.slice(-2)}`] } }))
  const watch = await watchAt(hook.fetch, at('v2'))
  const created = await hook.create(at('v2'), { ...widget(group, 'a'), apiVersion: `${group}/v2` })
  assert.deepEqual([created.apiVersion, created.spec], [`${group}/v2`, { size: 'small', weight: 3, tags: ['from v2'] }])
  assert.deepEqual((await hook.get(at('v1', 'a'))).body.spec, { size: 'small', weight: 3, tags: ['from v1'] })
  assert.deepEqual((await hook.patch(at('v2', 'a'), { spec: { weight: 4 } })).body.spec?.['weight'], 4)
  assert.deepEqual(
    [await watch.object(), await watch.object()].map(({ type, object }) => [type, object.apiVersion, object.spec?.['weight']]),
    [
      ['ADDED', `${group}/v2`, 3],
      ['MODIFIED', `${group}/v2`, 4],
    ],
  )
  await watch.close()
})

test('a read of one object shows what the webhook converts now, and an update begins from it', async (t) => {
  const hook = await open(t)
  await hook.create(at('v1'), widget(group, 'a'))
  const sized = (size: string) => answering(({ spec = {}, ...object }) => ({ ...object, spec: { ...spec, size } }))
  for (const size of ['medium', 'large', 'small']) {
    hook.answer = sized(size)
    assert.equal((await hook.get(at('v2', 'a'))).body.spec?.['size'], size)
  }
  hook.answer = () => new Response('gone', { status: 503 })
  assertFailureText(await hook.get(at('v2', 'a')))
  assert.equal((await hook.get(at('v1', 'a'))).status, 200)
})

test('a dry run in another version shows what a write would keep, and fails when the webhook fails', async (t) => {
  const hook = await open(t)
  const body = (name: string) => ({ ...widget(group, name, { size: 'small', weight: 5 }), apiVersion: `${group}/v2` })
  const kept = ({ spec: { weight: _lost, ...spec } = {}, ...object }: TestObject) => ({ ...object, spec: { ...spec, size: 'large' } })
  const apply = (path: string, object: object) =>
    hook.send<unknown>('PATCH', `${path}${path.includes('?') ? '&' : '?'}fieldManager=m&force=true`, object, {
      'content-type': 'application/apply-patch+yaml',
    })
  async function put(query: string) {
    const { metadata } = (await hook.get(at('v1', 'a'))).body
    return hook.send('PUT', `${at('v2', 'a')}${query}`, { ...body('a'), metadata, spec: { size: 'small', weight: 6 } })
  }
  const writes: readonly (readonly [what: string, write: (query: string) => Promise<{ status: number; body: unknown }>])[] = [
    ['create', (query) => hook.send('POST', `${at('v2')}${query}`, body('a'))],
    ['apply of an absent object', (query) => apply(`${at('v2', 'b')}${query}`, body('b'))],
    ['update', put],
    ['patch', (query) => hook.patch(`${at('v2', 'a')}${query}`, { spec: { weight: 7 } })],
    ['apply', (query) => apply(`${at('v2', 'a')}${query}`, { ...body('a'), spec: { size: 'small', weight: 8 } })],
  ]
  for (const [what, write] of writes) {
    hook.answer = () => new Response('gone', { status: 503 })
    assertFailureText(await write('?dryRun=All'))
    hook.answer = answering(kept)
    const dry = await write('?dryRun=All')
    const real = await write('')
    assert.ok(dry.status < 300 && dry.status === real.status, what)
    assert.deepEqual((dry.body as TestObject).spec, (real.body as TestObject).spec, what)
    assert.deepEqual((dry.body as TestObject).spec?.['size'], 'large', what)
  }
})

test('only labels and annotations of the metadata may change', async (t) => {
  const hook = await open(t)
  await hook.create(
    at('v1'),
    widget(group, 'a', { size: 'small' }, { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['example.com/f'] }),
  )
  hook.answer = answering(({ metadata, ...object }) => ({
    ...object,
    metadata: {
      name: metadata.name,
      namespace: metadata.namespace,
      uid: metadata.uid,
      labels: { new: 'label' },
      finalizers: [],
      generation: 77,
    },
  }))
  const { body } = await hook.get(at('v2', 'a'))
  const before = (await hook.get(at('v1', 'a'))).body.metadata
  const { annotations: _annotations, ...rest } = before
  assert.deepEqual(body.metadata, { ...rest, labels: { new: 'label' } })
})

test('watches of two versions get the metadata of their own version', async (t) => {
  const hook = await open(t)
  const { metadata } = await hook.list(at('v1'))
  hook.answer = answering((object) => ({ ...object, metadata: { ...object.metadata, labels: { version: object.apiVersion.slice(-2) } } }))
  const opening = ['v1', 'v2'].map(async (version) => {
    const query = new URLSearchParams({ watch: 'true', resourceVersion: metadata.resourceVersion })
    const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'
    const { body } = await hook.fetch(`${at(version)}?${query}`, { headers: { accept } })
    assert(body)
    const watch = readWatch(body, () => {})
    t.after(() => watch.close())
    return watch
  })
  const watches = await Promise.all(opening)
  await hook.create(at('v1'), widget(group, 'a', { size: 'small' }, { labels: { version: 'v1' } }))
  const seen = await Promise.all(watches.map((watch) => watch.object()))
  assert.deepEqual(
    seen.map(({ object }) => object.metadata.labels),
    [{ version: 'v1' }, { version: 'v2' }],
  )
})

const bad: readonly (readonly [what: string, answer: Answer, message: string | RegExp])[] = [
  ['another uid', answering(undefined, { uid: 'other' }), /failed: expected response.uid="[-0-9a-f]{36}", got "other"$/],
  ['no response', () => ({ kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1' }), 'failed: no response provided'],
  [
    'another kind',
    (review) => ({ ...(answering()(review) as object), kind: 'Review' }),
    'failed: no kind "Review" is registered for version "apiextensions.k8s.io/v1" in scheme "pkg/util/webhook/client.go:71"',
  ],
  ['a failure', answering(undefined, { result: { status: 'Failure', message: 'not today' } }), 'failed: not today'],
  [
    'a failure without message',
    answering(undefined, { result: { status: 'Failed' } }),
    "failed: response.result.status was 'Failed', not 'Success'",
  ],
  ['too few objects', answering(undefined, { convertedObjects: [] }), 'returned 0 objects, expected 1'],
  [
    'another version',
    answering((object) => ({ ...object, apiVersion: `${group}/v3` })),
    `returned invalid object at index 0: invalid groupVersion (expected ${group}/v2, received ${group}/v3)`,
  ],
  [
    'another kind of object',
    answering((object) => ({ ...object, kind: 'Gadget' })),
    'returned invalid object at index 0: invalid kind (expected Widget, received Gadget)',
  ],
  [
    'another name',
    answering(({ metadata, ...object }) => ({ ...object, metadata: { ...metadata, name: 'z' } })),
    'returned invalid object: must have the same name: a != z',
  ],
  [
    'another namespace',
    answering(({ metadata, ...object }) => ({ ...object, metadata: { ...metadata, namespace: 'z' } })),
    'returned invalid object: must have the same namespace: default != z',
  ],
  [
    'another object',
    answering(({ metadata, ...object }) => ({ ...object, metadata: { ...metadata, uid: 'z' } })),
    /returned invalid object: must have the same UID: [-0-9a-f]+ != z$/,
  ],
  ['no name', answering(({ metadata: _metadata, ...object }) => object), 'returned invalid object: must have the same name: a != '],
  [
    'invalid labels',
    answering(({ metadata, ...object }) => ({ ...object, metadata: { ...metadata, labels: { 'a b': 'c' } } })),
    /returned invalid metadata: metadata.labels: Invalid value: "a b": name part must consist of/,
  ],
  [
    'labels with numeric values',
    answering(({ metadata, ...object }) => ({ ...object, metadata: { ...metadata, labels: { a: 1 } } })),
    'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
  ],
  ['a string', () => 'surely', /failed: /],
  [
    'status 500',
    () => new Response('broken', { status: 500 }),
    'failed: an error on the server ("broken") has prevented the request from succeeding',
  ],
  [
    'a timeout',
    () => {
      throw new DOMException('late', 'TimeoutError')
    },
    'failed: Post "https://hook.example.com/convert?timeout=30s": context deadline exceeded',
  ],
  ['a response that is too large', () => new Response('x'.repeat(17 * 1024 * 1024)), /failed: .*the response has more than \d+ bytes$/],
]

const notObjects: readonly (readonly [converted: unknown, message: string])[] = [
  [3, 'json: cannot unmarshal number into Go value of type map[string]interface {}'],
  [null, 'unexpected end of JSON input'],
  [{}, "Object 'Kind' is missing in '{}'"],
]

test('invalid responses are reported, and other objects are served', async (t) => {
  const hook = await open(t)
  await hook.create(at('v1'), widget(group, 'a'))
  for (const [what, answer, message] of bad) {
    hook.answer = answer
    for (const path of [at('v2', 'a'), at('v2')]) {
      const { status, body } = await hook.get<{ message: string; reason?: string; code: number }>(path)
      assert.deepEqual([status, body.code, body.reason], [500, 500, undefined], what)
      const start = `conversion webhook for ${group}/v1, Kind=Widget `
      assert(body.message.startsWith(start), `${what}: ${body.message}`)
      const rest = body.message.slice(start.length)
      if (typeof message === 'string') assert.equal(rest, message, what)
      else assert.match(rest, message, what)
    }
    assert.equal((await hook.get(at('v1', 'a'))).status, 200, what)
    assert.equal((await hook.get('/api/v1/namespaces/default')).status, 200, what)
  }
  for (const [converted, message] of notObjects) {
    hook.answer = answering(() => converted)
    const { status, body } = await hook.get<{ message: string }>(at('v2', 'a'))
    assert.deepEqual([status, body.message], [500, message])
  }
  hook.answer = answering()
  assert.equal((await hook.get(at('v2', 'a'))).status, 200)
})

test('a response is read as by the reference: compressed, as YAML, with another content type', async (t) => {
  const hook = await open(t)
  await hook.create(at('v1'), widget(group, 'a'))
  const said = (review: Review) => JSON.stringify(answering()(review))
  const gzip = (text: string, encoding: string) =>
    new Response(new Response(text).body?.pipeThrough(new CompressionStream('gzip')), { headers: { 'content-encoding': encoding } })
  const read: readonly Answer[] = [
    (review) => gzip(said(review), 'gzip'),
    (review) => gzip(said(review), 'GZIP'),
    (review) => new Response(said(review), { headers: { 'content-type': 'text/html' } }),
    (review) => `\ufeff${said(review)}`,
    (review) => `---\n- ${said(review)}`.replace('- ', ''),
    (review) => said(review).replace('"response"', '"response":{"uid":"x"},"response"'),
  ]
  for (const answer of read) {
    hook.answer = answer
    assert.equal((await hook.get(at('v2', 'a'))).status, 200, String(answer))
  }
  const refused: readonly (readonly [answer: Answer, message: string])[] = [
    [(review) => `${said(review)} x`, "couldn't get version/kind; json parse error: invalid character 'x' after top-level value"],
    [
      (review) => new Response(said(review), { headers: { 'content-type': 'a b' } }),
      'Internal error occurred: mime: expected slash after first token',
    ],
    [
      (review) => new Response(said(review), { status: 207 }),
      'the server responded with the status code 207 but did not return more information',
    ],
  ]
  for (const [answer, message] of refused) {
    hook.answer = answer
    const { body } = await hook.get<{ message: string }>(at('v2', 'a'))
    assert.equal(body.message, `conversion webhook for ${group}/v1, Kind=Widget failed: ${message}`)
  }
})

test('a hanging webhook delays only requests that need it, until their deadline', async (t) => {
  const hook = await open(t)
  await hook.create(at('v1'), widget(group, 'a'))
  let release: (answer: unknown) => void = () => {}
  hook.answer = () => new Promise((resolve) => (release = resolve))
  t.after(() => release('{}'))
  // The server's timers are unref'd and do not keep the process alive.
  const alive = setInterval(() => {}, 60_000)
  t.after(() => clearInterval(alive))
  let answered = false
  const waiting = hook.get<{ reason: string }>(`${at('v2', 'a')}?timeout=1s`).finally(() => {
    answered = true
  })
  await eventually('the webhook is asked', async () => hook.reviews.length === 1)
  assert.equal((await hook.get(at('v1', 'a'))).status, 200)
  await hook.create(at('v1'), widget(group, 'b'))
  await hook.create('/api/v1/namespaces/default/configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } })
  assert.equal(answered, false)
  const { status, body } = await waiting
  assert.deepEqual([status, body.reason], [504, 'Timeout'])
})

test('a missing service, and an existing one', async (t) => {
  const hook = await open(t, ['v1'], { service: { namespace: 'default', name: 'converter', path: '/convert' } })
  await hook.create(at('v1'), widget(group, 'a'))
  const { body } = await hook.get<{ message: string }>(at('v2', 'a'))
  assert.equal(body.message, `conversion webhook for ${group}/v1, Kind=Widget failed: service "converter" not found`)
  await hook.create('/api/v1/namespaces/default/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'converter' },
    spec: { ports: [{ port: 443 }], selector: { app: 'converter' } },
  })
  const label = 'kubernetes.io/service-name'
  await hook.create('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'converter', labels: { [label]: 'converter', 'platform.io/service-name': 'converter' } },
    addressType: 'IPv4',
    ports: [{ port: 8443 }],
    endpoints: [{ addresses: ['192.0.2.7'] }],
  })
  await eventually('the endpoint is known', async () => (await hook.get(at('v2', 'a'))).status === 200)
  assert.match(hook.urls[0] ?? '', /^https:\/\/converter.default.svc(:443)?\/convert\S* 192.0.2.7:8443$/)
})

test('a definition that changes its conversion strategy to None', async (t) => {
  const hook = await open(t)
  await hook.create(at('v1'), widget(group, 'a'))
  hook.answer = () => new Response('gone', { status: 503 })
  assertFailureText(await hook.get(at('v2', 'a')))
  await hook.patch(`${definitionsPath}/widgets.${group}`, { spec: { conversion: { strategy: 'None', webhook: null } } })
  await eventually('the versions differ only in apiVersion', async () => (await hook.get(at('v2', 'a'))).status === 200)
  assert.equal((await hook.delete(at('v2', 'a'))).status, 200)
})

function assertFailureText({ status, body }: { status: number; body: unknown }): void {
  assert.equal(status, 500)
  assert.match((body as { message: string }).message, /failed: the server is currently unable to handle the request$/)
}

test('calls and conversions are counted and timed, by what went wrong', async (t) => {
  const hook = await open(t)
  await hook.create(at('v1'), widget(group, 'a'))
  const answers: readonly (readonly [failure: string, answer: Answer])[] = [
    ['', answering()],
    ['call', () => new Response('no', { status: 500 })],
    ['malformed_response', () => '{}'],
    ['partial_response', answering((object) => object, { convertedObjects: [] })],
    ['invalid_converted_object', answering((object) => ({ ...object, kind: 'Other' }))],
  ]
  for (const [, answer] of answers) {
    hook.answer = answer
    await hook.send('PUT', at('v2', 'a'), { ...widget(group, 'a'), apiVersion: `${group}/v2` })
  }
  const lines = (await hook.get<string>('/metrics')).body.split('\n')
  const value = (start: string) =>
    Number(
      lines
        .find((line) => line.startsWith(start))
        ?.split(' ')
        .at(-1) ?? 0,
    )
  for (const [failure] of answers) {
    const labels =
      failure === '' ? '{failure_type="",result="success"}' : `{failure_type="conversion_webhook_${failure}_failure",result="failure"}`
    assert.ok(value(`apiserver_conversion_webhook_request_total${labels}`) >= 1, failure)
    assert.ok(value(`apiserver_conversion_webhook_duration_seconds_count${labels}`) >= 1, failure)
  }
  const named = `crd_name="widgets.${group}"`
  const conversions = lines.filter(
    (line) => line.startsWith('apiserver_crd_conversion_webhook_duration_seconds_count') && line.includes(named),
  )
  for (const succeeded of ['true', 'false'])
    assert.ok(
      conversions.some((line) => line.includes(`succeeded="${succeeded}"`)),
      succeeded,
    )
})
