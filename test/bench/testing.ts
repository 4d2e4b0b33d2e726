/**
 * `npm run bench:testing`: servers inside a test, in milliseconds and microseconds of processor time (medians of five rounds), and their memory; then
 * the steps of a test beside kube-apiserver and etcd, as envtest starts them, by the clock on the wall (the least of 20 rounds). The test server is that of the
 * package. `ONLY=own` or `ONLY=beside` leaves out the other part.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type * as testing from '../../runtimes/testing/index.ts'
import { duration, durationPicture } from './picture.ts'
import { compared } from './testing/compare.ts'
import { originalSubject, withoutOriginal } from './testing/original.ts'
import { ownSubject } from './testing/own.ts'

const rounds = 5
const warmRounds = 10
/** Rounds of forks after which the engine compiles nothing more, so that what grows is what they leave. */
const roundsToCompile = 4

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Microseconds of processor time of this process. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Microseconds that one of `count` runs takes: the median of all rounds, after some that are not counted. */
async function perRun(count: number, run: () => Promise<unknown>, uncounted = 1): Promise<number> {
  const seen: number[] = []
  for (let round = -uncounted; round < rounds; round++) {
    const before = processorTime()
    for (let at = 0; at < count; at++) await run()
    if (round >= 0) seen.push((processorTime() - before) / count)
  }
  return median(seen)
}

/** The same in a process that has made such calls before: V8 has optimized what they run. */
const perCall = (count: number, run: () => Promise<unknown>) => perRun(count, run, warmRounds)

async function heap(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    collect()
  }
  return process.memoryUsage().heapUsed
}

const report = (what: string, value: number, unit: string, aim: string) =>
  console.log(`| ${what} | ${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} ${unit} | ${aim} |`)

const request = '/api/v1/namespaces/default'
/** Milliseconds after which controllers have no work left. */
const settled = 1_500

async function main({ startTestServer }: typeof testing): Promise<void> {
  console.log('| | processor time | aim |\n| --- | --- | --- |')
  const began = processorTime()
  const server = await startTestServer()
  await (await server.fetch(request)).text()
  report('first server of a process, with a request', (processorTime() - began) / 1000, 'ms', '120')
  const further = await perRun(5, async () => {
    const another = await startTestServer()
    await (await another.fetch(request)).text()
    await another.close()
  })
  report('another server, with a request', further / 1000, 'ms', '10')

  const configMaps = server.objects('v1', 'ConfigMap')
  const listed = server.objects('v1', 'ConfigMap', { namespace: 'kube-public' })
  const data = { text: 'x'.repeat(100) }
  for (let at = 0; at < 100; at++) await listed.create({ metadata: { name: `listed-${at}` }, data })
  await configMaps.create({ metadata: { name: 'one' }, data })
  await new Promise((resolve) => setTimeout(resolve, settled))

  const forked = (run: (fork: testing.TestServer) => Promise<unknown>) => async () => {
    const fork = await server.fork()
    await run(fork)
    await fork.close()
  }
  const read = forked(async (fork) => (await fork.fetch(request)).text())
  const write = forked((fork) => fork.objects('v1', 'ConfigMap').create({ metadata: { name: 'two' }, data }))
  report('fork, a read, close', (await perRun(50, read)) / 1000, 'ms', '2')
  report('fork, a create, close', (await perRun(50, write)) / 1000, 'ms', '')
  for (let at = 0; at < 10_000; at++) await configMaps.create({ metadata: { name: `stored-${at}` }, data })
  await new Promise((resolve) => setTimeout(resolve, settled))
  report('fork, a read, close, with 10,000 objects stored', (await perRun(50, read)) / 1000, 'ms', '2')
  let created = 0
  report('objects.get', await perCall(2_000, () => configMaps.get('one')), 'µs', '30')
  report('objects.list of 100', await perCall(300, () => listed.list()), 'µs', '150')
  report('objects.create', await perCall(500, () => configMaps.create({ metadata: { name: `created-${created++}` }, data })), 'µs', '120')
  const url = 'http://apiserver.test/api/v1/namespaces/default/configmaps/one'
  report('fetch(new Request)', await perCall(1_000, async () => (await server.fetch(new Request(url))).text()), 'µs', '80')
  const snapshot = server.snapshot()
  const restored = await server.fork()
  const restoring = async () => {
    await restored.restore(snapshot)
    await (await restored.fetch(request)).text()
  }
  report('restore, a read', (await perRun(50, restoring)) / 1000, 'ms', '2')

  const idle = 500
  const empty = await heap()
  const forks = await Promise.all(Array.from({ length: idle }, () => server.fork()))
  report('memory of an idle fork', ((await heap()) - empty) / idle / 1000, 'kB', '60')
  for (const fork of forks) await (await fork.fetch(request)).text()
  report('memory of a fork that has been asked', ((await heap()) - empty) / idle / 1000, 'kB', '')
  for (const fork of forks.splice(0)) await fork.close()
  const closed = 1_000
  for (let at = 0; at < roundsToCompile * closed; at++) await read()
  const before = await heap()
  for (let at = 0; at < closed; at++) await read()
  report('memory that a closed fork leaves', ((await heap()) - before) / closed / 1000, 'kB', '0')

  const many: testing.TestServer[] = []
  const few = await heap()
  for (let at = 0; at < 10_000; at++) many.push(await server.fork())
  report('memory of 10,000 idle forks', ((await heap()) - few) / 2 ** 20, 'MiB', '1,024')
  for (const fork of many.splice(0)) await fork.close()

  await restored.close()
  await server.close()
}

/** Seconds that a suite takes in a process of its own, with its start and its report: by the clock on the wall, and of processor time. */
function suite(bundle: string): { readonly elapsed: number; readonly processor: number } {
  const env = { ...process.env, BUNDLE: pathToFileURL(resolve(bundle)).href }
  const began = performance.now()
  const output = execFileSync(process.execPath, ['test/bench/testing/suite.mjs'], { env, encoding: 'utf8', maxBuffer: 2 ** 26 })
  const elapsed = (performance.now() - began) / 1000
  if (!/^# pass 2000$/m.test(output) && !/^ℹ pass 2000$/m.test(output)) throw new Error(output.slice(-2_000))
  return { elapsed, processor: Number(output.trim().split('\n').at(-1)) }
}

/** Beside the original, where it is installed. */
async function beside(bundle: string): Promise<void> {
  const missing = withoutOriginal()
  if (missing !== undefined) console.log(`\nkube-apiserver is not measured: ${missing}`)
  const subjects = [await ownSubject(bundle), ...(missing === undefined ? [await originalSubject()] : [])]
  try {
    const names = subjects.map(({ name }) => name)
    const steps = await compared(subjects)
    console.log(`\n| | ${names.join(' | ')} |\n|${' --- |'.repeat(names.length + 1)}`)
    for (const { name, milliseconds } of steps) console.log(`| ${[name, ...milliseconds.map(duration)].join(' | ')} |`)
    const machine = `By the clock on the wall, the least of 20 rounds; ${cpus().length} cores, node ${process.version}. The scale is logarithmic.`
    if (missing === undefined) writeFileSync('test/bench/testing.svg', durationPicture('The steps of a test', names, steps, machine))
  } finally {
    for (const subject of subjects) await subject.stop()
  }
}

const only = process.env['ONLY']
const bundle = 'dist/testing.js'
if (only !== 'beside') {
  await main((await import(resolve(bundle))) as typeof testing)
  const runs = Array.from({ length: rounds }, () => suite(bundle))
  report('2,000 tests of node:test, with a fork, a patch and a get each', median(runs.map(({ processor }) => processor)), 's', '')
  report('the same, by the clock on the wall', median(runs.map(({ elapsed }) => elapsed)), 's', '10')
}
if (only !== 'own') await beside(bundle)
process.exit()
