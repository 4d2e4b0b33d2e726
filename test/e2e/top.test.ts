/** `apiserver top` against a running daemon. */
import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { killedAtExit } from '../support/child.ts'
import { bundle, type Daemon, readCredentials, startDaemon } from '../support/daemon.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'

const directory = temporaryDirectory()
const authority = join(directory.path, 'authority.pem')
let daemon: Daemon
before(async () => {
  const tokens = join(directory.path, 'tokens.csv')
  writeFileSync(tokens, 'may-read,admin,1,"system:masters"\nmay-not,bob,2\n')
  daemon = await startDaemon({ directory: directory.path, flags: [`--token-auth-file=${tokens}`] })
  writeFileSync(authority, readCredentials(daemon.kubeconfig).ca)
})
after(async () => {
  await daemon.stop()
  directory.remove()
})

interface Outcome {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Not a terminal, so that it ends. */
const top = (...flags: readonly string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    const environment = { PATH: process.env['PATH'] ?? '', HOME: directory.path }
    execFile(process.execPath, [bundle, 'top', ...flags], { env: environment }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })

test('one line for each thing: figures, requests in flight, watches, caches', async () => {
  const watch = await daemon.fetch('/api/v1/configmaps?watch=1')
  const { status, stdout, stderr } = await top('--kubeconfig', daemon.kubeconfig)
  await watch.body?.cancel()
  assert.deepEqual([status, stderr], [0, ''])
  for (const line of [
    /^Requests +[\d.,]+ \/s$/m,
    /^Store latency +[\d.,]+ ms$/m,
    /^Event-loop delay, longest +[\d.,]+ ms$/m,
    /^Memory +[\d.,]+ MiB$/m,
    /^In flight\n( {2}.*\n)* {2}GET \/debug\/live\/stream +1$/m,
    /^Watches\n( {2}.*\n)* {2}configmaps +1$/m,
    /^Objects in watch caches\n( {2}.*\n)* {2}namespaces +4$/m,
  ])
    assert.match(stdout, line)
})

test('a token, and the authority of a file', async () => {
  const { status, stdout } = await top(`--server=${daemon.url}`, '--token=may-read', `--certificate-authority=${authority}`, '--once')
  assert.equal(status, 0)
  assert.match(stdout, /up \d+ h \d+ min \d+ s\n/)
})

test('a terminal is drawn over again, within its size', { skip: !existsSync('/usr/bin/script') && 'no script(1) here' }, async () => {
  const command = `stty rows 20 cols 60; exec ${process.execPath} ${bundle} top --kubeconfig ${daemon.kubeconfig}`
  const child = killedAtExit(spawn('script', ['-qfc', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'], detached: true }))
  let shown = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const drawn = () => shown.split('\x1b[H').slice(1)
  await eventually('three pictures', async () => drawn().length >= 3)
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  const [first = ''] = drawn()
  const lines = stripVTControlCharacters(first).split('\r\n')
  assert.ok(lines.length <= 20, `${lines.length} lines`)
  for (const line of lines) assert.ok(line.length <= 60, line)
  assert.match(first, /Memory/)
})

const cases: readonly (readonly [what: string, flags: () => readonly string[], error: RegExp])[] = [
  [
    'no server',
    () => ['--server=https://127.0.0.1:1', '--token=x'],
    /^error: top: https:\/\/127\.0\.0\.1:1: no answer: connect ECONNREFUSED .*\n$/,
  ],
  [
    'a certificate that is not trusted',
    () => [`--server=${daemon.url}`, '--token=x'],
    /^error: top: \S+: no answer: self-signed certificate .*\n$/,
  ],
  [
    'no rights',
    () => [`--server=${daemon.url}`, '--token=may-not', '--insecure-skip-tls-verify'],
    /^error: top: \S+: status 403: forbidden: User "bob" cannot get path "\/debug\/live\/stream"\n$/,
  ],
  [
    'an unknown token',
    () => [`--server=${daemon.url}`, '--token=wrong', '--insecure-skip-tls-verify'],
    /^error: top: \S+: status 401: Unauthorized\n$/,
  ],
  ['an unknown flag', () => ['--nope'], /^error: top: Unknown option '--nope'; see top --help\n$/],
  ['an argument', () => ['pods'], /^error: top: Unexpected argument 'pods'; see top --help\n$/],
  ['no connection file', () => [], /^error: top: no server: give --kubeconfig or --server \(.* does not exist\)\n$/],
  ['a file that is not there', () => ['--kubeconfig=/nope/config'], /^error: top: read \/nope\/config: no such file or directory\n$/],
  ['an address that is none', () => ['--server=127.0.0.1:6443'], /^error: top: --server: "127\.0\.0\.1:6443" is not an http\(s\) URL\n$/],
]
test('every failure is one line that says what is wrong', async () => {
  for (const [what, flags, error] of cases) {
    const { status, stdout, stderr } = await top(...flags())
    assert.match(stderr, error, what)
    assert.deepEqual([status, stdout], [1, ''], what)
  }
})

test('a server without profiles, and one that is none', async () => {
  const quiet = await startDaemon({ flags: ['--profiling=false'] })
  const { stderr } = await top('--kubeconfig', quiet.kubeconfig)
  await quiet.stop()
  assert.match(stderr, /^error: top: \S+: no readings: not this kind of server, or it runs with --profiling=false\n$/)

  const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const answer = await top(`--server=http://127.0.0.1:${port}`)
  other.close()
  assert.match(answer.stderr, /^error: top: \S+: no readings: not this kind of server\n$/)
})

test('help names every flag', () => {
  const { stdout, status } = spawnSync(process.execPath, [bundle, 'top', '--help'], { encoding: 'utf8' })
  assert.equal(status, 0)
  for (const flag of ['kubeconfig', 'server', 'token', 'certificate-authority', 'insecure-skip-tls-verify', 'once'])
    assert.match(stdout, new RegExp(`^ +--${flag}\\b`, 'm'))
})
