/** Priority and fairness of a server: what clients see of it. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Decision } from '../../../core/access/authz/authorizer.ts'
import { createPlatform } from '../../../core/platform.ts'
import type { Connection } from '../../../core/ports.ts'
import { startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

const base = '/apis/flowcontrol.apiserver.k8s.io/v1'
const configMaps = '/api/v1/namespaces/default/configmaps'
const connection: Connection = { remoteAddress: '', remotePort: 0, protocol: 'in-process' }

/** A server where the header `user` says who sends a request, with a level of one seat for bob. */
async function start(t: TestContext, limitResponse: object, more: { readonly requestTimeout?: number } = {}) {
  const { server } = await startInProcess(
    {
      platform: createPlatform('kubernetes'),
      priorityAndFairness: 'on',
      maxReadOnlyInFlight: 1,
      maxMutatingInFlight: 0,
      controllers: [],
      authenticators: [
        {
          name: 'header',
          authenticate({ headers }) {
            const name = headers.get('user') ?? 'admin'
            return { user: { name, groups: name === 'admin' ? ['system:masters'] : ['system:authenticated'] } }
          },
        },
      ],
      ...more,
    },
    t,
  )
  const send = (path: string, user = 'admin', init: RequestInit = {}, over = connection) =>
    server.fetch(new Request(`http://test${path}`, { ...init, headers: { ...init.headers, user } }), over)
  const create = async (path: string, object: object) => {
    const response = await send(path, 'admin', {
      method: 'POST',
      body: JSON.stringify(object),
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(response.status, 201, await response.text())
  }
  const apiVersion = base.slice('/apis/'.length)
  const limited = { nominalConcurrencyShares: 100_000, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse }
  await create(`${base}/prioritylevelconfigurations`, {
    kind: 'PriorityLevelConfiguration',
    apiVersion,
    metadata: { name: 'one-seat' },
    spec: { type: 'Limited', limited },
  })
  const resourceRules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }]
  await create(`${base}/flowschemas`, {
    kind: 'FlowSchema',
    apiVersion,
    metadata: { name: 'bob' },
    spec: {
      priorityLevelConfiguration: { name: 'one-seat' },
      matchingPrecedence: 10,
      distinguisherMethod: { type: 'ByUser' },
      rules: [{ subjects: [{ kind: 'User', user: { name: 'bob' } }], resourceRules }],
    },
  })
  const uidOf = async (path: string) => ((await (await send(path)).json()) as { metadata: { uid: string } }).metadata.uid
  const uids = {
    schema: await uidOf(`${base}/flowschemas/bob`),
    level: await uidOf(`${base}/prioritylevelconfigurations/one-seat`),
  }
  const flowOf = ({ headers }: Response) => ({
    schema: headers.get('x-kubernetes-pf-flowschema-uid'),
    level: headers.get('x-kubernetes-pf-prioritylevel-uid'),
  })
  await eventually('the level is in force', async () => flowOf(await send(configMaps, 'bob')).level === uids.level)
  return { server, send, uids, flowOf }
}

/** A client that takes its time to read responses: requests hold their seats until `read` is called. */
function slowReader() {
  const sent: (() => void)[] = []
  const over: Connection = { ...connection, whenSent: (_response, callback) => void sent.push(callback) }
  return {
    over,
    read() {
      for (const callback of sent.splice(0)) callback()
    },
  }
}

const queueing = { type: 'Queue', queuing: { queues: 4, handSize: 1, queueLengthLimit: 1 } }

test('a refused request gets 429 in plain text, and the uids of its schema and level', async (t) => {
  const { send, uids, flowOf } = await start(t, { type: 'Reject' })
  const { over, read } = slowReader()
  const first = await send(configMaps, 'bob', {}, over)
  assert.equal(first.status, 200)
  assert.deepEqual(flowOf(first), uids)
  const refused = await send(configMaps, 'bob')
  assert.equal(refused.status, 429)
  assert.equal(refused.headers.get('retry-after'), '1')
  assert.equal(refused.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.equal(await refused.text(), 'Too many requests, please try again later.\n')
  assert.deepEqual(flowOf(refused), uids)
  const metrics = await (await send('/metrics')).text()
  const labels =
    'component="apiserver",(?:dry_run="",)?group="",resource="configmaps",scope="namespace",subresource="",verb="LIST",version="v1"'
  for (const name of ['apiserver_request_total', 'apiserver_request_terminations_total'])
    assert.match(metrics, new RegExp(`^${name}\\{code="429",${labels}\\} 1$`, 'm'))
  assert.equal((await send(configMaps)).status, 200, 'system:masters always get through')
  assert.equal((await send('/readyz', 'bob')).status, 200, 'probes always get through')
  read()
  assert.equal((await send(configMaps, 'bob')).status, 200)
})

test('a request waits for a seat, is seen in the dumps, and runs', async (t) => {
  const { send } = await start(t, queueing)
  const { over, read } = slowReader()
  await send(configMaps, 'bob', {}, over)
  const waiting = send(`${configMaps}/none`, 'bob')
  const dump = async (name: string) => (await send(`/debug/api_priority_and_fairness/${name}`)).text()
  const lines = (await dump('dump_requests?includeRequestDetails=1')).split('\n').filter((line) => line.startsWith('one-seat'))
  assert.equal(lines.length, 2)
  assert.match(
    lines[0]!,
    /^one-seat, +bob, +[0-3], +0, +bob, +\d.+Z, +1, +0, +0s, +0001-01-01T00:00:00Z, +bob, +get, .*configmaps\/none, +default, +none, +v1, +configmaps, +$/,
  )
  assert.match(lines[1]!, /^one-seat, +bob, +[0-3], +-1, +bob, .*bob, +list, /)
  assert.match(await dump('dump_priority_levels'), /^one-seat, +1, +false, +false, +1, +1, /m)
  assert.match(await dump('dump_queues'), /^one-seat, +\d, +1, +1, +1, +\d+\.\d{8}ss, +1, +1, +0\.00300000ss$/m)
  const metrics = await (await send('/metrics')).text()
  assert.match(metrics, /^apiserver_flowcontrol_current_inqueue_requests\{flow_schema="bob",priority_level="one-seat"\} 1$/m)
  assert.match(metrics, /^apiserver_current_inqueue_requests\{request_kind="readOnly"\} 1$/m)
  const numberOf = (name: string) =>
    Number(new RegExp(`^apiserver_flowcontrol_${name}\\{flow_schema="bob",priority_level="one-seat"\\} (\\d+)$`, 'm').exec(metrics)?.[1])
  // Those that run at once have been in a queue, too.
  assert.equal(numberOf('request_queue_length_after_enqueue_count'), numberOf('dispatched_requests_total') + 1)
  read()
  assert.equal((await waiting).status, 404)
})

test('a request that waits too long gets 429', async (t) => {
  const { send } = await start(t, queueing)
  const { over } = slowReader()
  await send(configMaps, 'bob', {}, over)
  const late = await send(`${configMaps}?timeout=4s`, 'bob')
  assert.equal(late.status, 429)
  const full = [send(`${configMaps}?timeout=4s`, 'bob'), send(`${configMaps}?timeout=4s`, 'bob')]
  assert.equal((await Promise.race(full)).status, 429, 'the queue is full')
  const metrics = await (await send('/metrics')).text()
  const rejected = (reason: string) =>
    metrics.includes(`rejected_requests_total{flow_schema="bob",priority_level="one-seat",reason="${reason}"} 1`)
  assert.ok(rejected('time-out') && rejected('queue-full'), metrics)
})

test('a watch has its seat only until it has sent its initial events', async (t) => {
  const { send, uids, flowOf } = await start(t, { type: 'Reject' })
  const controller = new AbortController()
  const watch = await send(`${configMaps}?watch=1`, 'bob', { signal: controller.signal })
  assert.equal(watch.status, 200)
  assert.deepEqual(flowOf(watch), uids)
  const reading = watch.body?.getReader().read()
  await eventually('the seat is free', async () => (await send(configMaps, 'bob')).status === 200)
  controller.abort()
  await reading?.catch(() => undefined)
})

test('a request has no seat while its body is awaited', async (t) => {
  const { send } = await start(t, { type: 'Reject' })
  let finish = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const text = new TextEncoder().encode('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"slow"}}')
      controller.enqueue(text.subarray(0, 9))
      finish = () => {
        controller.enqueue(text.subarray(9))
        controller.close()
      }
    },
  })
  const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json' } } as RequestInit
  const slow = send(configMaps, 'bob', init)
  await eventually('the body is awaited', async () => (await send(configMaps, 'bob')).status === 200)
  finish()
  assert.equal((await slow).status, 201)
})

test('a client that leaves while its request waits leaves the queue', async (t) => {
  const { send } = await start(t, queueing)
  const { over, read } = slowReader()
  await send(configMaps, 'bob', {}, over)
  const controller = new AbortController()
  const waiting = send(configMaps, 'bob', { signal: controller.signal })
  controller.abort()
  await waiting.catch(() => undefined)
  assert.match(
    await (await send('/debug/api_priority_and_fairness/dump_priority_levels')).text(),
    /^one-seat, +0, +false, +false, +0, +1, /m,
  )
  read()
  assert.equal((await send(configMaps, 'bob')).status, 200)
})

test('without priority and fairness there are no such headers and paths', async (t) => {
  const { fetch } = await startInProcess({ platform: createPlatform('kubernetes'), priorityAndFairness: 'objects', controllers: [] }, t)
  const list = await fetch(`${base}/flowschemas`)
  assert.equal(((await list.json()) as { items: unknown[] }).items.length, 11)
  assert.equal(list.headers.get('x-kubernetes-pf-flowschema-uid'), null)
  assert.equal((await fetch('/debug/api_priority_and_fairness/dump_queues')).status, 404)
})

test('with the smallest limits, requests of one user wait for each other, however long their authorization takes', async (t) => {
  const allowed: Decision = { verdict: 'allow', reason: '' }
  const pending: (() => void)[] = []
  const slow = {
    name: 'slow',
    authorize: ({ user }: { readonly user: { readonly name: string } }) =>
      user.name === 'bob' ? new Promise<Decision>((resolve) => void pending.push(() => resolve(allowed))) : allowed,
  }
  const authenticate = ({ headers }: Request) => ({ user: { name: headers.get('user') ?? 'admin', groups: ['system:authenticated'] } })
  const { server } = await startInProcess(
    {
      ...{ platform: 'kubernetes', priorityAndFairness: 'on', maxReadOnlyInFlight: 1, maxMutatingInFlight: 1, controllers: [] },
      authenticators: [{ name: 'header', authenticate }],
      authorizers: [slow],
    },
    t,
  )
  const send = (path: string, method = 'GET') =>
    server.fetch(new Request(`http://test${path}`, { method, headers: { user: 'bob' } }), connection).then(({ status }) => status)
  const statuses: number[] = []
  const sent = [1, 2, 3, 4].flatMap((n) => [send(configMaps), send(`${configMaps}/none${n}`), send(`${configMaps}/none${n}`, 'DELETE')])
  for (const each of sent) void each.then((status) => statuses.push(status))
  let atOnce = 0
  await eventually('all have been answered', async () => {
    atOnce = Math.max(atOnce, pending.length)
    for (const decide of pending.splice(0)) decide()
    return statuses.length === sent.length
  })
  assert.deepEqual(statuses.toSorted(), [...Array<number>(4).fill(200), ...Array<number>(8).fill(404)])
  assert.ok(atOnce > 0 && atOnce < sent.length, `${atOnce} requests had seats at once`)
})
