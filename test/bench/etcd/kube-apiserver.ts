/**
 * `node --import tsx test/bench/etcd/kube-apiserver.ts` after `npm run bundle`: the original kube-apiserver (on PATH or in KUBERNETES_BIN) on the
 * embedded store and on etcd, alternately: requests per second of 16 clients, and processor time of the store and of both
 * programs for each. ROUNDS sets the number of rounds, SCALE multiplies the requests.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type ClientHttp2Session, connect } from 'node:http2'
import { loneAdminToken, startLoneServer } from '../../cluster/lone-server.ts'
import { ownEtcd } from '../../support/daemon.ts'
import { processorSeconds } from '../daemon.ts'

const rounds = Number(process.env['ROUNDS'] ?? 5)
const scale = Number(process.env['SCALE'] ?? 1)
const [connections, callsAtOnce] = [4, 4]
const path = '/api/v1/namespaces/default/configmaps'
/** Config maps that lists return. */
const listed = 500

interface Target {
  readonly pids: readonly number[]
  readonly sessions: readonly ClientHttp2Session[]
  created: number
}

async function call(session: ClientHttp2Session, method: string, to: string, body?: object): Promise<void> {
  const headers = { ':method': method, ':path': to, authorization: `Bearer ${loneAdminToken}`, 'content-type': 'application/json' }
  const stream = session.request(headers)
  const [response] = (await Promise.all([once(stream, 'response'), stream.end(body && JSON.stringify(body))]))[0]
  for await (const _ of stream);
  if (response[':status'] >= 300) throw new Error(`${method} ${to}: ${response[':status']}`)
}

const configMap = (name: string, text: string) => ({ metadata: { name }, data: { text: text.repeat(200) } })

type Run = (target: Target, session: ClientHttp2Session, number: number) => Promise<void>

/** One request of each kind; `number` counts them. */
const rows: {
  readonly [name: string]: readonly [count: number, run: Run]
} = {
  create: [2_000, (target, session) => call(session, 'POST', path, configMap(`new-${target.created++}`, 'a'))],
  update: [
    2_000,
    (_target, session, number) =>
      call(session, 'PUT', `${path}/old-${number % listed}`, configMap(`old-${number % listed}`, String(Math.random()))),
  ],
  get: [4_000, (_target, session, number) => call(session, 'GET', `${path}/old-${number % listed}`)],
  'list of 500, which its cache answers': [60, (_target, session) => call(session, 'GET', `${path}?limit=${listed}`)],
}

interface Figures {
  readonly perSecond: number
  /** Microseconds of processor time of the store, and of it and kube-apiserver. */
  readonly store: number
  readonly both: number
}

const sum = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

async function measure(target: Target, count: number, run: Run): Promise<Figures> {
  let started = 0
  const before = target.pids.map(processorSeconds)
  const began = performance.now()
  await Promise.all(
    target.sessions.flatMap((session) =>
      Array.from({ length: callsAtOnce }, async () => {
        while (started < count) await run(target, session, started++)
      }),
    ),
  )
  const perSecond = (count * 1_000) / (performance.now() - began)
  const taken = target.pids.map((pid, at) => ((processorSeconds(pid) - (before[at] ?? 0)) * 1e6) / count)
  return { perSecond, store: taken[0] ?? 0, both: sum(taken) }
}

const children = () => readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number)

/** The processes of a server are its store and the program. */
async function startServer(...etcd: Parameters<typeof startLoneServer>[2][]) {
  const before = children()
  const server = await startLoneServer('the reference', () => [], ...etcd)
  return { server, pids: children().filter((pid) => !before.includes(pid)) }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const started = [await startServer(ownEtcd), await startServer()]
try {
  const targets = started.map(
    ({ server, pids }): Target => ({
      pids,
      sessions: Array.from({ length: connections }, () => connect(server.url, { rejectUnauthorized: false })),
      created: 0,
    }),
  )
  for (const target of targets)
    await measure(target, listed, (_target, session, number) => call(session, 'POST', path, configMap(`old-${number}`, 'b')))
  console.log('| | ratio (range) | on ours | on etcd | processor time: ours | etcd | with kube-apiserver: ours | etcd |')
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |')
  for (const [name, [count, run]] of Object.entries(rows)) {
    const pairs: Figures[][] = []
    for (let round = 0; round < rounds; round++) {
      const pair: Figures[] = []
      for (const target of targets) pair.push(await measure(target, Math.ceil(count * scale), run))
      pairs.push(pair)
    }
    const ratios = pairs.map(([ours, etcd]) => (ours?.perSecond ?? 0) / (etcd?.perSecond ?? 0))
    const each = (read: (figures: Figures) => number, choose: (values: readonly number[]) => number) =>
      [0, 1].map((at) => Math.round(choose(pairs.flatMap((pair) => pair.slice(at, at + 1).map(read)))).toLocaleString('en'))
    const least = (values: readonly number[]) => Math.min(...values)
    const cells = [
      ...each(({ perSecond }) => perSecond, median).map((rate) => `${rate}/s`),
      ...each(({ store }) => store, least).map((time) => `${time} µs`),
      ...each(({ both }) => both, least).map((time) => `${time} µs`),
    ]
    const range = `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
    console.log(`| ${[name, range, ...cells].join(' | ')} |`)
  }
  for (const { sessions } of targets) for (const session of sessions) session.destroy()
} finally {
  await Promise.all(started.map(({ server }) => server.close()))
}
