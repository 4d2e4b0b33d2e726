/** `npm start`, in the background of a shell: what ends npm ends the server. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { killedAtExit } from '../support/child.ts'
import { freePort, isOpen } from '../support/free-port.ts'
import { root } from '../support/root.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'

test('SIGTERM to npm ends the server, and what is built is not built again', async (t) => {
  const { path, remove } = temporaryDirectory()
  t.after(remove)
  const port = await freePort()
  const flags = [`--secure-port=${port}`, '--bind-address=127.0.0.1', '--data-dir=:memory:', `--cert-dir=${join(path, 'pki')}`]
  const argv = ['start', '--', ...flags, `--write-kubeconfig=${join(path, 'kubeconfig')}`]
  const npm = killedAtExit(spawn('npm', argv, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] }))
  let log = ''
  npm.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  await eventually('it serves', async () => log.includes('serving on port'))
  assert.doesNotMatch(log, /building the server/)
  npm.kill('SIGTERM')
  await eventually('the port is closed', async () => !(await isOpen(port)))
})
