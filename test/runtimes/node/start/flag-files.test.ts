/** Every flag that names a file or a directory, with everything that can be wrong with it: one line that names the flag and the path. */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseFlags } from '../../../../core/flags/parse.ts'
import { flags } from '../../../../core/flags/rows/index.ts'
import { messageOf } from '../../../../core/schema/message-of.ts'
import { awaitNamedFile, readNamedFile } from '../../../../runtimes/named-file.ts'
import { issue, issueAuthority, newKey } from '../../../../runtimes/node/pki/issue.ts'
import { start } from '../../../../runtimes/node/start/daemon.ts'
import { nodeDirectory } from '../../../../runtimes/stores/log/files.ts'
import { freePort } from '../../../support/free-port.ts'
import { soak } from '../../../support/soak.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { within } from '../../../support/wait.ts'

const home = temporaryDirectory()
const write = (name: string, text: string) => {
  const path = join(home.path, name)
  writeFileSync(path, text)
  return path
}
const authority = issueAuthority('authority', newKey(), Date.now())
const serving = issue(authority, { commonName: 'x', names: ['127.0.0.1'] }, Date.now())
const certificate = write('valid.crt', serving.certPem)
const key = write('valid.key', serving.keyPem)
mkdirSync(join(home.path, 'directory'))

/** Flags without which a flag is refused or its file is not used. */
const companions: { readonly [flag: string]: readonly string[] } = {
  'tls-cert-file': [`--tls-private-key-file=${key}`],
  'tls-private-key-file': [`--tls-cert-file=${certificate}`],
  'authorization-policy-file': ['--authorization-mode=ABAC'],
  'authorization-webhook-config-file': ['--authorization-mode=Webhook'],
  'service-account-key-file': [`--service-account-signing-key-file=${key}`, '--service-account-issuer=https://issuer'],
  'service-account-signing-key-file': [`--service-account-key-file=${key}`, '--service-account-issuer=https://issuer'],
  'oidc-ca-file': ['--oidc-issuer-url=https://issuer', '--oidc-client-id=x'],
  'audit-webhook-config-file': [
    `--audit-policy-file=${write('audit-policy', 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: None }]\n')}`,
  ],
  'kvstore-certfile': [`--kvstore-keyfile=${key}`],
  'kvstore-keyfile': [`--kvstore-certfile=${certificate}`],
  'nodeagent-client-certificate': [`--nodeagent-client-key=${key}`],
  'nodeagent-client-key': [`--nodeagent-client-certificate=${certificate}`],
  'peer-ca-file': [`--proxy-client-cert-file=${certificate}`, `--proxy-client-key-file=${key}`],
  'proxy-client-cert-file': [`--proxy-client-key-file=${key}`],
  'proxy-client-key-file': [`--proxy-client-cert-file=${certificate}`],
}

/** Files that can't be read. `/proc/self/mem` can be opened, and reading it fails. */
const unreadable = {
  missing: join(home.path, 'missing'),
  'in a file': join(certificate, 'below'),
  'a directory': join(home.path, 'directory'),
  unreadable: '/proc/self/mem',
  'below /proc': '/proc/foo',
  'an endless device': '/dev/zero',
  'a socket': join(home.path, 'socket'),
  // Each takes 5 s.
  ...(soak && { 'a pipe that nothing writes to': join(home.path, 'pipe') }),
}
execFileSync('mkfifo', [join(home.path, 'pipe')])
createServer().listen(join(home.path, 'socket')).unref()
/** Files that can be read, and mean nothing to most flags. */
const meaningless = {
  empty: write('empty', ''),
  'not YAML': write('not-yaml', '{[}: x'),
  'wrong kind': write('wrong-kind', 'apiVersion: v1\nkind: ConfigMap\n'),
  'without kind': write('without-kind', 'a: b\n'),
}
/** What a flag accepts none the less: an empty list of tokens, or of policies. */
const accepted = ['token-auth-file empty', 'authorization-policy-file empty']

/** The error of a start with these flags; undefined: it starts. */
async function errorOf(argv: readonly string[]): Promise<string | undefined> {
  const usual = [
    '--bind-address=127.0.0.1',
    `--secure-port=${await freePort()}`,
    `--cert-dir=${join(home.path, 'pki')}`,
    '--data-dir=:memory:',
  ]
  try {
    const daemon = await within(argv.join(' '), start(parseFlags([...usual, ...argv], 'apiserver'), new AbortController().signal))
    await daemon?.stop('test')
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

function assertNames(error: string | undefined, flag: string, path: string, what: string): void {
  assert(error !== undefined, `${what}: it starts`)
  assert(error.startsWith(`--${flag}: `), `${what}: ${error}`)
  assert(error.includes(path), `${what}: ${error}`)
  assert(!error.trim().includes('\n'), `${what}: ${error}`)
}

const files = Object.entries(flags).filter(([, { path }]) => path === 'file')

test('the flags that name files say so', () => {
  const named = Object.entries(flags).filter(
    ([name, { help, path }]) => path === undefined && /(^Path of|bundle for|-file$|cert-file|key-file)/.test(`${name} ${help}`),
  )
  assert.deepEqual(
    named.map(([name]) => name),
    [],
  )
})

for (const [flag] of files)
  test(`--${flag} names itself and its file`, async () => {
    for (const [what, path] of Object.entries(unreadable))
      assertNames(await errorOf([`--${flag}=${path}`, ...(companions[flag] ?? [])]), flag, path, what)
    for (const [what, path] of Object.entries(meaningless)) {
      const error = await errorOf([`--${flag}=${path}`, ...(companions[flag] ?? [])])
      if (error === undefined) assert(accepted.includes(`${flag} ${what}`) || flag.startsWith('kvstore-'), `${flag} ${what}: it starts`)
      else assertNames(error, flag, path, what)
    }
  })

test('a pipe that nothing writes to ends the start, and one that is written to is read to its end', async () => {
  const pipe = join(home.path, 'pipe')
  const error = await errorOf([`--token-auth-file=${pipe}`])
  assert.equal(error, `--token-auth-file: ${pipe}: nothing arrived in this pipe within 5 s`)
  const text = 'x'.repeat(300_000)
  for (const read of [readNamedFile, awaitNamedFile]) {
    const writer = execFile('sh', ['-c', `printf %s ${'x'.repeat(1_000)} > "$0"; sleep 0.1`, pipe])
    assert.equal(String(await read(pipe)), text.slice(0, 1_000))
    writer.kill()
    const large = write('large', text)
    assert.equal(String(await read(large)), text)
  }
})

test('a segment of the log that is no regular file is refused', () => {
  const directory = nodeDirectory(home.path)
  for (const name of ['pipe', 'directory']) assert.throws(() => directory.open(name), /is no regular file|EISDIR/)
  assert.throws(() => directory.open('socket'), /ENXIO/)
})

test('directories that cannot be made', async () => {
  for (const flag of ['data-dir', 'cert-dir', 'write-kubeconfig'])
    for (const path of ['/proc/foo', '/proc/foo/bar', join(certificate, 'below')]) {
      const given = flag === 'write-kubeconfig' ? join(path, 'kubeconfig') : path
      const error = await errorOf([`--${flag}=${given}`])
      assert(error?.includes(`--${flag}`) && error.includes(path), `--${flag}=${given}: ${error}`)
    }
})

test('a file inside a file is named with its field', async () => {
  const configuration = write(
    'authorization.yaml',
    `apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- type: Webhook
  name: one
  webhook:
    timeout: 3s
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: Deny
    authorizedTTL: 1s
    unauthorizedTTL: 1s
    connectionInfo: { type: KubeConfigFile, kubeConfigFile: /nowhere/kubeconfig }
`,
  )
  const error = await errorOf([`--authorization-config=${configuration}`])
  assert.match(
    error ?? '',
    /^--authorization-config: .*authorization.yaml: authorizers\[0\]\.connectionInfo\.kubeConfigFile: .*\/nowhere\/kubeconfig/,
  )
})

test('an address or a port that cannot be used', async () => {
  assert.match((await errorOf(['--bind-address=192.0.2.1'])) ?? '', /^--bind-address: 192\.0\.2\.1: /)
})
