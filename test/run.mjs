/**
 * Runs the tests: `node test/run.mjs [--quick | --soak] [--also-on=NODE]… [--smoke-on=NODE]… [--slowest] [--write-table] [part of a path]…`
 *
 *   --quick        only in-process tests: the core, and the HTTP and watch suites in-process; without the files that detect non-linear
 *                  work (test/complexity) and those that measure speed
 *   --soak         soak runs too: files named *.soak.test.ts, and more trials in others (which see APISERVER_SOAK=1)
 *   --also-on=NODE runs the in-process tests on another Node, too, whose path this is; beside the others, at low priority
 *   --smoke-on=NODE the same with a part of them: the suites of every runtime, and what calls the runtime's cryptography, streams and texts
 *   --slowest      lists the slowest tests, and the most expensive test processes: elapsed seconds, and seconds of processor time of the
 *                  process and of its children
 *   --write-table  updates README's table of runtimes
 *
 * Random tests use the same seed in every run, and another one with --soak; APISERVER_SEED=<integer> sets it. The seed is printed.
 * Tests that measure speed run alone, after all others.
 * Prints at once how many files it runs, counts every ten seconds, failures as they happen and again at the end, where no log hides them, the skipped tests with their reasons,
 * processor time by kind of test process, the duration, and a last line 'N passed, N failed'; the exit status is 1 if anything failed. Interrupted or terminated, it ends all processes
 * that it started.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism, setPriority } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endGroupsWithProcess, startGroup } from './support/children.mjs'
import { isQuick, isSmoke, processes, testFiles, transpile } from './support/plan.mjs'
import { createProgress, skippedLines } from './support/progress.mjs'
import { runtimeTable, updateReadme } from './support/runtime-table.mjs'
import { processorTime, slowestProcesses, usageByKind } from './support/usage.mjs'

const root = new URL('..', import.meta.url)
const isOption = (argument) => argument.startsWith('--')
const options = process.argv.slice(2).filter(isOption)
const wanted = process.argv.slice(2).filter((argument) => !isOption(argument))
const has = (name) => options.includes(`--${name}`)
/** Paths of other Nodes that an option names. */
const nodesOf = (option) => options.filter((each) => each.startsWith(option)).map((each) => resolve(each.slice(option.length)))
const files = testFiles(root, wanted, has('quick') ? 'quick' : has('soak') ? 'soak' : 'all')

/** Timeout for one file in milliseconds: many times the longest duration, so that a hanging file is ended and named. */
const longestFile = has('soak') ? 7_200_000 : 3_600_000

/** Seed of random tests. */
const seed = process.env.APISERVER_SEED ?? (has('soak') ? String(Date.now() & 0x7fffffff) : '0')
const seedNote = `random tests ran with APISERVER_SEED=${seed}; another: APISERVER_SEED=<integer>`

/** File to which test processes append their usage. */
const usage = fileURLToPath(new URL('build/usage.jsonl', root))

/** An option of V8 in a list, or an empty list if a Node doesn't have it. */
const accepted = (option, node = process.execPath) => (spawnSync(node, [option, '--version']).status === 0 ? [option] : [])

/** Runs files, so many at a time, in processes with this niceness and these options of Node, and returns their counts. */
async function run(paths, concurrency, { niceness = 0, nodeOptions = [], node = process.execPath } = {}) {
  if (paths.length === 0) return { passed: 0, failed: 0, files: 0, failures: [], skipped: [], cells: [], slowest: [] }
  const reporter = new URL('support/reporter.mjs', import.meta.url).href
  const options = [
    // With as many processes as processors, parallel garbage collection costs more than it saves.
    '--single-threaded-gc',
    ...nodeOptions,
    '--test',
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${longestFile}`,
    `--test-reporter=${reporter}`,
    '--import',
    new URL('support/async-hooks.mjs', import.meta.url).href,
    '--import',
    new URL('support/usage.mjs', import.meta.url).href,
  ]
  // Each process that Node starts would parse this bundle first, which takes 35 ms for a system's. Only npm needs it.
  const { NODE_EXTRA_CA_CERTS: authorities, ...inherited } = process.env
  const env = {
    ...inherited,
    ...(authorities && { APISERVER_TEST_NPM_CA_CERTS: authorities }),
    APISERVER_SEED: seed,
    ...(has('soak') && { APISERVER_SOAK: '1' }),
    APISERVER_TEST_USAGE: usage,
  }
  const child = startGroup(node, [...options, ...paths], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  if (niceness > 0) setPriority(child.pid, niceness)
  let last = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (last + text).split('\n')
    last = lines.pop()
    for (const line of lines) {
      if (line.startsWith('{"passed":')) counts = JSON.parse(line)
      else if (line.startsWith('{"progress":')) progress.update(child.pid, JSON.parse(line).progress)
      else process.stdout.write(`${line}\n`)
    }
  })
  let counts
  await new Promise((resolve) => child.on('close', resolve))
  if (counts) progress.update(child.pid, counts)
  return (
    counts ?? {
      passed: 0,
      failed: 1,
      files: 0,
      failures: ['not ok: a test runner ended without its counts'],
      skipped: [],
      cells: [],
      slowest: [],
    }
  )
}

/** Runs in-process tests on other Nodes, one after the other. Only their counts, failures and skipped tests matter. */
async function runElsewhere(runs, options) {
  const results = []
  for (const { node, paths } of runs) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
    const began = performance.now()
    const result = await run(paths, processors, { niceness: 15, node, nodeOptions: options(node) })
    console.log(`on Node ${version}: ${result.passed} passed, ${result.failed} failed in ${seconds(performance.now() - began)}`)
    results.push({ ...result, failures: result.failures.map((failure) => `on Node ${version}: ${failure}`), cells: [], slowest: [] })
  }
  return results
}

/** Builds what tests start: the bundled daemon, and the executable if Bun is available. */
async function build() {
  const { bringRuntimes } = await import(new URL('build/js/runtimes/bring.js', root))
  const unavailable = bringRuntimes(fileURLToPath(root), ['bun', 'deno', 'workerd', 'node24'])
  if (unavailable !== undefined) console.log(unavailable)
  execFileSync('npm', ['run', '--silent', 'bundle'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (!files.some((path) => path.endsWith('-bun.test.ts') || path.endsWith('executable.test.ts'))) return
  const { status } = spawnSync('npm', ['run', '--silent', 'build:binary'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status === 0) process.env.APISERVER_EXECUTABLE = fileURLToPath(new URL('build/apiserver', root))
}

if (files.length === 0) console.log(`no test file matches ${wanted.join(', ')}`)
const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`
const began = performance.now()
endGroupsWithProcess()
const [alsoOn, smokeOn] = [nodesOf('--also-on='), nodesOf('--smoke-on=')]
const progress = createProgress(files.length + alsoOn.length * files.filter(isQuick).length + smokeOn.length * files.filter(isSmoke).length)
if (files.length > 0) console.log(`${files.length} test files; transpiling them`)
transpile(root)
writeFileSync(usage, '')
const { quick, smoke, sideBySide, work, speed } = processes(root, files)
const elsewhereRuns = [...alsoOn.map((node) => ({ node, paths: quick })), ...smokeOn.map((node) => ({ node, paths: smoke }))]
const processors = availableParallelism()
// These need no build and never wait. At low priority they use the processors while the others wait, and when few of them are left.
const working = run(work, processors, { niceness: 10 })
if (!has('quick')) await build()
/**
 * Twice the default size, which halves the number of collections. Files that measure work keep the default: the finder's limits on memory
 * depend on it.
 */
const largeYoungGeneration = ['--max-semi-space-size=32']
/**
 * Eight times the default, so that functions are optimised later. Most of them run too seldom in tests to repay their optimisation, which would
 * take a fifth of the processor time of in-process tests.
 */
const lateOptimisation = (node) => accepted('--interrupt-budget=1056000', node)
const ofTests = (node) => [...largeYoungGeneration, ...lateOptimisation(node)]
const [elsewhere, ...results] = await Promise.all([
  runElsewhere(elsewhereRuns, ofTests),
  // One more than processors, because tests that start daemons also wait, for timers, disks and other processes. More of them end no sooner.
  run(sideBySide, processors + 1, { nodeOptions: ofTests() }),
  working,
])
results.push(...elsewhere, await run(speed, 1))
progress.stop()
const sum = (field) => results.reduce((total, each) => total + each[field], 0)
const skipped = results.flatMap((result) => result.skipped)
const cells = results.flatMap((result) => result.cells)
if (cells.length > 0 && !has('quick')) console.log(runtimeTable(cells))
const stale = updateReadme(cells, has('write-table'))
if (stale) console.log(stale)
if (has('slowest')) {
  for (const { name, milliseconds } of results.flatMap((result) => result.slowest))
    console.log(`${seconds(milliseconds).padStart(9)}  ${name}`)
  console.log(slowestProcesses(usage, 40).join('\n'))
}
for (const line of skippedLines(skipped)) console.log(line)
for (const failure of results.flatMap((result) => result.failures)) console.log(failure)
for (const line of usageByKind(usage)) console.log(line)
const { own, children } = processorTime()
const busy = children > 0 ? ` (${seconds(own + children)} of processor time)` : ''
console.log(seedNote)
console.log(
  `${seconds(performance.now() - began)}${busy}${skipped.length > 0 ? `, ${skipped.flatMap(([, names]) => names).length} skipped` : ''}`,
)
const failed = sum('failed') + (stale ? 1 : 0)
console.log(`${sum('passed')} passed, ${failed} failed`)
process.exitCode = files.length > 0 && failed === 0 ? 0 : 1
