/**
 * Runs the tests: `node test/run.mjs [--write-table] [part of a path]…`; with --write-table README's table of runtimes is made anew.
 * Tests that measure speed run alone, after all others.
 * Ends with one line 'N passed, N failed' and status 1 when anything failed.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { runtimeTable, updateReadme } from './support/runtime-table.mjs'
import { bringRuntimes } from './support/runtimes.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'))
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const files = readdirSync(new URL('.', import.meta.url), { recursive: true })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts') && (wanted.length === 0 || wanted.some((part) => path.includes(part))))
  .toSorted()
const measures = (path) => path.endsWith('-speed.test.ts')

/** Milliseconds for one file: many times what the longest takes, so that one that hangs ends and is named. */
const longestFile = 900_000

/** Runs files and returns their counts. */
async function run(paths, concurrency) {
  if (paths.length === 0) return { passed: 0, failed: 0, skipped: 0, cells: [] }
  const reporter = new URL('support/reporter.mjs', import.meta.url).href
  const options = [
    '--import',
    'tsx',
    '--test',
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${longestFile}`,
    `--test-reporter=${reporter}`,
  ]
  const child = spawn(process.execPath, [...options, ...paths], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  let last = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (last + text).split('\n')
    last = lines.pop()
    for (const line of lines) {
      if (line.startsWith('{"passed":')) counts = JSON.parse(line)
      else process.stdout.write(`${line}\n`)
    }
  })
  let counts
  await new Promise((resolve) => child.on('close', resolve))
  return counts ?? { passed: 0, failed: 1, skipped: 0, cells: [] }
}

const unavailable = bringRuntimes(new URL('..', import.meta.url))
if (unavailable !== undefined) console.log(unavailable)
// Tests start the daemon as users do: bundled.
execFileSync('npm', ['run', '--silent', 'bundle'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
// And compiled: the executable of another runtime, where that is at hand.
if (files.some((path) => path.endsWith('-bun.test.ts')))
  spawnSync('npm', ['run', '--silent', 'build:binary'], { cwd: root, stdio: ['ignore', 'ignore', 'ignore'] })
if (files.length === 0) console.log(`no test file matches ${wanted.join(', ')}`)
const began = performance.now()
const results = [
  await run(
    files.filter((path) => !measures(path)),
    Math.max(2, availableParallelism()),
  ),
  await run(files.filter(measures), 1),
]
const sum = (field) => results.reduce((total, each) => total + each[field], 0)
const skipped = sum('skipped')
const cells = results.flatMap((result) => result.cells)
if (cells.length > 0) console.log(runtimeTable(cells))
const stale = updateReadme(cells, options.includes('--write-table'))
if (stale) console.log(stale)
console.log(`${((performance.now() - began) / 1000).toFixed(1)} s${skipped > 0 ? `, ${skipped} skipped` : ''}`)
const failed = sum('failed') + (stale ? 1 : 0)
console.log(`${sum('passed')} passed, ${failed} failed`)
process.exitCode = files.length > 0 && failed === 0 ? 0 : 1
