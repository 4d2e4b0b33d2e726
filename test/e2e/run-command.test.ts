/** `apiserver run -- COMMAND`: a command beside a server of its own. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { killedAtExit } from '../support/child.ts'
import { bundle, runProgram } from '../support/daemon.ts'
import { isOpen } from '../support/free-port.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { within } from '../support/wait.ts'

/** A client as a user of any language would write it: it knows no more than $KUBECONFIG. */
const client = `
const { readFileSync } = require('node:fs')
const text = readFileSync(process.env.KUBECONFIG, 'utf8')
const field = (name) => new RegExp(name + ': (\\\\S+)').exec(text)[1]
const pem = (name) => Buffer.from(field(name), 'base64')
const tls = { ca: pem('certificate-authority-data'), cert: pem('client-certificate-data'), key: pem('client-key-data') }
const server = JSON.parse(field('server'))
require('node:https').get(server + '/api/v1/namespaces', tls, async (response) => {
  let body = ''
  for await (const part of response) body += part
  const names = JSON.parse(body).items.map(({ metadata }) => metadata.name)
  const { KUBECONFIG: kubeconfig, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
  console.log(JSON.stringify({ server, names, kubeconfig, host, port }))
  process.exitCode = 7
})`

interface Told {
  readonly server: string
  readonly names: readonly string[]
  readonly kubeconfig: string
  readonly host?: string
  readonly port?: string
}

const runWith = (flags: readonly string[], ...command: string[]) => runProgram(['run', ...flags, '--', ...command])

test('a command gets a kubeconfig, its status is the exit status, and nothing is left', async () => {
  const [one, two] = await Promise.all([
    runWith([], process.execPath, '-e', client),
    runWith(['--service-env'], process.execPath, '-e', client),
  ])
  const told = [one, two].map(({ code, stdout, stderr }) => {
    assert.deepEqual([code, stderr], [7, ''])
    return JSON.parse(stdout) as Told
  })
  assert.notEqual(told[0]?.server, told[1]?.server)
  assert.equal(told[0]?.host, undefined)
  assert.equal(told[1]?.server, `https://${told[1]?.host}:${told[1]?.port}`)
  for (const { server, names, kubeconfig } of told) {
    assert.ok(names.includes('kube-system'), names.join())
    assert.equal(existsSync(dirname(kubeconfig)), false)
    assert.equal(await isOpen(Number(new URL(server).port)), false)
  }
})

test('flags of the server, and a file for its log', async () => {
  const { path, remove } = temporaryDirectory()
  const log = join(path, 'server.log')
  const { code, stdout } = await runWith(['--platform=platform', `--server-log=${log}`], process.execPath, '-e', client)
  assert.equal(code, 7)
  assert.ok((JSON.parse(stdout) as Told).names.includes('platform-system'), stdout)
  assert.match(readFileSync(log, 'utf8'), /"serving" address=/)
  remove()
})

test('a signal goes on to the command, and its end is the exit status', async () => {
  const { path, remove } = temporaryDirectory()
  const script = `process.on('SIGTERM', () => { console.log(process.env.KUBECONFIG); process.exit(3) })
setInterval(() => {}, 1000)
console.log('up')`
  const argv = [bundle, 'run', `--server-log=${join(path, 'log')}`, '--', process.execPath, '-e', script]
  const child = killedAtExit(spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] }))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output === '') child.kill('SIGTERM')
    output += text
  })
  assert.deepEqual(await within('end of the program', once(child, 'close')), [3, null])
  const [, kubeconfig = ''] = output.split('\n')
  assert.equal(existsSync(dirname(kubeconfig)), false)
  remove()
})

test('what cannot run is said in one line', async () => {
  const cases: readonly (readonly [argv: readonly string[], code: number, line: RegExp])[] = [
    [['run'], 1, /^error: run: no command; use: run \[flags\] -- COMMAND \[ARGUMENT…\]\n$/],
    [['run', '--'], 1, /^error: run: no command; /],
    [['run', '--bogus=1', '--', 'true'], 1, /^error: unknown flag: --bogus/],
    [['run', '--server-log=/nowhere/log', '--', 'true'], 1, /^error: run: --server-log: \/nowhere\/log: no such file or directory\n$/],
    [['run', '--secure-port=0', '--', 'true'], 1, /^error: --secure-port: /],
    [['run', '--', '/nowhere/command'], 127, /^error: run: \/nowhere\/command: no such file or directory\n$/],
    [['run', '--', '/'], 126, /^error: run: \/: permission denied\n$/],
  ]
  for (const [argv, code, line] of cases) {
    const found = await runProgram(argv)
    assert.match(found.stderr, line)
    assert.deepEqual([found.code, found.stdout], [code, ''])
  }
})
