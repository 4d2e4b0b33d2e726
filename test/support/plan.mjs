/**
 * Which test files run, and in which processes. Tests run from JavaScript that is transpiled once; files of `test/core` that share nothing
 * but the process are loaded several at a time, since loading the server takes longer than most of them.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'

const output = 'build/js'
/** Files in one process, at most. */
const groupSize = 12

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

/** A file with hooks of its own on the top level needs a process of its own: they would be those of every file in it. */
const standsAlone = (root, path) =>
  !path.startsWith('test/core/') || /^(before|after)(Each)?\(/m.test(readFileSync(new URL(path, root), 'utf8'))

const javascript = (path) => `${output}/${path.replace(/\.ts$/, '.js')}`

/** Writes a file that loads the others, named after the room of the first. */
function writeGroup(root, paths, number) {
  const [, , room = ''] = (paths[0] ?? '').split('/')
  const name = `${output}/groups/${number}-${room.replace(/\.test\.ts$/, '')}.test.js`
  const imports = paths.map((path) => `import '../${path.replace(/\.ts$/, '.js')}'\n`)
  writeFileSync(new URL(name, root), imports.join(''))
  return name
}

/** What the processes of a run load: those that may run side by side, and those that measure speed and so run alone. */
export function processes(root, files) {
  mkdirSync(new URL(`${output}/groups/`, root), { recursive: true })
  const together = files.filter((path) => !measures(path) && !standsAlone(root, path))
  const alone = files.filter((path) => !measures(path) && standsAlone(root, path))
  const groups = []
  for (let start = 0; start < together.length; start += groupSize)
    groups.push(writeGroup(root, together.slice(start, start + groupSize), groups.length))
  return { sideBySide: [...alone.map(javascript), ...groups], measuring: files.filter(measures).map(javascript) }
}
