/**
 * Which test files run, and in which processes. Tests run from JavaScript that is transpiled once; those that run
 * within one process are loaded many at a time, since loading the server takes longer than most of them.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'

const output = 'build/js'
/** Files in one process, at most. */
const groupSize = 48
/** The same for files that measure work, which takes long. */
const measuredGroupSize = 3

const isInProcess = (path) => path.startsWith('test/core/') || path.endsWith('-in-process.test.ts')
/** Files that look for work that grows faster than its input, by processor time, so that others may run meanwhile. */
const measuresWork = (path) => path.startsWith('test/core/complexity/')
/** Files that measure speed, and so run alone. */
const measuresSpeed = (path) => path.endsWith('-speed.test.ts')
const isQuick = (path) => isInProcess(path) && !measuresWork(path) && !measuresSpeed(path)
const isSoak = (path) => path.endsWith('.soak.test.ts')

/** Test files whose path has one of the given parts (none: all), by their TypeScript source; `mode`: 'all', 'quick' or 'soak'. */
export function testFiles(root, wanted, mode) {
  return readdirSync(new URL('test/', root), { recursive: true })
    .map((path) => `test/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => wanted.length === 0 || wanted.some((part) => path.includes(part)))
    .filter((path) => mode === 'soak' || !isSoak(path))
    .filter((path) => mode !== 'quick' || isQuick(path))
    .toSorted()
}

/** Transpiles everything below the root; throws what the compiler says. */
export function transpile(root) {
  const compiler = new URL('node_modules/typescript/bin/tsc', root)
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler.pathname, '-p', 'tsconfig.test.json'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the tests can't be transpiled:\n${stdout}${stderr}`)
}

/** Dealt out like cards: files of a folder take about as long as each other, and so do the groups then. */
function deal(paths, size) {
  const count = Math.ceil(paths.length / size)
  return Array.from({ length: count }, (_, group) => paths.filter((_path, index) => index % count === group))
}

/** Writes a file that loads the others, and returns its path. */
function writeGroup(root, paths, number) {
  const files = paths.map((path) => path.replace(/\.ts$/, '.js'))
  const name = `${output}/groups/${files.length === 1 ? files[0].replaceAll('/', '.') : `${number}.test.js`}`
  const rows = files.map((file) => `  ['${file}', () => import('../${file}')],\n`)
  writeFileSync(new URL(name, root), `import { group } from '../../../test/support/group.mjs'\n\ngroup([\n${rows.join('')}])\n`)
  return name
}

/** What the processes of a run load: those that may run side by side, and those that measure speed and so run alone. */
export function processes(root, files) {
  mkdirSync(new URL(`${output}/groups/`, root), { recursive: true })
  const speed = files.filter(measuresSpeed)
  const work = files.filter(measuresWork)
  const inProcess = files.filter(isQuick)
  const others = files.filter((path) => !measuresSpeed(path) && !isInProcess(path))
  const write = (groups) => groups.map((paths, number) => writeGroup(root, paths, number))
  const sideBySide = [...deal(work, measuredGroupSize), ...deal(inProcess, groupSize), ...deal(others, 1)]
  return { sideBySide: write(sideBySide), measuring: write(deal(speed, 1)) }
}
