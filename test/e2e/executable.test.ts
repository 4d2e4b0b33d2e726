/** The executables built by `npm run build:binary`, alone in an empty folder, and by `npm run build:deno`. */
import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { apiOf, configMap } from '../support/api.ts'
import { runProgram, startDaemon } from '../support/daemon.ts'
import { root } from '../support/root.ts'
import { run } from '../support/run.ts'
import { without } from '../support/runtimes.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { scripts: { start: string } }
const npmStart = scripts.start
const collection = '/api/v1/namespaces/default/configmaps'

/** The stand-in for Deno's runtime is an ELF file. */
const withoutDeno = process.platform === 'linux' ? without('deno') : 'needs Linux'

/** Asserts that a build ends with path, size and the command to type next. */
function assertSummary(stdout: string, executable: string): void {
  const path = `./${relative(root, executable)}`
  const size = Math.round(statSync(executable).size / 2 ** 20)
  const command = npmStart.replace('exec node dist/bin/bin.js', path)
  assert.match(command, /^\S+ --platform kubernetes --data-dir .* --write-kubeconfig \S+$/)
  assert.ok(stdout.endsWith(`${path}: ${size} MiB. Start it:\n  ${command}\n`), stdout)
}

describe('the executable', { skip: without('bun'), timeout: 3_600_000 }, () => {
  const { path: directory, remove } = temporaryDirectory()
  const alone = join(directory, 'alone')
  before(async () => {
    // Built by `test/run.mjs` in this run.
    const made = process.env['APISERVER_EXECUTABLE']
    const built = made ?? join(directory, 'built')
    const build = ['--import', 'tsx', 'runtimes/bun/build.ts', built]
    if (made === undefined) {
      const { code, stdout, stderr } = await run(process.execPath, build, { cwd: root })
      assert.equal(code, 0, stderr)
      assertSummary(stdout, built)
    }
    if (made === undefined) renameSync(built, alone)
    else copyFileSync(made, alone)
  })
  after(remove)

  test('prints version and flags', async () => {
    assert.match((await runProgram(['--version'], [alone])).stdout, /^Platform v1\.36/)
    assert.match((await runProgram(['--help'], [alone])).stdout, /--data-dir/)
  })

  test('keeps its data when it is killed, and shows what it does', async () => {
    const home = join(directory, 'home')
    const first = await startDaemon({ command: [alone], directory: home })
    await apiOf(first.fetch).create(collection, configMap('kept', { k: 'v' }))
    await first.stop('SIGKILL')
    const second = await startDaemon({ command: [alone], directory: home })
    try {
      assert.deepEqual((await apiOf(second.fetch).get(`${collection}/kept`)).body.data, { k: 'v' })
      const top = await runProgram(['top', '--kubeconfig', second.kubeconfig], [alone])
      assert.deepEqual([top.code, top.stderr], [0, ''])
      assert.match(top.stdout, /^In flight\n {2}GET \/debug\/live\/stream +1$/m)
      assert.deepEqual(readdirSync(directory).toSorted(), ['alone', 'home'], 'it creates no files beside itself')
    } finally {
      await second.stop()
    }
  })

  test('is a drop-in under the name kube-apiserver', async () => {
    const named = join(directory, 'kube-apiserver')
    copyFileSync(alone, named)
    assert.match((await runProgram(['--version'], [named])).stdout, /^Kubernetes v1\.36/)
  })
})

test('npm run build:deno ends with path, size and the command to type next', { skip: withoutDeno, timeout: 3_600_000 }, async () => {
  const { path: directory, remove } = temporaryDirectory()
  try {
    const built = join(directory, 'built')
    // Any executable of this platform stands in for Deno's runtime, which is downloaded; so the result is not run here.
    const env = { ...process.env, DENORT_BIN: '/bin/true' }
    const { code, stdout, stderr } = await run(process.execPath, ['--import', 'tsx', 'runtimes/deno/build.ts', built], { cwd: root, env })
    assert.equal(code, 0, stderr)
    assertSummary(stdout, built)
    assert.ok(statSync(built).size < 100 * 2 ** 20, 'it contains no packages that only builds and tests need')
  } finally {
    remove()
  }
})
