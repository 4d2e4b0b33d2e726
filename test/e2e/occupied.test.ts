/** A daemon whose data directory another one owns: it says so, waits, and never ends without a word. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { killedAtExit } from '../support/child.ts'
import { bundle, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually, within } from '../support/wait.ts'

/** A second daemon on the data of another one, before it is ready. */
async function startSecond(directory: string, ...flags: string[]) {
  const usual = ['--bind-address=127.0.0.1', `--secure-port=${await freePort()}`, `--data-dir=${join(directory, 'data')}`]
  const argv = [bundle, ...usual, `--cert-dir=${join(directory, 'pki')}`, ...flags]
  const child = killedAtExit(spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] }))
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  return { child, ended: once(child, 'close'), log: () => log }
}

for (const sharing of [[], ['--permit-port-sharing']])
  test(`waits for the owner to end ${sharing.join('')}`, async (t) => {
    const { path, remove } = temporaryDirectory()
    t.after(remove)
    const first = await startDaemon({ directory: path, flags: sharing })
    t.after(() => first.stop())
    const second = await startSecond(path, ...sharing)
    t.after(() => second.child.kill())
    await eventually('it says that it waits', async () => second.log().includes('waiting for it to end'))
    assert.match(second.log(), new RegExp(`the data directory is in use by another process; .*process=${first.pid} timeout=60000`))
    await first.stop()
    await eventually('it serves', async () => second.log().includes('serving on port'))
    second.child.kill()
    assert.deepEqual(await within('end of the second', second.ended), [0, null])
  })

test('gives up after --storage-initialization-timeout, with status 1 and a reason', async (t) => {
  const { path, remove } = temporaryDirectory()
  t.after(remove)
  const first = await startDaemon({ directory: path })
  t.after(() => first.stop())
  const second = await startSecond(path, '--storage-initialization-timeout=300ms', '--permit-port-sharing')
  assert.deepEqual(await within('end of the second', second.ended), [1, null])
  assert.match(second.log(), new RegExp(`\\nerror: --data-dir: .*in use by process ${first.pid}\\n$`))
})
