/**
 * Does what the operations page says, from its first line to its last: writes its files, starts the server of its unit, runs its commands in one
 * shell, and looks for the metrics of its alerts. Only paths and the port are others, and what needs root (users, owners, systemd) does nothing.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { killedAtExit } from '../support/child.ts'
import { bundle } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { kubectls } from '../support/kubectl.ts'
import { blocksOf } from '../support/page.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually, within } from '../support/wait.ts'

interface Block {
  readonly language: string
  /** Path in the first line of a file. */
  readonly path: string | undefined
  readonly text: string
}

const home = temporaryDirectory('operations')
after(home.remove)
const port = await freePort()

/** With the paths and the port of this test. */
const moved = (text: string) =>
  text
    .replaceAll(/\/(etc|etc\/systemd\/system|var\/lib|var\/log)\/apiserver/g, (path) => join(home.path, path))
    .replaceAll('6443', String(port))
    .replaceAll('/usr/local/bin/', `${home.path}/bin/`)

const blocks = blocksOf('runtimes/node/OPERATIONS.md').map(({ language, text }): Block => {
  const [, path, content] = /^# (\S+)\n([\s\S]*)$/.exec(moved(text)) ?? []
  return { language, path, text: content ?? moved(text) }
})
const find = (suffix: string) => blocks.find(({ path }) => path?.endsWith(suffix))?.text ?? ''
const environment = { ...process.env, PATH: `${home.path}/bin:${process.env['PATH']}`, HOME: home.path }

/** `kubectl create token` came with 1.24. */
const kubectl = kubectls().find(({ minor }) => minor >= 24)
const lacking =
  kubectl === undefined ? 'kubectl 1.24 or newer' : ['curl', 'openssl'].find((name) => spawnSync(name, ['version']).error !== undefined)
const skip = lacking === undefined ? false : `${lacking} is not installed`

describe('the operations page', { skip }, () => {
  let log = ''
  let ended: Promise<unknown[]>
  let server: ReturnType<typeof spawn>

  before(async () => {
    for (const folder of ['bin', 'var/lib/apiserver', 'var/log/apiserver', 'etc/apiserver', 'work'])
      mkdirSync(join(home.path, folder), { recursive: true })
    const programs = { apiserver: `exec ${process.execPath} ${bundle} "$@"`, useradd: '', chown: '', systemctl: '' }
    for (const [name, script] of Object.entries(programs))
      writeFileSync(join(home.path, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    symlinkSync(kubectl?.path ?? '', join(home.path, 'bin/kubectl'))
    for (const { path, text } of blocks)
      if (path?.startsWith(home.path)) {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, text)
      }
    const [, command = ''] = /^ExecStart=(.*)$/m.exec(find('apiserver.service')) ?? []
    const [program = '', ...argv] = command.split(' ')
    server = killedAtExit(spawn(program, argv, { cwd: home.path, env: environment, stdio: ['ignore', 'ignore', 'pipe'] }))
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
    ended = once(server, 'close')
    await eventually('it serves', async () => {
      assert.equal(server.exitCode, null, log)
      return log.includes('serving on port')
    })
  })

  after(() => server.kill())

  test('its commands', async () => {
    const script = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)
    assert.ok(script.length >= 11)
    const shell = killedAtExit(
      spawn('bash', ['-euxo', 'pipefail', '-c', script.join('\n')], {
        cwd: join(home.path, 'work'),
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    let output = ''
    for (const stream of [shell.stdout, shell.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    const [status] = await within('end of the commands', once(shell, 'close'), 300_000)
    assert.equal(status, 0, `${output.slice(-3000)}\n${log.slice(-2000)}`)
  })

  test('the health check of its image', () => {
    const [, argv = '[]'] = /^HEALTHCHECK CMD (.*)$/m.exec(find('Dockerfile')) ?? []
    const [program = '', ...rest] = JSON.parse(argv) as string[]
    assert.equal(spawnSync(program, rest, { env: environment }).status, 0)
    const other = rest.map((argument) => argument.replace(String(port), '1'))
    assert.equal(spawnSync(program, other, { env: environment }).status, 1)
  })

  test('the command line of its image', async () => {
    const flags = ['ENTRYPOINT', 'CMD'].flatMap((word) => {
      const [, list = '[]'] = new RegExp(`^${word} (.*)$`, 'm').exec(find('Dockerfile')) ?? []
      return JSON.parse(list) as string[]
    })
    const [program = '', ...argv] = flags
    const help = spawnSync(program, [...argv, '--help'], { env: environment, encoding: 'utf8' })
    assert.deepEqual([help.status, help.stderr], [0, ''])
  })

  test('its alerts are about metrics that there are', () => {
    const named = new Set([...find('alerts.yaml').matchAll(/\b(apiserver_[a-z_]+?)(?:_bucket)?[{[]/g)].map(([, name = '']) => name))
    const served = readFileSync(join(home.path, 'work/metrics.txt'), 'utf8')
    assert.ok(named.size >= 4)
    for (const name of named) assert.match(served, new RegExp(`^# TYPE ${name} `, 'm'))
  })

  test('its backup starts, with the keys of the original', async () => {
    server.kill()
    assert.deepEqual(await within('end of the server', ended), [0, null], log)
    const unit = readFileSync(join(home.path, 'etc/systemd/system/apiserver.service'), 'utf8')
    const [, command = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? []
    assert.match(command, /\/restored /)
    const [program = '', ...argv] = command.split(' ')
    let restoredLog = ''
    const restored = killedAtExit(spawn(program, argv, { cwd: home.path, env: environment, stdio: ['ignore', 'ignore', 'pipe'] }))
    restored.stderr.setEncoding('utf8').on('data', (text: string) => {
      restoredLog += text
    })
    await eventually('it serves', async () => restoredLog.includes('serving on port'))
    const get = spawnSync('kubectl', ['--kubeconfig', 'jane.kubeconfig', 'get', 'configmap', 'from-ci'], {
      cwd: join(home.path, 'work'),
      env: environment,
      encoding: 'utf8',
    })
    assert.equal(get.status, 0, get.stderr)
    restored.kill()
    await once(restored, 'close')
  })
})
