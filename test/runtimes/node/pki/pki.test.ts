import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { issue, issueAuthority, newKey } from '../../../../runtimes/node/pki/issue.ts'
import { writeKubeconfig } from '../../../../runtimes/node/pki/kubeconfig.ts'
import { ensurePki, type PkiOptions } from '../../../../runtimes/node/pki/pki.ts'

const root = mkdtempSync(join(tmpdir(), 'pki-'))
after(() => rmSync(root, { recursive: true }))
let count = 0
const fresh = (): PkiOptions => ({
  certDir: join(root, String(count++)),
  service: 'platform',
  hosts: ['api.test'],
  ips: ['10.0.0.1', 'fd00::1'],
})

/** When a file was written. */
const changed = (directory: string, name: string) => Number(statSync(join(directory, name), { bigint: true }).mtimeNs)

test('creates a CA and certificates', async () => {
  const options = fresh()
  const pki = await ensurePki(options)
  const ca = new X509Certificate(pki.ca.certPem)
  const serving = new X509Certificate(pki.serving.certPem)
  const admin = new X509Certificate(pki.admin.certPem)
  assert.equal(ca.ca, true)
  for (const each of [serving, admin]) assert.ok(each.checkIssued(ca) && each.verify(ca.publicKey) && !each.ca)
  assert.equal(admin.subject, 'O=system:masters\nCN=platform-admin')
  for (const name of [
    'localhost',
    'api.test',
    'platform',
    'platform.default',
    'platform.default.svc',
    'platform.default.svc.cluster.local',
  ]) {
    assert.equal(serving.checkHost(name), name)
  }
  for (const ip of ['127.0.0.1', '::1', '10.0.0.1', 'fd00::1']) assert.equal(serving.checkIP(ip), ip)
  assert.ok(serving.checkPrivateKey(createPrivateKey(pki.serving.keyPem)))
  assert.equal(createPrivateKey(pki.serviceAccountKeyPem).asymmetricKeyType, 'ec')
  assert.equal(statSync(options.certDir).mode & 0o777, 0o700)
  for (const file of readdirSync(options.certDir).filter((name) => name.endsWith('.key'))) {
    assert.equal(statSync(join(options.certDir, file)).mode & 0o777, 0o600, file)
  }
})

test('openssl accepts the chain in strict mode', {
  skip: spawnSync('openssl', ['version']).status !== 0 && 'needs openssl',
}, async () => {
  const options = fresh()
  await ensurePki(options)
  const path = (name: string) => join(options.certDir, name)
  const { stdout, status } = spawnSync('openssl', [
    'verify',
    '-x509_strict',
    '-CAfile',
    path('ca.crt'),
    path('apiserver.crt'),
    path('admin.crt'),
  ])
  assert.equal(status, 0, String(stdout))
})

test('reuses existing files', async () => {
  const options = fresh()
  assert.deepEqual(await ensurePki(options), await ensurePki(options))
  const named = { ...fresh(), hosts: ['api.example:6443', '010.1.1.1', '10.1.1.1', '::1', 'fd00::2'] }
  assert.deepEqual(await ensurePki(named), await ensurePki(named), 'names that look like addresses')
})

test('keeps the CA and the service account key in the data directory', async () => {
  const options = { ...fresh(), dataDir: join(root, 'data') }
  const first = await ensurePki(options)
  rmSync(options.certDir, { recursive: true })
  const second = await ensurePki(options)
  assert.deepEqual([second.ca, second.serviceAccountKeyPem], [first.ca, first.serviceAccountKeyPem])
  assert.notEqual(second.serving.certPem, first.serving.certPem)
})

test('renews certificates before they expire, when host names are missing, or when the CA has changed', async () => {
  const options = fresh()
  const first = await ensurePki(options)
  const late = await ensurePki({ ...options, now: Date.now() + 340 * 86_400_000 })
  assert.notEqual(late.serving.certPem, first.serving.certPem)
  assert.notEqual(late.admin.certPem, first.admin.certPem)
  assert.equal(late.ca.certPem, first.ca.certPem)
  const renamed = await ensurePki({ ...options, hosts: ['new.test'] })
  assert.equal(new X509Certificate(renamed.serving.certPem).checkHost('new.test'), 'new.test')
  assert.equal(renamed.admin.certPem, late.admin.certPem)
  for (const file of ['ca.crt', 'ca.key']) rmSync(join(options.certDir, file))
  const other = await ensurePki(options)
  assert.ok(new X509Certificate(other.admin.certPem).verify(new X509Certificate(other.ca.certPem).publicKey))
})

test('uses a serving certificate given by the user', async () => {
  const { serving } = await ensurePki(fresh())
  const [certFile, keyFile] = [join(root, 'own.crt'), join(root, 'own.key')]
  writeFileSync(certFile, serving.certPem)
  writeFileSync(keyFile, serving.keyPem)
  const options = { ...fresh(), certFile, keyFile }
  assert.deepEqual((await ensurePki(options)).serving, serving)
  assert.ok(!readdirSync(options.certDir).includes('apiserver.crt'))
})

test('uses certificate pairs placed in the directory by the user, and never changes them', async () => {
  const options = fresh()
  const authority = issueAuthority('somebody else', newKey(), Date.now())
  // Host names and expiry do not matter: they are the choice of the user.
  const brought = issue(authority, { commonName: 'apiserver', names: ['localhost'] }, Date.now() - 360 * 86_400_000)
  mkdirSync(options.certDir)
  for (const name of ['apiserver', 'admin']) {
    writeFileSync(join(options.certDir, `${name}.crt`), brought.certPem)
    writeFileSync(join(options.certDir, `${name}.key`), brought.keyPem)
  }
  const pki = await ensurePki(options)
  assert.deepEqual(pki.serving, brought)
  assert.equal(pki.servingAuthorityPem, brought.certPem)
  assert.ok(new X509Certificate(pki.admin.certPem).verify(new X509Certificate(pki.ca.certPem).publicKey), 'a new administrator certificate')
  for (const name of ['apiserver', 'admin']) {
    assert.equal(readFileSync(join(options.certDir, `${name}.crt`), 'utf8'), brought.certPem)
    assert.equal(readFileSync(join(options.certDir, `${name}.key`), 'utf8'), brought.keyPem)
  }
  writeFileSync(join(options.certDir, 'apiserver.key'), newKey())
  await assert.rejects(ensurePki(options), /apiserver\.key: not the private key of/)
})

test('does not replace a CA without key', async () => {
  const options = fresh()
  mkdirSync(options.certDir, { recursive: true })
  const foreign = issueAuthority('somebody', newKey(), Date.now())
  const path = join(options.certDir, 'ca.crt')
  writeFileSync(path, foreign.certPem)
  const pki = await ensurePki(options)
  assert.equal(readFileSync(path, 'utf8'), foreign.certPem)
  const serving = new X509Certificate(pki.serving.certPem)
  assert.ok(serving.verify(new X509Certificate(pki.ca.certPem).publicKey))
  assert.deepEqual(await ensurePki(options), pki, 'the same CA the next time')
  const ofData = { ...fresh(), dataDir: join(root, String(count++)) }
  mkdirSync(join(ofData.dataDir, 'pki'), { recursive: true })
  writeFileSync(join(ofData.dataDir, 'pki', 'ca.crt'), foreign.certPem)
  await assert.rejects(ensurePki(ofData), /read .*ca.key/, 'a CA without key in the data directory is an error')
})

test('refuses a directory with one half of a serving pair', async () => {
  for (const [present, missing] of [
    ['apiserver.crt', 'apiserver.key'],
    ['apiserver.key', 'apiserver.crt'],
  ] as const) {
    const options = fresh()
    const brought = issue(issueAuthority('somebody else', newKey(), Date.now()), { commonName: 'apiserver' }, Date.now())
    const kept = present.endsWith('.key') ? brought.keyPem : brought.certPem
    mkdirSync(options.certDir)
    writeFileSync(join(options.certDir, present), kept)
    await assert.rejects(ensurePki(options), new RegExp(`${missing}: no such file: certificate and key must be supplied as a pair`))
    assert.equal(readFileSync(join(options.certDir, present), 'utf8'), kept)
  }
})

test('continues a start that was killed after any of its files', async () => {
  const options = fresh()
  await ensurePki(options)
  const written = readdirSync(options.certDir).sort((a, b) => changed(options.certDir, a) - changed(options.certDir, b))
  assert.equal(written.length, 7)
  for (const last of written.keys()) {
    const interrupted = fresh()
    mkdirSync(interrupted.certDir)
    for (const name of written.slice(0, last)) copyFileSync(join(options.certDir, name), join(interrupted.certDir, name))
    const { serving } = await ensurePki(interrupted)
    assert.ok(new X509Certificate(serving.certPem).checkPrivateKey(createPrivateKey(serving.keyPem)), written[last])
  }
})

for (const file of ['ca.crt', 'ca.key', 'apiserver.crt', 'apiserver.key', 'admin.crt', 'sa.key']) {
  test(`reports a damaged ${file}, and does not replace it`, async () => {
    const options = fresh()
    await ensurePki(options)
    const path = join(options.certDir, file)
    writeFileSync(path, '-----BEGIN NOTHING-----\n')
    await assert.rejects(ensurePki(options), (error: Error) => error.message.includes(path) && !error.message.includes('\n'))
    assert.equal(readFileSync(path, 'utf8'), '-----BEGIN NOTHING-----\n')
  })
}

test('reports the file of a key that does not match its certificate or can not be parsed', async () => {
  const options = fresh()
  const pki = await ensurePki(options)
  writeFileSync(join(options.certDir, 'ca.key'), pki.admin.keyPem)
  await assert.rejects(ensurePki(options), /ca\.key: not the private key of/)
  rmSync(join(options.certDir, 'ca.key'))
  await assert.rejects(ensurePki(options), /ca\.key: no such file or directory$/)
})

test('the kubeconfig works, and only its owner can read it', async () => {
  const { ca, admin } = await ensurePki(fresh())
  const path = join(root, 'sub', 'admin.kubeconfig')
  const options = { server: 'https://127.0.0.1:6443', caPem: ca.certPem, certPem: admin.certPem, keyPem: admin.keyPem }
  writeKubeconfig(path, options)
  chmodSync(path, 0o644)
  writeKubeconfig(path, options)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(join(root, 'sub')), ['admin.kubeconfig'])
  const { parse } = await import('yaml')
  const config = parse(readFileSync(path, 'utf8'))
  assert.equal(config.clusters[0].cluster.server, options.server)
  assert.equal(Buffer.from(config.users[0].user['client-key-data'], 'base64').toString(), admin.keyPem)
  const kubectl = spawnSync('kubectl', ['--kubeconfig', path, 'config', 'view', '--raw', '-o', 'json'], { encoding: 'utf8' })
  if (kubectl.error === undefined) {
    const view = JSON.parse(kubectl.stdout)
    assert.equal(view['current-context'], 'platform')
    assert.equal(Buffer.from(view.clusters[0].cluster['certificate-authority-data'], 'base64').toString(), ca.certPem)
  }
})

test('names that are no addresses are host names, also those with a port or leading zeros', () => {
  const authority = issueAuthority('somebody', newKey(), Date.now())
  const names = ['api.example', 'api.example:6443', '010.0.0.1', '10.0.0.1', '2001:db8::1', '::ffff:10.0.0.2']
  const { certPem } = issue(authority, { commonName: 'apiserver', names }, Date.now())
  assert.equal(
    new X509Certificate(certPem).subjectAltName,
    'DNS:api.example, DNS:api.example:6443, DNS:010.0.0.1, IP Address:10.0.0.1, IP Address:2001:DB8:0:0:0:0:0:1, IP Address:0:0:0:0:0:FFFF:A00:2',
  )
})
