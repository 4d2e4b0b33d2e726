/** The executable built by `npm run build:binary`, alone in an empty folder. */
import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { apiOf, configMap } from '../support/api.ts'
import { runProgram, startDaemon } from '../support/daemon.ts'
import { root } from '../support/root.ts'
import { run } from '../support/run.ts'
import { without } from '../support/runtimes.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const collection = '/api/v1/namespaces/default/configmaps'

describe('the executable', { skip: without('bun'), timeout: 3_600_000 }, () => {
  const { path: directory, remove } = temporaryDirectory()
  const alone = join(directory, 'alone')
  before(async () => {
    // Built by `test/run.mjs` in this run.
    const made = process.env['APISERVER_EXECUTABLE']
    const built = made ?? join(directory, 'built')
    const build = ['--import', 'tsx', 'runtimes/bun/build.ts', built]
    const { code, stderr } = made === undefined ? await run(process.execPath, build, { cwd: root }) : { code: 0, stderr: '' }
    assert.equal(code, 0, stderr)
    if (made === undefined) renameSync(built, alone)
    else copyFileSync(made, alone)
  })
  after(remove)

  test('prints version and flags', async () => {
    assert.match((await runProgram(['--version'], [alone])).stdout, /^Platform v1\.36/)
    assert.match((await runProgram(['--help'], [alone])).stdout, /--data-dir/)
  })

  test('keeps its data when it is killed', async () => {
    const home = join(directory, 'home')
    const first = await startDaemon({ command: [alone], directory: home })
    await apiOf(first.fetch).create(collection, configMap('kept', { k: 'v' }))
    await first.stop('SIGKILL')
    const second = await startDaemon({ command: [alone], directory: home })
    try {
      assert.deepEqual((await apiOf(second.fetch).get(`${collection}/kept`)).body.data, { k: 'v' })
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
