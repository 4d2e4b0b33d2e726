/**
 * Selects test files and assigns them to processes. Tests run from JavaScript that is transpiled once. In-process tests
 * share processes, because loading the server takes longer than most of them.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { runPaths } from '../conformance/runs.mjs'

const output = 'build/js'
/** Maximum number of files in one process. */
const groupSize = 80
/** The same for files that measure work and take long. */
const measuredGroupSize = 3
/** The same for files of the runtimes, which wait for sockets and disks, so that more of them wait at the same time. */
const runtimeGroupSize = 8

/** Folders whose tests run in one process without ports. */
const inProcessFolders = ['test/architecture/', 'test/complexity/', 'test/core/']
const isInProcess = (path) => inProcessFolders.some((folder) => path.startsWith(folder)) || path.endsWith('-in-process.test.ts')
/** Files of the runtimes that start daemons, other runtimes or etcd again and again, and wait for them. */
const startsPrograms =
  /^test\/runtimes\/(linearizability|testing\/runners|node\/long-lists|stores\/(log\/crash|etcd\/etcd|store-runtimes))\.test\.ts$/
const sharesProcess = (path) => path.startsWith('test/runtimes/') && !measuresSpeed(path) && !startsPrograms.test(path)
/** Files that take longest. */
const isLong = (path) => /\/(workflows|kubectl|package|explain|linearizability|store-runtimes)\.test\.ts$/.test(path)
/** Files that measure work by processor time, or how long input of others holds the thread, so that they may run beside others. */
const measuresWork = (path) => path.startsWith('test/complexity/') || /^test\/core\/.*\/(hostile-\w+|pauses)\.test\.ts$/.test(path)
/** Files that measure speed and therefore run alone. */
const measuresSpeed = (path) => path.endsWith('-speed.test.ts')
/** Whether a file is of the quick suite. */
export const isQuick = (path) => isInProcess(path) && !measuresWork(path) && !measuresSpeed(path)
/** Folders whose code calls what differs between releases of Node: cryptography, streams, sockets of clients, texts and their formats. */
const runtimeFolders = ['access/authn', 'answers', 'encryption', 'outgoing', 'request', 'schema/formats'].map(
  (folder) => `test/core/${folder}/`,
)
/** Whether a file of the quick suite also runs on releases of Node between the oldest and the newest. */
export const isSmoke = (path) => isQuick(path) && (runPaths.has(path) || runtimeFolders.some((folder) => path.startsWith(folder)))
const isSoak = (path) => path.endsWith('.soak.test.ts')

/** Test files, and runs of suites (runs.mjs), whose path contains one of `wanted` (empty: all), by their TypeScript source; `mode`: 'all', 'quick' or 'soak'. */
export function testFiles(root, wanted, mode) {
  return readdirSync(new URL('test/', root), { recursive: true })
    .map((path) => `test/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts'))
    .concat(...runPaths.keys())
    .filter((path) => wanted.length === 0 || wanted.some((part) => path.includes(part)))
    .filter((path) => mode === 'soak' || !isSoak(path))
    .filter((path) => mode !== 'quick' || isQuick(path))
    .toSorted()
}

/** Transpiles everything below the root; throws with the compiler's output. */
export function transpile(root) {
  const compiler = new URL('node_modules/typescript/bin/tsc', root)
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler.pathname, '-p', 'tsconfig.test.json'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the tests can't be transpiled:\n${stdout}${stderr}`)
}

/** Distributes files round-robin: files of one folder take about as long as each other, so groups do too. */
function deal(paths, size) {
  const count = Math.ceil(paths.length / size)
  return Array.from({ length: count }, (_, group) => paths.filter((_path, index) => index % count === group))
}

/** Expression that loads a test file, or declares the tests of a run. */
function loaderOf(path, file) {
  const run = runPaths.get(path)
  if (run === undefined) return `import('../${file}')`
  return `import('../test/conformance/suites.js').then(({ declareRun }) => declareRun('${run.suite}', '${run.runtime}'))`
}

/**
 * Writes a file that loads the others; returns its path. Node runs files in the order of their names. So kinds have numbers: a long file that
 * starts last would run alone at the end. Files that wait for other programs come before those that only compute, which can use all processors
 * until the end.
 */
function writeGroup(root, paths, kind, number) {
  const jsOf = (path) => path.replace(/\.ts$/, '.js')
  const name = `${output}/groups/${kind}.${paths.length === 1 ? jsOf(paths[0]).replaceAll('/', '.') : `${number}.test.js`}`
  const rows = paths.map((path) => `  ['${jsOf(path)}', () => ${loaderOf(path, jsOf(path))}],\n`)
  writeFileSync(new URL(name, root), `import { group } from '../../../test/support/group.mjs'\n\ngroup([\n${rows.join('')}])\n`)
  return name
}

/**
 * Files for the processes of a run: those that run in parallel, which include those of the quick suite (`quick`), those of its part for other releases
 * of Node (`smoke`), those that measure work, and those that measure speed and run alone.
 */
export function processes(root, files) {
  mkdirSync(new URL(`${output}/groups/`, root), { recursive: true })
  const speed = files.filter(measuresSpeed)
  const work = files.filter(measuresWork)
  const inProcess = files.filter(isQuick)
  const runtimes = files.filter(sharesProcess)
  const others = files.filter((path) => !measuresSpeed(path) && !isInProcess(path) && !sharesProcess(path))
  const write = (kind, paths, size) => deal(paths, size).map((group, number) => writeGroup(root, group, kind, number))
  const quick = write('3-in-process', inProcess, groupSize)
  return {
    quick,
    smoke: write('smoke', files.filter(isSmoke), groupSize),
    sideBySide: [
      ...write('0-long', others.filter(isLong), 1),
      ...write(
        '1-other',
        others.filter((path) => !isLong(path)),
        1,
      ),
      ...write('2-runtimes', runtimes, runtimeGroupSize),
      ...quick,
    ],
    work: write('work', work, measuredGroupSize),
    speed: write('speed', speed, 1),
  }
}
