/**
 * `npm run bench:wire`: requests per second over HTTP/2 and TLS of this build, of another one (RELEASE=path of its
 * bin.js) and of the executable (build/apiserver, if built), each as a ratio to a listener with fixed responses (the
 * baseline), measured alternately. Prints a table and writes `test/bench/speed.svg`. ROUNDS sets the number of rounds.
 * A second table has the processor time of each request, which other load on the machine changes less than rates.
 * ROWS=GET,CREATE measures only the rows whose name is listed, and writes no picture.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { call } from './call.ts'
import { type BenchDaemon, processorSeconds, startDaemon } from './daemon.ts'
import { h2load } from './h2load.ts'
import { picture, type Shares } from './picture.ts'
import { deliveries } from './watchers.ts'
import { type Limits, startLimits } from './wire-limits.ts'
import { configMap, namespace, objects, type WireRow, wireRows } from './wire-rows.ts'

interface Subject {
  readonly name: string
  readonly daemon: BenchDaemon
  /** Token of a service account with all rights, as controllers use it. */
  readonly token: string
}

interface Measured {
  readonly name: string
  readonly aim?: number
  /** Rates of the limit and of each subject, round by round. */
  readonly limit: number[]
  readonly rates: number[][]
  /** Microseconds of processor time for each request, by subject and round; of requests only, not of deliveries. */
  readonly processor: number[][]
}

const rounds = Number(process.env['ROUNDS'] ?? 5)
const release = process.env['RELEASE']
const executable = 'build/apiserver'
/** Number of concurrent creates; each has a connection. */
const atATime = 50
/** As clients connect: the watches of a controller share a connection, those over HTTP/1.1 have one each. */
const watches = [
  { name: 'watch, 200 watchers on 10 connections: deliveries', aim: 4, watchers: 200, events: 1_000, connections: 10 },
  { name: 'watch, 200 watchers over HTTP/1.1: deliveries', watchers: 200, events: 1_000 },
] as const

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const count = (value: number) => Math.round(value).toLocaleString('en')

async function startSubject(name: string, command: readonly string[], port: number): Promise<Subject> {
  const daemon = await startDaemon(port, ['--platform=kubernetes'], command)
  for (const each of [namespace, 'made']) await call(daemon, 'POST', '/api/v1/namespaces', { metadata: { name: each } })
  await call(daemon, 'POST', '/api/v1/namespaces/made/serviceaccounts', { metadata: { name: 'bench' } })
  await call(daemon, 'POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'bench' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'bench', namespace: 'made' }],
  })
  const answer = await call(daemon, 'POST', '/api/v1/namespaces/made/serviceaccounts/bench/token', { spec: {} })
  const { status } = JSON.parse(answer.body) as { status: { token: string } }
  const url = `/api/v1/namespaces/${namespace}/configmaps`
  for (let from = 0; from < objects; from += atATime)
    await Promise.all(Array.from({ length: atATime }, (_, index) => call(daemon, 'POST', url, configMap(`object-${from + index}`))))
  return { name, daemon, token: status.token }
}

const loadOf = ({ daemon, token }: Subject, { load }: WireRow) =>
  h2load({ ...load, origin: daemon.url, headers: { ...load.headers, accept: 'application/json', authorization: `Bearer ${token}` } })

async function measureRow(row: WireRow, subjects: readonly Subject[], limits: Limits): Promise<Measured> {
  const { body: _body, method: _method, ...load } = row.load
  const measured: Measured = {
    name: row.name,
    ...(row.aim && { aim: row.aim }),
    limit: [],
    rates: subjects.map(() => []),
    processor: subjects.map(() => []),
  }
  for (let round = 0; round < rounds; round++) {
    measured.limit.push(await h2load({ ...load, origin: limits[row.limit] }))
    for (const [index, subject] of subjects.entries()) {
      const before = processorSeconds(subject.daemon.pid)
      measured.rates[index]?.push(await loadOf(subject, row))
      measured.processor[index]?.push(((processorSeconds(subject.daemon.pid) - before) * 1e6) / row.load.requests)
    }
  }
  return measured
}

/** Deliveries to watchers, each as a share of one response of the limit. */
async function measureWatch(watch: (typeof watches)[number], subjects: readonly Subject[], limits: Limits): Promise<Measured> {
  const aim = 'aim' in watch ? { aim: watch.aim } : {}
  const measured: Measured = { name: watch.name, ...aim, limit: [], rates: subjects.map(() => []), processor: subjects.map(() => []) }
  for (let round = 0; round < rounds; round++) {
    measured.limit.push(await h2load({ origin: limits.bare, paths: ['/'], requests: 24_000 }))
    for (const [index, { daemon }] of subjects.entries()) measured.rates[index]?.push((await deliveries(daemon, watch, round)).rate)
  }
  return measured
}

const sharesOf = ({ limit, rates }: Measured, index: number) =>
  (rates[index] ?? []).map((rate, round) => rate / (limit[round] ?? Number.NaN))

function line(measured: Measured): string {
  const cells = measured.rates.map((rates, index) => {
    const shares = sharesOf(measured, index)
    return `${median(shares).toFixed(2)} (${Math.min(...shares).toFixed(2)} to ${Math.max(...shares).toFixed(2)}); ${count(median(rates))}/s`
  })
  return `| ${[measured.name, ...cells, `${count(median(measured.limit))}/s`, measured.aim ?? ''].join(' | ')} |`
}

/** Microseconds of processor time as medians and ranges. */
function processorLine({ name, processor }: Measured): string {
  const cells = processor.map(
    (micros) => `${median(micros).toFixed(0)} (${Math.min(...micros).toFixed(0)} to ${Math.max(...micros).toFixed(0)})`,
  )
  return `| ${[name, ...cells].join(' | ')} |`
}

const wanted = process.env['ROWS']?.split(',')
const isWanted = ({ name }: { readonly name: string }) => wanted === undefined || wanted.includes(name)
const daemons: (readonly [name: string, command: readonly string[]])[] = [['this build', [process.execPath, 'dist/bin/bin.js']]]
if (existsSync(executable)) daemons.push(['executable', [executable]])
if (release !== undefined) daemons.push(['other build', [process.execPath, release]])
const limits = await startLimits()
const port = 20_000 + (process.pid % 20_000)
const subjects: Subject[] = []
for (const [index, [name, command]] of daemons.entries()) subjects.push(await startSubject(name, command, port + index))
const rows: Measured[] = []
const note = (measured: Measured) => {
  rows.push(measured)
  console.error(line(measured))
}
try {
  for (const row of wireRows.filter(isWanted)) note(await measureRow(row, subjects, limits))
  for (const watch of watches.filter(isWanted)) note(await measureWatch(watch, subjects, limits))
} finally {
  limits.stop()
  for (const { daemon } of subjects) await daemon.stop()
}

const names = subjects.map(({ name }) => name)
const machine = `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), node ${process.version}, medians of ${rounds} rounds`
console.log(`${machine}\n`)
console.log(`| ratio to the baseline; rate | ${[...names, 'baseline', 'target'].join(' | ')} |\n|${' --- |'.repeat(names.length + 3)}`)
for (const row of rows) console.log(line(row))
console.log(`\n| processor time of a request, µs | ${names.join(' | ')} |\n|${' --- |'.repeat(names.length + 1)}`)
for (const row of rows.filter(({ processor }) => processor.some(({ length }) => length > 0))) console.log(processorLine(row))
const shares = rows.map(
  (row): Shares => ({
    name: row.name,
    ...(row.aim && { aim: row.aim }),
    shares: row.rates.map((_, index) => median(sharesOf(row, index))),
  }),
)
if (wanted === undefined) writeFileSync('test/bench/speed.svg', picture(names, shares, machine))
process.exit()
