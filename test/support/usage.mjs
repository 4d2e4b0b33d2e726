/** Loaded into test processes by `test/run.mjs --slowest`: at their end they note what they took, in the file that the environment names. */
import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { after, before } from 'node:test'

/** Milliseconds of processor time: this process's, and on Linux also those of processes that it waited for. */
export function processorTime() {
  const { user, system } = process.cpuUsage()
  return { own: (user + system) / 1000, children: childrenTime() }
}

/** Of `/proc/self/stat`, after the name in parentheses: fields 16 and 17 (proc(5)), in hundredths of a second. */
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
  const note = () => JSON.stringify({ file, elapsed: performance.now(), ...processorTime() })
  process.once('exit', () => appendFileSync(notes, `${note()}\n`))
}

/** Within a process of many files: notes what the tests of one take, without what loading it took. */
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

/** The files that took most, as lines to print: elapsed seconds, and processor seconds of the file's process and of those that it started. */
export function slowestProcesses(path, count) {
  const seconds = (milliseconds) => (milliseconds / 1000).toFixed(1).padStart(7)
  const all = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const rows = all.toSorted((a, b) => b.own + b.children - a.own - a.children).slice(0, count)
  return rows.map(({ file, elapsed, own, children }) => `${seconds(elapsed)}${seconds(own)}${seconds(children)}  ${file}`)
}
