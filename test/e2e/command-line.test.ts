/** Start of the program, and start errors. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { apiOf } from '../support/api.ts'
import { bundle, type Command, runProgram, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryDirectory } from '../support/temporary.ts'

describe('an invalid command line exits with status 1 and one line that names the flag', { concurrency: 2 }, () => {
  const nowhere = '/nowhere/at/all'
  const cases: readonly (readonly [title: string, flags: readonly string[], line: RegExp])[] = [
    ['unknown flag', ['--bogus-flag=1'], /bogus-flag/],
    ['misspelt flag', ['--secure-prot=6443'], /secure-prot/],
    ['not a number', ['--secure-port=many'], /--secure-port.*many/],
    ['number out of range', ['--secure-port=70000'], /--secure-port.*70000/],
    ['not a duration', ['--request-timeout=soon'], /--request-timeout.*soon/],
    ['not a boolean', ['--anonymous-auth=perhaps'], /--anonymous-auth.*perhaps/],
    ['unknown mode', ['--authorization-mode=Node,Luck'], /--authorization-mode.*Luck/],
    ['unknown feature gate', ['--feature-gates=Teleportation=true'], /--feature-gates.*Teleportation/],
    ['mutually exclusive flags', ['--authorization-config=x', '--authorization-mode=RBAC'], /--authorization-config.*--authorization-mode/],
    ['one flag of a pair', ['--tls-cert-file=x'], /--tls-cert-file.*--tls-private-key-file|--tls-private-key-file.*--tls-cert-file/],
    ['unreadable token file', [`--token-auth-file=${nowhere}`], /--token-auth-file.*\/nowhere\/at\/all/],
    ['unreadable client CA', [`--client-ca-file=${nowhere}`], /--client-ca-file.*\/nowhere\/at\/all/],
    [
      'unreadable certificate',
      [`--tls-cert-file=${nowhere}`, `--tls-private-key-file=${nowhere}`],
      /--tls-(cert|private-key)-file.*\/nowhere\/at\/all/,
    ],
    [
      'unreadable key',
      [`--service-account-key-file=${nowhere}`, '--service-account-issuer=https://x'],
      /--service-account-key-file.*\/nowhere\/at\/all/,
    ],
    ['invalid data directory', ['--data-dir=/dev/null/data'], /--data-dir.*\/dev\/null\/data/],
  ]
  for (const [title, flags, line] of cases)
    test(title, async () => {
      const { path, remove } = temporaryDirectory()
      const usual = [
        `--secure-port=${await freePort()}`,
        '--bind-address=127.0.0.1',
        '--data-dir=:memory:',
        `--cert-dir=${join(path, 'pki')}`,
      ]
      const { code, stdout, stderr } = await runProgram([...usual, ...flags])
      remove()
      assert.equal(code, 1, stderr)
      assert.equal(stdout, '')
      assert.match(stderr, /^[^\n]+\n$/)
      assert.match(stderr, line)
    })

  test('a port in use', async () => {
    const { path, remove } = temporaryDirectory()
    const other = createServer()
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    assert(address !== null && typeof address === 'object')
    const { port } = address
    const { code, stderr } = await runProgram([
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      '--data-dir=:memory:',
      `--cert-dir=${path}`,
    ])
    other.close()
    remove()
    assert.equal(code, 1)
    assert.match(stderr.trimEnd().split('\n').at(-1) ?? '', new RegExp(`^error: --secure-port: .*${port}`))
  })
})

describe('the program', { concurrency: 2 }, () => {
  test('--help and --version', async () => {
    const help = await runProgram(['--help'])
    assert.equal(help.code, 0)
    assert.match(help.stdout, /--secure-port int/)
    assert.match(help.stdout, /--data-dir/)
    assert.equal((await runProgram(['help'])).stdout, help.stdout)
    const version = await runProgram(['--version'])
    assert.deepEqual([version.code, version.stderr], [0, ''])
    assert.match(version.stdout, /v1\.36\.\d+/)
  })

  test('each command explains itself, before and after its name', async () => {
    const { stdout: help } = await runProgram(['--help'])
    const commands = new Set([...help.matchAll(/^ {2}apiserver (\w+) [^\n]*$/gm)].map(([, name = '']) => name))
    commands.delete('help')
    assert.ok(commands.size >= 3, help)
    for (const name of commands) {
      const before = await runProgram(['help', name])
      const after = await runProgram([name, '--help'])
      assert.deepEqual(before, after)
      assert.deepEqual([after.code, after.stderr], [0, ''])
      assert.match(after.stdout, new RegExp(`^Usage:\\n  \\S+ ${name} `))
    }
    const unknown = await runProgram(['help', 'nothing'])
    assert.equal(unknown.code, 1)
    assert.match(
      unknown.stderr,
      /^error: help: there is no command "nothing"; there are snapshot, top, assets, check, hosts, branch, etcd, run\n$/,
    )
  })

  const isRoot = process.getuid?.() === 0
  test('a directory that this user cannot write is named with its flag', { skip: isRoot ? false : 'needs root' }, async () => {
    const { path, remove } = temporaryDirectory()
    const nobody = 65534
    const [own, foreign] = [join(path, 'own'), join(path, 'foreign')]
    chmodSync(path, 0o755)
    for (const each of [own, foreign]) mkdirSync(each)
    chownSync(own, nobody, nobody)
    const asNobody: Command = ['setpriv', `--reuid=${nobody}`, '--clear-groups', process.execPath, bundle]
    for (const flag of ['cert-dir', 'data-dir']) {
      const usual = ['--bind-address=127.0.0.1', `--secure-port=${await freePort()}`, `--cert-dir=${own}`]
      const { code, stderr } = await runProgram([...usual, `--${flag}=${foreign}`], asNobody)
      assert.deepEqual([code, stderr], [1, `error: --${flag}: ${foreign}: permission denied\n`])
    }
    remove()
  })

  test('says what AlwaysAllow means', async () => {
    const daemon = await startDaemon({ flags: ['--data-dir=:memory:', '--authorization-mode=AlwaysAllow'] })
    const warnings = daemon
      .log()
      .split('\n')
      .filter((line) => line.startsWith('W'))
    assert.deepEqual(
      warnings.map((line) => line.slice(line.indexOf('] ') + 2)),
      [
        '--authorization-mode=AlwaysAllow: every request with credentials may do everything, and others are refused; use --authorization-mode=Node,RBAC for a cluster',
      ],
    )
    await daemon.stop()
  })

  test('accepts tokens from a file, and refuses requests without one', async () => {
    const { path, remove } = temporaryDirectory()
    const tokens = join(path, 'tokens.csv')
    writeFileSync(tokens, 'secret-1,jane,u1,"readers,system:masters"\nsecret-2,joe,u2\n')
    const daemon = await startDaemon({ flags: ['--data-dir=:memory:', `--token-auth-file=${tokens}`, '--anonymous-auth=false'] })
    const api = apiOf(daemon.fetch)
    const who = (
      await api.send<{ status: { userInfo: { username: string } } }>('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
    ).body
    assert.match(who.status.userInfo.username, /admin/)
    const withToken = async (token?: string) => {
      const answer = await fetchInsecure(`${daemon.url}/api/v1/namespaces`, token)
      return answer
    }
    assert.equal(await withToken('secret-1'), 200)
    assert.equal(await withToken('secret-2'), 403)
    assert.equal(await withToken('wrong'), 401)
    assert.equal(await withToken(), 401)
    await daemon.stop()
    remove()
  })
})

/** Status code of a GET without a client certificate. */
async function fetchInsecure(url: string, token: string | undefined): Promise<number> {
  const outgoing = request(url, {
    rejectUnauthorized: false,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    agent: false,
  })
  outgoing.end()
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  incoming.resume()
  return incoming.statusCode ?? 0
}

test('the version shows commit and build date', async () => {
  const { code, stdout } = await runProgram(['--version=raw'])
  assert.equal(code, 0)
  const { gitCommit, gitTreeState, buildDate } = JSON.parse(stdout) as { [field: string]: string }
  assert.match(gitCommit ?? '', /^[0-9a-f]{40}$/)
  assert.match(gitTreeState ?? '', /^(clean|dirty)$/)
  assert.ok(Date.parse(buildDate ?? '') > Date.parse('2026-01-01T00:00:00Z'), buildDate)
})
