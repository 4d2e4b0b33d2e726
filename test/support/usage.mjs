/** Loaded into test processes by `test/run.mjs`. At exit they append their usage to the file named in the environment. */
import { appendFileSync, readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { after, before } from 'node:test'

/** Milliseconds of processor time of this process and, on Linux, of its finished child processes. */
export function processorTime() {
  const { user, system } = process.cpuUsage()
  return { own: (user + system) / 1000, children: childrenTime() }
}

/** Fields 16 and 17 of `/proc/self/stat` (proc(5)), in hundredths of a second. */
function childrenTime() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    return 0
  }
}

const { APISERVER_TEST_USAGE: notes } = process.env
if (notes !== undefined) {
  const file = relative(process.cwd(), process.argv[1] ?? '')
  const note = () => JSON.stringify({ file, node: process.version, elapsed: performance.now(), ...processorTime() })
  process.once('exit', () => appendFileSync(notes, `${note()}\n`))
}

/** In a process with many files: records the usage of the tests of one file, without loading it. */
export function noteUsage(file) {
  if (notes === undefined) return
  let began = 0
  let own = 0
  before(() => {
    began = performance.now()
    own = processorTime().own
  })
  after(() => {
    const took = { elapsed: performance.now() - began, own: processorTime().own - own, children: 0 }
    appendFileSync(notes, `${JSON.stringify({ file: `  ${file}`, ...took })}\n`)
  })
}

const seconds = (milliseconds) => (milliseconds / 1000).toFixed(1).padStart(7)

/** What was appended. */
const notesAt = (path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** Lines with the processor seconds of each kind of test processes (see plan.mjs) and their children, those on other releases of Node apart. */
export function usageByKind(path) {
  const sums = new Map()
  for (const { file, node, own, children } of notesAt(path)) {
    // Of processes, not of the files in them.
    if (node === undefined) continue
    const kind = basename(file).replace(/^\d-/, '').replace(/\..*/, '')
    const name = node === process.version ? kind : `${kind} on Node ${node}`
    sums.set(name, (sums.get(name) ?? 0) + own + children)
  }
  const rows = [...sums].toSorted(([, a], [, b]) => b - a)
  return rows.length > 0 ? ['processor time of tests:', ...rows.map(([name, sum]) => `${seconds(sum)} s  ${name}`)] : []
}

/** The most expensive files as lines to print: elapsed seconds, and processor seconds of the process and of its children. */
export function slowestProcesses(path, count) {
  const all = notesAt(path)
  const rows = all.toSorted((a, b) => b.own + b.children - a.own - a.children).slice(0, count)
  return rows.map(({ file, elapsed, own, children }) => `${seconds(elapsed)}${seconds(own)}${seconds(children)}  ${file}`)
}
