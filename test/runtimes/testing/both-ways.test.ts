/** The small client in the process and over a port: the same answers, errors and events. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { administrator } from '../../../runtimes/testing/identity.ts'
import { startTestServer, type TestObject } from '../../../runtimes/testing/index.ts'
import { collectionPath } from '../../../runtimes/testing/object-path.ts'
import { type Caller, type ObjectClient, objectClient } from '../../../runtimes/testing/objects.ts'

type ClientOf = (apiVersion: string, kind: string, namespace?: string) => ObjectClient<TestObject>

/** A caller over HTTP. */
function overPort(url: string, token: string): Caller {
  const send: Caller['send'] = ({ method, target, headers = [], body, signal }) => {
    const pairs = headers.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, headers[at + 1] as string]] : []))
    return fetch(url + target, {
      method,
      // The field manager follows from the user agent.
      headers: [...pairs, ['authorization', `Bearer ${token}`], ['user-agent', 'unknown']],
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
  }
  const ask = (input: string | URL | Request) => send({ method: 'GET', target: String(input) })
  return { send, collectionPath: (apiVersion, kind, namespace) => collectionPath(ask, apiVersion, kind, namespace) }
}

async function open(t: TestContext): Promise<readonly ClientOf[]> {
  const server = await startTestServer()
  t.after(() => server.close())
  const { url, token } = await server.listen()
  // Another server, with the same state.
  const fork = await server.fork()
  t.after(() => fork.close())
  const port = overPort(url, token)
  return [
    (apiVersion, kind, namespace) => fork.objects(apiVersion, kind, { user: administrator, ...(namespace && { namespace }) }),
    (apiVersion, kind, namespace) => objectClient(port, apiVersion, kind, namespace),
  ]
}

/** Without what differs between two servers: identifiers, times and revisions. */
const shown = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (name, each: unknown) =>
      ['uid', 'creationTimestamp', 'resourceVersion', 'time', 'deletionTimestamp'].includes(name) ? undefined : each,
    ),
  )

async function outcome(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return { value: shown(await work()) }
  } catch (error) {
    const { name, message, code, reason, status } = error as Error & { code?: number; reason?: string; status?: object }
    return { name, message: message.replace(/"uid":"[^"]*"|"\w+":"\d{4}-[^"]*"/g, '…'), code, reason, status: shown(status) }
  }
}

const large = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`key-${at}`, 'ü'.repeat(1000)]))

/** Calls in order, on a server of their own. */
const calls: readonly (readonly [what: string, call: (of: ClientOf) => Promise<unknown>])[] = [
  ['a kind that is not served', (of) => of('v1', 'Nothing').list()],
  ['an object that does not exist', (of) => of('v1', 'ConfigMap').get('none')],
  ['a create', (of) => of('v1', 'ConfigMap').create({ metadata: { name: 'one' }, data: { text: 'ü€😀', slash: '/' } })],
  ['a second create', (of) => of('v1', 'ConfigMap').create({ metadata: { name: 'one' } })],
  ['a get', (of) => of('v1', 'ConfigMap').get('one')],
  ['a get with a query', (of) => of('v1', 'ConfigMap').get('one', { resourceVersion: '0' })],
  ['an invalid query', (of) => of('v1', 'ConfigMap').list({ labelSelector: 'a in' })],
  ['an unknown field', (of) => of('v1', 'ConfigMap').create({ metadata: { name: 'two' }, dat: {} })],
  [
    'an unknown field that is ignored',
    (of) => of('v1', 'ConfigMap').create({ metadata: { name: 'two' }, dat: {} }, { fieldValidation: 'Ignore' }),
  ],
  ['an invalid name', (of) => of('v1', 'ConfigMap').create({ metadata: { name: 'Ü' } })],
  ['names that URLs encode', (of) => of('v1', 'ConfigMap').get('a b%2Fü?c#d')],
  ['dot segments', (of) => of('v1', 'ConfigMap').get('../secrets')],
  ['a namespace that does not exist', (of) => of('v1', 'ConfigMap', 'nowhere').create({ metadata: { name: 'one' } })],
  ['a large object', (of) => of('v1', 'ConfigMap').create({ metadata: { name: 'large' }, data: large })],
  [
    'an object that is too large',
    (of) => of('v1', 'ConfigMap').create({ metadata: { name: 'huge' }, data: { text: 'x'.repeat(4_000_000) } }),
  ],
  ['a list', (of) => of('v1', 'ConfigMap').list()],
  ['an update', (of) => of('v1', 'ConfigMap').update({ metadata: { name: 'one' }, data: { b: '2' } })],
  ['a conflict', (of) => of('v1', 'ConfigMap').update({ metadata: { name: 'one', resourceVersion: '1' } })],
  ['an apply', (of) => of('apps/v1', 'Deployment').apply(deployment)],
  [
    'an apply of a wrong type',
    (of) => of('apps/v1', 'Deployment').apply({ ...deployment, spec: { ...deployment.spec, replicas: 'many' } }),
  ],
  ['a merge patch', (of) => of('v1', 'ConfigMap').patch('one', { data: { c: '3' } })],
  ['a JSON patch', (of) => of('v1', 'ConfigMap').patch('one', [{ op: 'remove', path: '/data/c' }])],
  ['a JSON patch that fails', (of) => of('v1', 'ConfigMap').patch('one', [{ op: 'remove', path: '/data/none' }])],
  ['a strategic merge patch', (of) => of('apps/v1', 'Deployment').patch('web', { spec: { paused: true } }, { type: 'strategic' })],
  ['a subresource', (of) => of('apps/v1', 'Deployment').patch('web', { status: { replicas: 2 } }, 'status')],
  ['a wait', (of) => of('apps/v1', 'Deployment').until('web', ({ spec }) => (spec as { paused?: boolean }).paused === true)],
  ['a wait in vain', (of) => of('v1', 'ConfigMap').until('one', () => false, 50)],
  ['a watch', async (of) => events(of('v1', 'ConfigMap'), 2, { resourceVersion: '0', fieldSelector: 'metadata.name!=large' })],
  ['a watch of a revision that is gone', async (of) => events(of('v1', 'ConfigMap'), 1, { resourceVersion: 'x' })],
  [
    'a watch that is aborted',
    async (of) => events(of('v1', 'ConfigMap'), 3, { fieldSelector: 'metadata.name=one' }, new AbortController()),
  ],
  ['a watch that is aborted before', async (of) => events(of('v1', 'Secret'), 1, {}, aborted())],
  ['a dry run', (of) => of('v1', 'ConfigMap').create({ metadata: { name: 'dry' } }, { dryRun: 'All' })],
  ['a delete', (of) => of('v1', 'ConfigMap').delete('one')],
  ['an object that is gone', (of) => of('v1', 'ConfigMap').gone('one')],
  ['a second delete', (of) => of('v1', 'ConfigMap').delete('one')],
]

const deployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } },
  },
}

function aborted(): AbortController {
  const controller = new AbortController()
  controller.abort()
  return controller
}

/** The events of a watch, which is aborted after the first one. */
async function events(
  client: ObjectClient<TestObject>,
  count: number,
  query: { readonly [name: string]: string },
  leaving?: AbortController,
) {
  const seen: unknown[] = []
  for await (const { type, object } of client.watch(query, leaving?.signal)) {
    seen.push([type, object.metadata?.name])
    leaving?.abort()
    if (seen.length === count) break
  }
  return seen.sort()
}

test('calls in the process and over a port have the same outcomes', async (t) => {
  const [inProcess, port] = await open(t)
  for (const [what, call] of calls) {
    const [one, other] = [await outcome(() => call(inProcess!)), await outcome(() => call(port!))]
    assert.deepEqual(one, other, what)
  }
})
