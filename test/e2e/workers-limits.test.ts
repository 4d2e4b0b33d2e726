/** Limits of a daemon with two workers: an authorization webhook holds requests, and counts how many are in flight at the same time. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type ClientHttp2Session, connect } from 'node:http2'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { authority, serving } from '../runtimes/node/support.ts'
import { apiOf } from '../support/api.ts'
import { type Daemon, readCredentials, startDaemon } from '../support/daemon.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually, within } from '../support/wait.ts'

/** Reviews that are held until they are released. */
interface Webhook {
  readonly server: Server
  readonly held: (() => void)[]
  /** Most at the same time since the last `restart`. */
  highest: number
}

async function startWebhook(): Promise<Webhook> {
  const held: (() => void)[] = []
  const server = createServer({ ...serving }, (request, response) => {
    request.resume()
    const status = { allowed: true }
    held.push(() => response.end(JSON.stringify({ kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', status })))
    webhook.highest = Math.max(webhook.highest, held.length)
  })
  const webhook: Webhook = { server, held, highest: 0 }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return webhook
}

const { path, remove } = temporaryDirectory('worker-limits')
let webhook: Webhook
let flags: readonly string[]

before(async () => {
  webhook = await startWebhook()
  const [config, tokens] = [join(path, 'webhook.json'), join(path, 'tokens.csv')]
  const server = `https://127.0.0.1:${(webhook.server.address() as AddressInfo).port}/`
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'w', cluster: { server, 'certificate-authority-data': Buffer.from(authority.certPem).toString('base64') } }],
      users: [{ name: 'w', user: {} }],
      contexts: [{ name: 'w', context: { cluster: 'w', user: 'w' } }],
      'current-context': 'w',
    }),
  )
  writeFileSync(tokens, 'bobs-token,bob,bob\n')
  flags = [
    ...['--workers=2', `--token-auth-file=${tokens}`, '--authorization-mode=RBAC,Webhook'],
    ...[`--authorization-webhook-config-file=${config}`, '--authorization-webhook-version=v1'],
    '--authorization-webhook-cache-authorized-ttl=0s',
  ]
})
after(() => {
  webhook.server.close()
  webhook.server.closeAllConnections()
  remove()
})

/** Connections of HTTP/2, the first one to a worker, the second one to another. */
async function connectionsToBoth(daemon: Daemon): Promise<readonly [ClientHttp2Session, ClientHttp2Session]> {
  const { ca } = readCredentials(daemon.kubeconfig)
  const counts = async () => {
    const text = await (await daemon.fetch('/metrics')).text()
    return [...text.matchAll(/^apiserver_worker_connections\{worker="(\d)"\} (\d+)/gm)].map(([, worker, count]) => [worker, Number(count)])
  }
  const found = new Map<string, ClientHttp2Session>()
  await eventually('connections to both workers', async () => {
    const before = new Map((await counts()) as [string, number][])
    const session = connect(daemon.url, { ca })
    await once(session, 'connect')
    const worker = await eventually('the connection is counted', async () => {
      const more = ((await counts()) as [string, number][]).find(([name, count]) => count > (before.get(name) ?? 0))
      return more?.[0]
    })
    if (found.has(worker)) session.destroy()
    else found.set(worker, session)
    return found.size === 2
  })
  return [...found.values()] as [ClientHttp2Session, ClientHttp2Session]
}

let requests = 0

/** The status of a request by bob, which the webhook has not seen before. */
function ask(session: ClientHttp2Session, method = 'GET'): Promise<number> {
  const target = `/api/v1/namespaces/default/configmaps/c-${requests++}`
  const stream = session.request({ ':method': method, ':path': target, authorization: 'Bearer bobs-token' })
  return new Promise((resolve, reject) => {
    let status = 0
    stream.on('response', (headers) => {
      status = Number(headers[':status'])
    })
    stream.on('error', reject).on('close', () => resolve(status))
    stream.resume().end()
  })
}

async function releaseAll(answers: readonly Promise<number>[]): Promise<readonly number[]> {
  const ended = Promise.all(answers)
  let isEnded = false
  void ended.finally(() => {
    isEnded = true
  })
  await eventually('all answers', async () => {
    for (const release of webhook.held.splice(0)) release()
    return isEnded
  })
  webhook.highest = 0
  return ended
}

const refusals = (statuses: readonly number[]) => statuses.filter((status) => status === 429).length

describe('two workers without priority and fairness', () => {
  const limit = 4
  let daemon: Daemon
  let sessions: readonly [ClientHttp2Session, ClientHttp2Session]
  before(async () => {
    const limits = [`--max-requests-inflight=${limit}`, '--max-mutating-requests-inflight=2']
    daemon = await startDaemon({ flags: [...flags, ...limits, '--enable-priority-and-fairness=false'] })
    sessions = await connectionsToBoth(daemon)
  })
  after(async () => {
    for (const session of sessions) session.destroy()
    await daemon.stop()
  })

  test('one connection has the whole limit while the other worker is idle', async () => {
    for (const session of sessions) {
      const answers = Array.from({ length: 3 * limit }, () => ask(session))
      await eventually('the limit is reached', async () => webhook.held.length === limit)
      assert.equal(refusals(await releaseAll(answers)), 2 * limit)
    }
  })

  test('both workers together have the limit, of each kind', async () => {
    for (const [method, most] of [
      ['GET', limit],
      ['DELETE', 2],
    ] as const) {
      const answers = sessions.flatMap((session) => Array.from({ length: limit }, () => ask(session, method)))
      await eventually('the limit is reached', async () => webhook.held.length === most)
      assert.equal(refusals(await releaseAll(answers)), 2 * limit - most)
    }
  })
})

describe('two workers with priority and fairness', () => {
  let daemon: Daemon
  let sessions: readonly [ClientHttp2Session, ClientHttp2Session]
  let limit = 0
  before(async () => {
    daemon = await startDaemon({ flags: [...flags, '--max-requests-inflight=20', '--max-mutating-requests-inflight=20'] })
    const api = apiOf(daemon.fetch)
    const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1'
    const groupVersion = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1' }
    const queuing = { queues: 1, handSize: 1, queueLengthLimit: 100 }
    await api.create(`${flowControl}/prioritylevelconfigurations`, {
      ...groupVersion,
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'held' },
      spec: {
        type: 'Limited',
        limited: { nominalConcurrencyShares: 50, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse: { type: 'Queue', queuing } },
      },
    })
    await api.create(`${flowControl}/flowschemas`, {
      ...groupVersion,
      kind: 'FlowSchema',
      metadata: { name: 'held' },
      spec: {
        priorityLevelConfiguration: { name: 'held' },
        matchingPrecedence: 2,
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: 'bob' } }],
            resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
          },
        ],
      },
    })
    limit = await eventually('the level is in force', async () => {
      const text = await (await daemon.fetch('/metrics')).text()
      return Number(/^apiserver_flowcontrol_current_limit_seats\{priority_level="held"\} (\d+)/m.exec(text)?.[1] ?? 0)
    })
    sessions = await connectionsToBoth(daemon)
  })
  after(async () => {
    for (const session of sessions) session.destroy()
    await daemon.stop()
  })

  const dumps = '/debug/api_priority_and_fairness'
  const text = async (target: string) => (await daemon.fetch(target)).text()

  /** The level in the dump, by column. */
  async function levelRow(): Promise<{ readonly [column: string]: string }> {
    const [head = [], ...rows] = (await text(`${dumps}/dump_priority_levels`)).split('\n').map((line) => line.split(/, +/))
    const found = rows.find(([name]) => name === 'held') ?? []
    return Object.fromEntries(head.map((column, index) => [column, found[index] ?? '']))
  }

  test('a profile has the functions of all threads', async () => {
    const profile = await text('/debug/pprof/profile?seconds=1&debug=1')
    for (const thread of ['main thread', 'worker 1', 'worker 2']) assert(profile.includes(thread), thread)
  })

  test('the metric is the number for both', async () => {
    const text = await (await daemon.fetch('/metrics')).text()
    const nominal = [...text.matchAll(/^apiserver_flowcontrol_nominal_limit_seats\{.*\} (\d+)/gm)].map(([, seats]) => Number(seats))
    const sum = nominal.reduce((first, second) => first + second, 0)
    assert(sum >= 40 && sum <= 40 + nominal.length, `${sum} seats`)
  })

  test('one connection has all seats while the other worker is idle, and both together have no more', async () => {
    const [first, second] = sessions
    const answers = Array.from({ length: 3 * limit }, () => ask(first))
    await eventually('all seats are taken', async () => webhook.held.length === limit)
    answers.push(...Array.from({ length: 3 * limit }, () => ask(second)))
    await eventually('all others wait', async () => (await levelRow())['WaitingRequests'] === String(5 * limit))
    const { ExecutingRequests, IsIdle } = await levelRow()
    assert.deepEqual([ExecutingRequests, IsIdle], [String(limit), 'false'])
    const queues = (await text(`${dumps}/dump_queues`)).split('\n').filter((line) => line.startsWith('held,'))
    assert.match(queues.join('\n'), new RegExp(`^held, +0, +${5 * limit}, +${limit}, +${limit}, `))
    const listed = (await text(`${dumps}/dump_requests`)).split('\n').filter((line) => line.startsWith('held,'))
    assert.equal(listed.length, 6 * limit)
    assert.match(await text('/debug/pprof/goroutine?debug=2'), new RegExp(`^request ${6 * limit} \\[`, 'm'))
    assert.match(await text('/debug/pprof/goroutine?debug=1'), /worker 1(.|\n)*worker 2/)
    const statuses = await within('all answers', releaseOneByOne(answers, 5 * limit))
    assert.equal(refusals(statuses), 0, 'all wait')
    assert.equal(webhook.highest, limit)
    webhook.highest = 0
  })

  /** Releases requests one after the other, each when the seats are all in use. */
  async function releaseOneByOne(answers: readonly Promise<number>[], count: number): Promise<readonly number[]> {
    for (let released = 0; released < count; released++) {
      await eventually('all seats are in use', async () => webhook.held.length === limit)
      webhook.held.shift()?.()
    }
    for (const release of webhook.held.splice(0)) release()
    return Promise.all(answers)
  }
})

test('the rate of events is limited for both workers together', async () => {
  const configuration = join(path, 'admission.json')
  const burst = 10
  const limits = [{ type: 'Server', qps: 1, burst }]
  writeFileSync(
    configuration,
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AdmissionConfiguration',
      plugins: [
        {
          name: 'EventRateLimit',
          configuration: { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration', limits },
        },
      ],
    }),
  )
  const daemon = await startDaemon({
    flags: ['--workers=2', '--enable-admission-plugins=EventRateLimit', `--admission-control-config-file=${configuration}`],
  })
  const api = apiOf(daemon.fetch)
  const event = (index: number) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `e-${index}`, namespace: 'default' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
  })
  const began = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) => api.send('POST', '/api/v1/namespaces/default/events', event(index))),
  )
  const seconds = (performance.now() - began) / 1000
  const made = answers.filter(({ status }) => status === 201).length
  await daemon.stop()
  assert.equal(made + refusals(answers.map(({ status }) => status)), 60)
  assert(made >= burst && made <= burst + seconds + 1, `${made} events in ${seconds} s`)
})
