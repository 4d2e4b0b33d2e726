/** The daemon with encryption at rest, on its durable store and on etcd: stored values, and key rotation. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { configuration, keys, secret, secretsPath } from '../core/encryption/support.ts'
import { apiOf, assertFailure } from '../support/api.ts'
import { type Daemon, runProgram, startDaemon } from '../support/daemon.ts'
import { type Etcd, startEtcd } from '../support/etcd.ts'
import { type KmsPlugin, startKmsPlugin } from '../support/kms-plugin.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'

const value = 'nobody-should-see-this'
const encoded = Buffer.from(value).toString('base64')

interface Row {
  readonly name: string
  readonly provider: () => object
  /** The same provider with another key first. */
  readonly rotated: () => object
  readonly prefix: string
  readonly newPrefix: string
  readonly flags?: readonly string[]
}

let plugin: KmsPlugin
const kms = (apiVersion: string, name: string) => ({ kms: { apiVersion, name, endpoint: plugin.endpoint } })

const rows: readonly Row[] = [
  ...(['aesgcm', 'aescbc', 'secretbox'] as const).map((kind) => ({
    name: kind,
    provider: () => ({ [kind]: keys(['k1', 1]) }),
    rotated: () => ({ [kind]: keys(['k2', 2], ['k1', 1]) }),
    prefix: `k8s:enc:${kind}:v1:k1:`,
    newPrefix: `k8s:enc:${kind}:v1:k2:`,
  })),
  {
    name: 'kms v1',
    provider: () => kms('v1', 'one'),
    rotated: () => kms('v1', 'one'),
    prefix: 'k8s:enc:kms:v1:one:',
    newPrefix: 'k8s:enc:kms:v1:one:',
    flags: ['--feature-gates=KMSv1=true'],
  },
  {
    name: 'kms v2',
    provider: () => kms('v2', 'two'),
    rotated: () => kms('v2', 'two'),
    prefix: 'k8s:enc:kms:v2:two:',
    newPrefix: 'k8s:enc:kms:v2:two:',
  },
]

const secretsWith = (...providers: readonly object[]) => configuration({ resources: ['secrets'], providers })

before(async () => {
  plugin = await startKmsPlugin()
})
after(() => plugin.stop())

interface Backend {
  readonly flags: readonly string[]
  /** Everything in the store as raw bytes. The daemon must not be running. */
  dump(directory: string): string | Promise<string>
}

function filesBelow(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')
}

/** Writes with a provider, inspects the store, rotates the key, and inspects it again. */
async function lifeOf({ provider, rotated, prefix, newPrefix, flags = [] }: Row, { flags: storeFlags, dump }: Backend): Promise<void> {
  const directory = temporaryDirectory('encryption')
  const file = join(directory.path, 'encryption.json')
  const start = (text: string) => {
    writeFileSync(file, text)
    return startDaemon({ directory: directory.path, flags: [`--encryption-provider-config=${file}`, ...storeFlags, ...flags] })
  }
  const running: Daemon[] = []
  const api = async (text: string) => {
    const daemon = await start(text)
    running.push(daemon)
    return { daemon, ...apiOf(daemon.fetch) }
  }
  try {
    const first = await api(secretsWith(provider()))
    await first.create(secretsPath, secret('a', value))
    assert.equal((await first.get(`${secretsPath}/a`)).body.data?.['value'], encoded)
    await first.daemon.stop()
    const stored = await dump(directory.path)
    assert.ok(stored.includes(prefix), `${prefix} is stored`)
    assert.ok(!stored.includes(value) && !stored.includes(encoded), 'the value is not')

    const second = await api(secretsWith(rotated()))
    const [listed] = (await second.list(secretsPath)).items
    assert.equal(listed?.data?.['value'], encoded)
    await second.create(secretsPath, secret('b', value))
    const rewritten = await second.patch(`${secretsPath}/a`, {})
    const stale = prefix !== newPrefix
    assert.equal(rewritten.body.metadata.resourceVersion !== listed.metadata.resourceVersion, stale, 'the stale value was rewritten')
    await second.daemon.stop()
    assert.ok((await dump(directory.path)).includes(newPrefix), `${newPrefix} is stored`)

    const last = await api(secretsWith({ identity: {} }, rotated()))
    const values = (await last.list(secretsPath)).items.map(({ data }) => data?.['value'])
    assert.deepEqual(values, [encoded, encoded])
    await last.patch(`${secretsPath}/a`, {})
    await last.daemon.stop()
    const decrypted = await dump(directory.path)
    assert.ok(decrypted.includes(encoded) || decrypted.includes(value), 'it is stored decrypted')
  } finally {
    for (const daemon of running) await daemon.stop('SIGKILL').catch(() => undefined)
    directory.remove()
  }
}

describe('the durable store contains no plain text, and values are readable after key rotation', { concurrency: 2 }, () => {
  const backend: Backend = { flags: [], dump: (directory) => filesBelow(join(directory, 'data')) }
  for (const row of rows) test(row.name, () => lifeOf(row, backend))
})

/** All keys and values below the prefix, from etcd's JSON gateway. */
async function valuesInEtcd(server: string, prefix: string): Promise<string> {
  const base64 = (key: string) => Buffer.from(key).toString('base64')
  // `0` is the character after `/`.
  const range = { key: base64(`${prefix}/`), range_end: base64(`${prefix}0`) }
  const response = await fetch(`${server}/v3/kv/range`, { method: 'POST', body: JSON.stringify(range) })
  const { kvs } = (await response.json()) as { kvs: { key: string; value: string }[] }
  return kvs.map(({ key, value }) => `${Buffer.from(key, 'base64')}\n${Buffer.from(value, 'base64').toString('latin1')}`).join('\n')
}

describe('etcd contains no plain text, and values are readable after key rotation', () => {
  let etcd: Etcd
  before(async () => {
    etcd = await startEtcd()
  })
  after(() => etcd.stop())
  for (const row of rows)
    test(row.name, () => {
      const prefix = `/${row.name.replace(' ', '-')}`
      const flags = [`--kvstore-servers=${etcd.servers.join(',')}`, `--kvstore-prefix=${prefix}`]
      return lifeOf(row, { flags, dump: () => valuesInEtcd(String(etcd.servers[0]), `${prefix}/secrets`) })
    })
})

describe('the daemon and KMS plugins', () => {
  const directory = temporaryDirectory('encryption')
  const file = join(directory.path, 'encryption.json')
  const flags = ['--data-dir=:memory:', `--encryption-provider-config=${file}`]
  after(() => directory.remove())

  async function withDaemon(text: string, more: readonly string[], run: (daemon: Daemon) => Promise<void>): Promise<void> {
    writeFileSync(file, text)
    const daemon = await startDaemon({ flags: [...flags, ...more] })
    try {
      await run(daemon)
    } finally {
      await daemon.stop()
    }
  }
  const verbose = async (daemon: Daemon, path: string) => (await apiOf(daemon.fetch).get<string>(`${path}?verbose`)).body

  test('plugins of KMS v2 share one health check', async () => {
    await plugin.reset()
    await withDaemon(secretsWith(kms('v2', 'two')), [], async (daemon) => {
      for (const path of ['/healthz', '/readyz']) assert.match(await verbose(daemon, path), /\[\+\]kms-providers ok/)
      assert.doesNotMatch(await verbose(daemon, '/livez'), /kms/)
      assert.equal((await daemon.fetch('/healthz/kms-providers')).status, 200)
    })
  })

  test('with a KMS v1 plugin each plugin has its own', async () => {
    const text = secretsWith(kms('v2', 'two'), kms('v1', 'one'))
    await withDaemon(text, ['--feature-gates=KMSv1=true'], async (daemon) => {
      assert.match(await verbose(daemon, '/readyz'), /\[\+\]kms-provider-0 ok\n\[\+\]kms-provider-1 ok/)
    })
  })

  test('an absent plugin fails the health check, and requests that need it', async () => {
    const missing = { kms: { apiVersion: 'v2', name: 'gone', endpoint: `unix://${directory.path}/none.sock`, timeout: '1s' } }
    await withDaemon(secretsWith(missing), [], async (daemon) => {
      const api = apiOf(daemon.fetch)
      assert.match(await verbose(daemon, '/readyz'), /\[-\]kms-providers failed: reason withheld/)
      const { status, body } = await api.get<string>('/healthz/kms-providers')
      assert.equal(status, 500)
      assert.match(
        body,
        /kms-provider-0: failed to perform status section of the healthz check for KMS Provider gone, error: rpc error: code = DeadlineExceeded desc = latest balancer error: connection error: desc = "transport: Error while dialing: dial unix .*none\.sock: connect: no such file or directory"/,
      )
      const refused = await api.send('POST', secretsPath, secret('a'))
      assertFailure(refused, 500, 'InternalError', 'Internal error occurred: got unexpected nil transformer')
      await api.create('/api/v1/namespaces/default/configmaps', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'c' } })
    })
  })

  test('a changed file is reloaded; while a plugin of the new file is unhealthy, the old one stays', async () => {
    await withDaemon(secretsWith({ aesgcm: keys(['k1', 1]) }), ['--encryption-provider-config-automatic-reload'], async (daemon) => {
      const api = apiOf(daemon.fetch)
      await api.create(secretsPath, secret('a', value))
      writeFileSync(file, '{"kind": "EncryptionConfiguration"')
      await eventually('the error is logged', async () => daemon.log().includes('encryption configuration not reloaded'))
      assert.equal((await api.get(`${secretsPath}/a`)).status, 200)
      writeFileSync(file, secretsWith({ aesgcm: keys(['k2', 2]) }))
      await eventually('the reload', async () => daemon.log().includes('encryption configuration reloaded'))
      assertFailure(await api.get(`${secretsPath}/a`), 500, 'InternalError', /no matching key was found for the provided AES transformer/)
      assert.ok(!daemon.log().includes(keys(['k2', 2]).keys[0]?.secret ?? 'none'), 'no key in the log')
    })
  })

  const bad = [
    {
      text: secretsWith({ aesgcm: { keys: [{ name: 'k', secret: 'c2hvcnQ=' }] } }),
      message: /resources\[0\]\.providers\[0\]\.aesgcm\.keys\[0\]\.secret: Invalid value: "REDACTED"/,
    },
    { text: secretsWith({ kms: { apiVersion: 'v1', name: 'one', endpoint: 'unix:///x' } }), message: /needs --feature-gates=KMSv1=true/ },
    { text: 'nonsense: [', message: /encryption\.json: line 1/ },
  ]
  for (const { text, message } of bad) {
    test(`an invalid file prevents the start: ${text.slice(0, 20)}…`, async () => {
      writeFileSync(file, text)
      const { code, stderr } = await runProgram([...flags, `--cert-dir=${directory.path}`])
      assert.equal(code, 1)
      const line = stderr.split('\n').find((each) => each.startsWith('error: ')) ?? stderr
      assert.ok(line.startsWith(`error: --encryption-provider-config: `), line)
      assert.match(line, message)
      assert.doesNotMatch(stderr, /c2hvcnQ=/)
    })
  }
})
