/** Ownership of a data directory. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ownerOf, takeOwnership } from '../../../../runtimes/stores/log/owner.ts'
import { nodeArguments } from '../../../support/root.ts'
import { temporaryDirectory } from '../helpers.ts'

const program = nodeArguments(new URL('./crash-child.ts', import.meta.url))

test('of many concurrent processes, one gets the directory', async () => {
  const { directory, remove } = await temporaryDirectory()
  for (let round = 0; round < 3; round++) {
    const claims = await Promise.allSettled(Array.from({ length: 4 }, () => takeOwnership(directory)))
    const owners = claims.flatMap((claim) => (claim.status === 'fulfilled' ? [claim.value] : []))
    assert(owners.length <= 1)
    for (const owner of owners) await owner.release()
  }
  assert.deepEqual(readdirSync(directory), [])
  await remove()
})

test('a directory with a path longer than that of a unix socket', async () => {
  const { directory, remove } = await temporaryDirectory()
  const deep = join(directory, 'd'.repeat(100), 'e'.repeat(100))
  mkdirSync(deep, { recursive: true })
  const owner = await takeOwnership(deep)
  assert.equal(await ownerOf(deep), process.pid)
  await assert.rejects(takeOwnership(deep), { message: `in use by process ${process.pid}` })
  await owner.release()
  assert.equal(await ownerOf(deep), undefined)
  await remove()
})

const unshare = ['--pid', '--fork', '--mount-proc', '--kill-child']
const skip = spawnSync('unshare', [...unshare, 'true']).status !== 0 && 'this host does not allow PID namespaces'

test('detects an owner in another PID namespace', { skip, timeout: 3_600_000 }, async () => {
  const { directory, remove } = await temporaryDirectory()
  const argv = [...unshare, process.execPath, ...program, directory, 'hold']
  const first = spawn('unshare', argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(first.stdout, 'data')
  const second = spawnSync('unshare', argv, { encoding: 'utf8', timeout: 600_000 })
  assert.match(second.stderr, /in use by process \d+\n/)
  assert.notEqual(second.status, 0)
  assert.notEqual(await ownerOf(directory), undefined)
  first.kill('SIGKILL')
  await once(first, 'close')
  const owner = await takeOwnership(directory)
  await owner.release()
  await remove()
})
