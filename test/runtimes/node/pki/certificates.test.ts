import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { parseFlags } from '../../../../core/flags/parse.ts'
import type { Certificates } from '../../../../runtimes/node/network/listener.ts'
import { claimCertificates, followCertificates, preparePki, servingCertificates } from '../../../../runtimes/node/pki/certificates.ts'
import { certificateOptions } from '../../../../runtimes/node/start/certificate-options.ts'
import { takeOwnership } from '../../../../runtimes/stores/log/owner.ts'
import { killedAtExit } from '../../../support/child.ts'
import { silentLogger } from '../../../support/logger.ts'
import { nodeArguments } from '../../../support/root.ts'
import { trials } from '../../../support/soak.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { issued } from '../support.ts'

/** A process that prepares the certificates of directories. */
function startProcess(t: TestContext): (directory?: string) => Promise<string> {
  const arguments_ = nodeArguments(new URL('./certificates-child.ts', import.meta.url))
  const child = killedAtExit(spawn(process.execPath, arguments_, { stdio: ['pipe', 'pipe', 'inherit'] }))
  t.after(() => child.kill())
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return async (directory) => {
    if (directory !== undefined) child.stdin.write(`${directory}\n`)
    return (await lines.next()).value ?? 'ended'
  }
}

test('processes that start at once with one --cert-dir serve the same certificate', async (t) => {
  const temporary = temporaryDirectory()
  t.after(temporary.remove)
  const processes = Array.from({ length: 3 }, () => startProcess(t))
  for (const each of processes) assert.equal(await each(), 'ready')
  for (let round = 0; round < trials(20, 500); round++) {
    const directory = join(temporary.path, String(round))
    mkdirSync(directory)
    const answers = await Promise.all(processes.map((each) => each(directory)))
    assert.match(answers[0] ?? '', /^[0-9A-F]+$/)
    assert.deepEqual(new Set(answers).size, 1, answers.join(', '))
  }
})

test('a process that writes certificates without an end is waited for, with a word, and is the reason of a failed start', async (t) => {
  const { path: directory, remove } = temporaryDirectory()
  t.after(remove)
  const options = certificateOptions(parseFlags(['--data-dir=:memory:', `--cert-dir=${directory}`], 'apiserver'))
  const claim = await claimCertificates(options)
  t.after(() => claim.release())
  const other = await takeOwnership(directory, { role: 'writer' })
  const failed = preparePki(options, claim, { timeout: 1 })
  await assert.rejects(failed, { name: 'FlagError', message: `--cert-dir: ${directory}: in use by process ${process.pid}` })
  let say: (text: string) => void
  const said = new Promise<string>((resolve) => {
    say = resolve
  })
  const prepared = preparePki(options, claim, { logger: { info: (_fields, text) => say(text) } })
  assert.equal(await said, 'another process is writing certificates; waiting for it to finish')
  await other.release()
  assert.match((await prepared).serving.certPem, /BEGIN CERTIFICATE/)
})

test('certificates that change while the server starts are used when it serves, and later ones too', async (t) => {
  const { path: directory, remove } = temporaryDirectory()
  const file = (name: string) => join(directory, name)
  const write = (name: string, { cert, key }: ReturnType<typeof issued>) => {
    writeFileSync(file(`${name}.crt`), cert)
    writeFileSync(file(`${name}.key`), key)
  }
  write('own', issued('old.example'))
  write('named', issued('named.example'))
  const pair = (name: string) => [file(`${name}.crt`), file(`${name}.key`)] as const
  const argv = [
    ...['--data-dir=:memory:', `--cert-dir=${file('certificates')}`, `--tls-sni-cert-key=${pair('named').join(',')}`],
    ...[`--tls-cert-file=${pair('own')[0]}`, `--tls-private-key-file=${pair('own')[1]}`],
  ]
  const options = certificateOptions(parseFlags(argv, 'apiserver'))
  const claim = await claimCertificates(options)
  t.after(async () => {
    await claim.release()
    remove()
  })
  const pki = await preparePki(options, claim)
  for (const what of ['own', 'named'] as const) {
    const inUse = servingCertificates(options, pki)
    const used: Certificates[] = []
    let took = () => {}
    const wanted = (pem: string) =>
      new Promise<void>((resolve) => {
        const look = () => used.some(({ cert, sni = [] }) => (what === 'own' ? cert : sni[0]?.cert) === pem) && resolve()
        took = look
        look()
      })
    const during = issued(`${what}.during.example`)
    write(what, during)
    const stop = await followCertificates(options, pki, inUse, silentLogger, (next) => {
      used.push(next)
      took()
    })
    await wanted(during.cert)
    const later = issued(`${what}.later.example`)
    write(what, later)
    await wanted(later.cert)
    stop()
  }
})
