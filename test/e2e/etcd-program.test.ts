/** The program as etcd: by its name, its flags and variables, and what etcdctl prints. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import { issue, issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'
import { programOnPath } from '../../runtimes/on-path.ts'
import { killedAtExit } from '../support/child.ts'
import { bundle, ownEtcd, runProgram } from '../support/daemon.ts'
import { type Etcd, startEtcd } from '../support/etcd.ts'
import { freePort } from '../support/free-port.ts'
import { startAs } from '../support/named-program.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually, within } from '../support/wait.ts'

const execute = promisify(execFile)

interface Output {
  readonly code: number
  readonly text: string
}

/** Output of etcdctl, without what differs from server to server. */
async function etcdctl({ servers }: Pick<Etcd, 'servers'>, argv: readonly string[], tls: readonly string[] = []): Promise<Output> {
  const environment = { ...process.env, ETCDCTL_API: '3' }
  const endpoint = servers[0] ?? ''
  const run = execute('etcdctl', [`--endpoints=${endpoint}`, '--command-timeout=20s', ...tls, ...argv], {
    env: environment,
    timeout: 60_000,
  })
  const {
    stdout,
    stderr,
    code = 0,
  } = await run.then(
    (output) => ({ ...output, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  )
  // Lines of the client's own log have the time.
  const text = (stdout + stderr.replaceAll(/^\{"level".*\n/gm, ''))
    .replaceAll(endpoint, 'SERVER')
    .replaceAll(/"(cluster_id|member_id|raft_term|leader|raftIndex|raftTerm|raftAppliedIndex|dbSize|dbSizeInUse|ID)":\d+/g, '"$1":N')
    .replaceAll(/"(ClusterID|MemberID|RaftTerm)" : \d+/g, '"$1" : N')
    .replaceAll(/\d+ [kM]?B/g, 'SIZE')
    .replaceAll(/remaining\(\d+s\)/g, 'remaining(Ns)')
    .replaceAll(/\b[0-9a-f]{14,16}\b/g, 'MEMBER')
    .replaceAll(/http:\/\/(localhost|127\.0\.0\.1):\d+/g, 'URL')
    .replaceAll(/(true|false), (true|false), \d+, \d+, \d+/g, '$1, $2, TERM, INDEX, INDEX')
    .replaceAll(/took = [\d.]+\w+/g, 'took = TIME')
    .replaceAll(/MEMBER, 3\.\d+\.\d+,/g, 'MEMBER, VERSION,')
    .replaceAll(/"version":"3\.\d+\.\d+"/g, '"version":"VERSION"')
  return { code, text }
}

/** Commands that print the same on both, in this order. */
const commands: readonly string[] = [
  'put a 1',
  'put a 2 --prev-kv',
  'put b 1',
  'put dir/x 1',
  'put dir/y 2',
  'get a',
  'get a -w json',
  'get a -w fields',
  'get --prefix dir',
  'get --prefix dir --keys-only',
  'get --prefix dir --count-only -w json',
  'get --from-key b --limit 1 -w json',
  'get a z --order DESCEND --sort-by MODIFY',
  'get a --rev 2',
  'get a --rev 99',
  'get nothing',
  'get --consistency s a',
  'del b --prev-kv',
  'del nothing',
  'del --prefix dir --prev-kv',
  'put --ignore-value nothing',
  'put --ignore-lease a 3',
  'lease revoke 1234',
  'lease timetolive 1234',
  'lease list',
  'lease grant 100',
  'lease keep-alive --once 1234',
  'put c 1 --lease 1234',
  'compact 3',
  'compact 3',
  'compact 1000',
  'get a --rev 2',
  'watch a --rev 2',
  'endpoint health',
  'endpoint hashkv',
  'endpoint hashkv -w json',
  'alarm list',
  'alarm disarm',
  'auth status',
  'auth enable',
  'user list',
  'role list',
  'user get nobody',
  'role get nothing',
  'defrag',
  'move-leader 1234',
  'member list',
  'member list -w json',
  'member remove 1234',
  'member update 1234 --peer-urls=http://127.0.0.1:1',
  'member promote 1234',
  'endpoint status',
  'endpoint status -w json',
  'user grant-role nobody nothing',
  'user revoke-role nobody nothing',
  'user delete nobody',
  'role delete nothing',
  'role grant-permission nothing read a',
  'role revoke-permission nothing a',
  'auth disable',
  'completion bash',
  'version',
  'lock name echo locked',
]

/** A random ID is granted. */
const isRandom = (command: string) => command.startsWith('lease grant')

test('etcdctl prints what it prints with etcd', { timeout: 600_000 }, async () => {
  const flags = ['--heartbeat-interval=100', '--election-timeout=1000']
  const [original, own] = await Promise.all([startEtcd({ flags }), startEtcd({ flags, command: ownEtcd })])
  try {
    for (const command of commands) {
      const argv = command.split(' ')
      const [wanted, found] = await Promise.all([etcdctl(original, argv), etcdctl(own, argv)])
      if (isRandom(command)) assert.equal(found.code, wanted.code)
      else assert.deepEqual(found, wanted, command)
    }
  } finally {
    await Promise.all([original.stop(), own.stop()])
  }
})

/** Commands for members, users and roles, which a single member without users refuses, each by name. */
const refusals: readonly (readonly [command: string, text: string])[] = [
  ['member add other --peer-urls=http://127.0.0.1:1', 'this server is the only member of its cluster'],
  ['member add other --peer-urls=http://127.0.0.1:1 --learner', 'this server is the only member of its cluster'],
  ['user add somebody:secret', 'this server has no users and roles'],
  ['user add somebody --no-password', 'this server has no users and roles'],
  ['role add some', 'this server has no users and roles'],
]

/** etcd's tool for files: before 3.5, etcdctl. */
const files = (argv: readonly string[]) =>
  execute(programOnPath('etcdutl') ?? 'etcdctl', argv, { env: { ...process.env, ETCDCTL_API: '3' } })

test('etcdctl with input, that waits, and between servers', { timeout: 600_000 }, async () => {
  const { path, remove } = temporaryDirectory()
  const [original, own] = await Promise.all([startEtcd(), startEtcd({ command: ownEtcd })])
  const [there = '', here = ''] = [...original.servers, ...own.servers]
  const waiting: Waiting[] = []
  const wait = (url: string, ...argv: readonly string[]) => {
    const started = new Waiting(url, argv)
    waiting.push(started)
    return started
  }
  try {
    for (const [command, text] of refusals) {
      const { code, text: found } = await etcdctl(own, command.split(' '))
      assert.equal(code, 1, command)
      assert(found.includes(`etcdserver: not supported: ${text}`), found)
    }
    for (const input of transactions) {
      const [wanted, found] = [wait(there, 'txn'), wait(here, 'txn')]
      for (const each of [wanted, found]) await each.end(input)
      assert.equal(found.text, wanted.text)
    }
    // Each way: what is there, and what comes while it runs.
    for (const [from, to, name] of [
      [there, here, 'there'],
      [here, there, 'here'],
    ] as const) {
      const [source, target] = [{ servers: [from] }, { servers: [to] }]
      await etcdctl(source, ['put', `${name}/before`, '1'])
      const mirror = wait(from, 'make-mirror', `--prefix=${name}/`, new URL(to).host)
      const arrives = (key: string, text: string) =>
        eventually(`${key} in the mirror`, async () => (await etcdctl(target, ['get', key])).text === text)
      await arrives(`${name}/before`, `${name}/before\n1\n`)
      await etcdctl(source, ['put', `${name}/after`, '2'])
      await arrives(`${name}/after`, `${name}/after\n2\n`)
      await etcdctl(source, ['del', `${name}/before`])
      await arrives(`${name}/before`, '')
      mirror.stop()
    }
    const follower = wait(here, 'watch', '--prefix', 'w/')
    const interval = setInterval(() => void etcdctl(own, ['put', 'w/a', '1']), 200)
    await follower.prints('PUT\nw/a\n1\n')
    clearInterval(interval)
    const leader = wait(here, 'elect', 'office', 'first')
    await leader.prints('first\n')
    await wait(here, 'elect', '-l', 'office').prints('first\n')
    const second = wait(here, 'elect', 'office', 'second')
    leader.stop()
    await second.prints('second\n')
    const lease = wait(here, 'lease', 'grant', '100')
    await lease.prints('granted with TTL(100s)\n')
    await wait(here, 'lease', 'keep-alive', lease.text.split(' ')[1] ?? '').prints('keepalived with TTL(100)\n')
    const check = wait(here, 'check', 'datascale', '--load=s', '--prefix=check/', '--auto-compact')
    await check.end('')
    assert.match(check.text, /PASS: Approximate system memory used/)
    for (const each of waiting) {
      each.stop()
      await each.end('')
    }
    // A snapshot of each, as etcd's own tool for files sees it.
    for (const [name, server] of Object.entries({ there: original, here: own })) {
      const file = join(path, `${name}.db`)
      assert.equal((await etcdctl(server, ['snapshot', 'save', file])).code, 0)
      const { stdout } = await files(['snapshot', 'status', file, '-w', 'json'])
      const { revision } = JSON.parse(stdout) as { revision: number }
      const { text } = await etcdctl(server, ['get', 'nothing', '-w', 'json'])
      assert(text.includes(`"revision":${revision},`), text)
      await files(['snapshot', 'restore', file, '--data-dir', join(path, name)])
      await files(['defrag', '--data-dir', join(path, name)])
      const restored = await startEtcd({ restored: join(path, name) })
      assert.equal((await etcdctl(restored, ['get', '--prefix', ''])).text, (await etcdctl(server, ['get', '--prefix', ''])).text)
      await restored.stop()
    }
  } finally {
    for (const each of waiting) each.stop()
    await Promise.all([original.stop(), own.stop()])
    remove()
  }
})

/** Compares, what is done then, and what is done otherwise, each ended by an empty line. */
const transactions = [
  'create("t") = "0"\n\nput t "1"\nget t\n\nget t\n\n',
  'create("t") = "0"\n\nput t "2"\n\nget t\nput u "3"\n\n',
  'value("t") = "1"\nmod("u") > "1"\nversion("u") = "1"\n\ndel t\nget --prefix u\n\n\n',
  '\nput t 1\nput t 2\n\n\n',
]

/** A run of etcdctl that waits for input, or for what happens. */
class Waiting {
  readonly #child
  readonly #ended
  text = ''

  constructor(url: string, argv: readonly string[]) {
    this.#child = killedAtExit(spawn('etcdctl', [`--endpoints=${url}`, ...argv], { env: { ...process.env, ETCDCTL_API: '3' } }))
    this.#ended = once(this.#child, 'close')
    // One that has just ended reads nothing more (EPIPE).
    this.#child.stdin.on('error', () => undefined)
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.text += text.replaceAll(/^\{"level".*\n/gm, '')
      })
  }

  prints = (text: string) => eventually(`${JSON.stringify(text)} is printed`, async () => this.text.includes(text))

  async end(input: string): Promise<void> {
    this.#child.stdin.end(input)
    await within('the end of etcdctl', this.#ended)
  }

  stop(): void {
    this.#child.kill('SIGINT')
  }
}

test('started under the name etcd, with variables as flags, as test harnesses start it', async () => {
  const { path, remove } = temporaryDirectory()
  const program = join(path, 'etcd')
  symlinkSync(bundle, program)
  const [clients, peers] = [await freePort(), await freePort()]
  const flags = [`--listen-client-urls=http://127.0.0.1:${clients}`, `-advertise-client-urls`, `http://127.0.0.1:${clients}`]
  const url = `http://127.0.0.1:${clients}`
  process.env.ETCD_DATA_DIR = join(path, 'data')
  process.env.ETCD_UNSAFE_NO_FSYNC = 'true'
  try {
    const etcd = await startAs([process.execPath, program], [...flags, `--listen-peer-urls=http://127.0.0.1:${peers}`])
    await etcd.answers(async () => (await fetch(`${url}/health`)).ok)
    assert.deepEqual(await (await fetch(`${url}/version`)).json(), { etcdserver: '3.5.30', etcdcluster: '3.5.0' })
    assert.match(await (await fetch(`${url}/metrics`)).text(), /^etcd_server_has_leader 1$/m)
    assert.deepEqual(await etcdctl({ servers: [url] }, ['put', 'a', '1']), { code: 0, text: 'OK\n' })
    const put = 'grpc_server_handled_total{grpc_code="OK",grpc_method="Put",grpc_service="etcdserverpb.KV",grpc_type="unary"} 1'
    assert((await (await fetch(`${url}/metrics`)).text()).split('\n').includes(put))
    await etcd.stop()
  } finally {
    delete process.env.ETCD_DATA_DIR
    delete process.env.ETCD_UNSAFE_NO_FSYNC
    remove()
  }
})

test('TLS, with client certificates', async () => {
  const { path, remove } = temporaryDirectory()
  const file = (name: string, content: string) => {
    writeFileSync(join(path, name), content)
    return join(path, name)
  }
  const authority = issueAuthority('etcd-ca', newKey(), Date.now())
  const [server, client] = [
    issue(authority, { commonName: 'etcd', names: ['127.0.0.1'] }, Date.now()),
    issue(authority, { commonName: 'client' }, Date.now()),
  ]
  const caFile = file('ca.crt', authority.certPem)
  const tls = { caFile, certFile: file('server.crt', server.certPem), keyFile: file('server.key', server.keyPem) }
  const etcd = await startEtcd({ command: ownEtcd, tls })
  try {
    const trusting = [`--cacert=${caFile}`]
    const known = [...trusting, `--cert=${file('client.crt', client.certPem)}`, `--key=${file('client.key', client.keyPem)}`]
    assert.deepEqual(await etcdctl(etcd, ['put', 'a', '1'], known), { code: 0, text: 'OK\n' })
    assert.equal((await etcdctl(etcd, ['put', 'a', '2', '--command-timeout=2s', '--dial-timeout=2s'], trusting)).code, 1)
    const renewed = issue(authority, { commonName: 'renewed', names: ['127.0.0.1'] }, Date.now())
    file('server.key', renewed.keyPem)
    file('server.crt', renewed.certPem)
    const { host, port } = { host: '127.0.0.1', port: Number(new URL(etcd.servers[0] ?? '').port) }
    await eventually('the renewed certificate is served', async () => {
      const socket = connect({ host, port, ca: authority.certPem, cert: client.certPem, key: client.keyPem })
      await once(socket, 'secureConnect')
      const { subject } = socket.getPeerCertificate()
      socket.destroy()
      return subject.CN === 'renewed'
    })
    assert.deepEqual(await etcdctl(etcd, ['put', 'a', '3'], known), { code: 0, text: 'OK\n' })
  } finally {
    await etcd.stop()
    remove()
  }
})

describe('what it can not be is refused, in one line that names the flag', { concurrency: 2 }, () => {
  const cases: readonly (readonly [flags: readonly string[], line: RegExp])[] = [
    [['--bogus=1'], /unknown flag: --bogus/],
    [['--initial-cluster=a=http://x:1,b=http://y:1', '--name=a'], /--initial-cluster: 2 members/],
    [['--initial-cluster=a=http://x:1'], /--initial-cluster: no member has this server's name/],
    [['--initial-cluster-state=existing'], /--initial-cluster-state: existing/],
    [['--proxy=on'], /--proxy: .*no proxy/],
    [['--discovery=https://x'], /--discovery: .*only member/],
    [['--auto-tls'], /--auto-tls: /],
    [['--listen-client-urls=https://127.0.0.1:0'], /--listen-client-urls: .*--cert-file/],
    [['--listen-client-urls=ftp://127.0.0.1:0'], /--listen-client-urls: .*ftp/],
    [['--client-cert-auth'], /--client-cert-auth: needs --trusted-ca-file/],
    [['--cert-file=/nowhere'], /--cert-file: \/nowhere/],
    [['--max-txn-ops=many'], /--max-txn-ops.*many/],
  ]
  for (const [flags, line] of cases)
    test(flags.join(' '), async () => {
      const { code, stdout, stderr } = await runProgram(['etcd', '--data-dir=:memory:', ...flags])
      assert.deepEqual([code, stdout], [1, ''], stderr)
      assert.match(stderr, /^[^\n]+\n$/)
      assert.match(stderr, line)
    })

  test('a directory with data of etcd', async () => {
    const { path, remove } = temporaryDirectory()
    mkdirSync(join(path, 'member'))
    const { code, stderr } = await runProgram(['etcd', `--data-dir=${path}`])
    remove()
    assert.equal(code, 1)
    assert.match(stderr, /--data-dir: .* has data of etcd; .*snapshot restore/)
  })
})
