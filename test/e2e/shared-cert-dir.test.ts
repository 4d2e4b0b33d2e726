/** Servers with one --cert-dir, which is the default for all servers of a host. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect } from 'node:tls'
import { type Daemon, runProgram, startDaemon } from '../support/daemon.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually } from '../support/wait.ts'

async function start(t: TestContext, ...flags: string[]): Promise<Daemon> {
  const daemon = await startDaemon({ flags })
  t.after(() => daemon.stop())
  return daemon
}

/** The certificate with which a daemon serves. */
function servedBy({ port }: Daemon): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(new X509Certificate(socket.getPeerCertificate().raw))
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

test('a server with other data refuses the --cert-dir of a running server, and takes it over when that has ended', async (t) => {
  const directory = temporaryDirectory()
  t.after(directory.remove)
  const shared = `--cert-dir=${directory.path}`
  const file = join(directory.path, 'apiserver.crt')
  const first = await start(t, shared)
  const before = readFileSync(file, 'utf8')
  const other = temporaryDirectory()
  t.after(other.remove)
  const refused = await runProgram([shared, `--data-dir=${other.path}`, '--secure-port=1', '--bind-address=127.0.0.1'])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /apiserver\.crt belongs to process \d+, a server with other data: each needs its own --cert-dir\n$/)
  assert.equal(readFileSync(file, 'utf8'), before)
  assert.equal((await servedBy(first)).toString(), before)
  await first.stop()
  const second = await start(t, shared)
  assert.notEqual(readFileSync(file, 'utf8'), before)
  assert.equal((await servedBy(second)).toString(), readFileSync(file, 'utf8'))
})

test('servers with the same authority share a certificate that has the names of both', async (t) => {
  const directory = temporaryDirectory()
  t.after(directory.remove)
  const shared = [`--cert-dir=${directory.path}`, '--data-dir=:memory:']
  const first = await start(t, ...shared, '--external-hostname=one.example')
  const second = await start(t, ...shared, '--external-hostname=two.example')
  await eventually('the first server reads it', async () => first.log().includes('certificates reloaded'))
  const certificates = await Promise.all([first, second].map(servedBy))
  for (const certificate of certificates) {
    assert.ok(certificate.checkHost('one.example'), certificate.subjectAltName)
    assert.ok(certificate.checkHost('two.example'), certificate.subjectAltName)
  }
  assert.equal(certificates[0]?.serialNumber, certificates[1]?.serialNumber)
})
