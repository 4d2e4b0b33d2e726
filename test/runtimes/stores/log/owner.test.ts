/** Ownership of a data directory. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
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

test('sockets are for their owner alone, whatever the umask', async () => {
  const { directory, remove } = await temporaryDirectory()
  const mask = process.umask(0)
  try {
    const owner = await takeOwnership(directory)
    const [name = ''] = readdirSync(directory)
    assert.equal((statSync(join(directory, name)).mode & 0o777).toString(8), '600')
    await owner.release()
  } finally {
    process.umask(mask)
    await remove()
  }
})

test('what others leave in the directory keeps nobody out: files, links, fifos, names that are no claims', async () => {
  const { directory, remove } = await temporaryDirectory()
  const at = (name: string) => join(directory, name)
  writeFileSync(at('owner.1.aa'), '')
  symlinkSync('nowhere', at('owner.1.ab'))
  assert.equal(spawnSync('mkfifo', [at('owner.1.ac')]).status, 0)
  mkdirSync(at('owner.1'))
  mkdirSync(at('owner.x.ad'))
  writeFileSync(at('owner.1.ae.new'), '')
  const owner = await takeOwnership(directory, { timeout: 0 })
  await owner.release()
  assert.deepEqual(readdirSync(directory).sort(), ['owner.1', 'owner.1.ae.new', 'owner.x.ad'])
  await remove()
})

test('a directory in the place of a socket is an error that names it', async () => {
  const { directory, remove } = await temporaryDirectory()
  mkdirSync(join(directory, 'owner.7.aa'))
  await assert.rejects(takeOwnership(directory, { timeout: 0 }), /owner\.7\.aa/)
  assert.deepEqual(readdirSync(directory), ['owner.7.aa'])
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
