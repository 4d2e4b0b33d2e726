/**
 * Which test files run, and in which processes. Tests run from JavaScript that is transpiled once; those that run
 * within one process are loaded many at a time, since loading the server takes longer than most of them.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'

const output = 'build/js'
/** Files in one process, at most. */
const groupSize = 24

const isQuick = (path) => path.startsWith('test/core/') || path.endsWith('-in-process.test.ts')
const isSoak = (path) => path.endsWith('.soak.test.ts')
const measures = (path) => path.endsWith('-speed.test.ts')

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

/** What shares nothing but the process, so that it may share that. */
const isShareable = (path) => !isLong(path) && (path.startsWith('test/core/') || path.endsWith('-in-process.test.ts'))
/** Files that take as long as a group of others. */
const isLong = (path) => path.startsWith('test/core/complexity/')

const javascript = (path) => `${output}/${path.replace(/\.ts$/, '.js')}`

/** Writes a file that loads the others, each in a suite of its own, so that hooks on a file's top level are those of its tests alone. */
function writeGroup(root, paths, number) {
  const name = `${output}/groups/${number}.test.js`
  const suites = paths.map((path) => {
    const file = path.replace(/\.ts$/, '.js')
    return `describe('${file}', async () => {\n  noteUsage('${file}')\n  await import('../${file}')\n})\n`
  })
  writeFileSync(
    new URL(name, root),
    `import { describe } from 'node:test'\nimport { noteUsage } from '../../../test/support/usage.mjs'\n${suites.join('')}`,
  )
  return name
}

/** What the processes of a run load: those that may run side by side, and those that measure speed and so run alone. */
export function processes(root, files) {
  mkdirSync(new URL(`${output}/groups/`, root), { recursive: true })
  const together = files.filter((path) => !measures(path) && isShareable(path))
  const alone = files.filter((path) => !measures(path) && !isShareable(path))
  const count = Math.ceil(together.length / groupSize)
  // Dealt out like cards: files of a folder take about as long as each other, and so do the groups then.
  const groups = Array.from({ length: count }, (_, group) => together.filter((_path, index) => index % count === group))
  const grouped = groups.map((paths, number) => writeGroup(root, paths, number))
  return { sideBySide: [...grouped, ...alone.map(javascript)], measuring: files.filter(measures).map(javascript) }
}
