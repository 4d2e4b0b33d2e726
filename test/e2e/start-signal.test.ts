/** SIGINT and SIGTERM while the daemon waits for something during its start. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { takeOwnership } from '../../runtimes/stores/log/owner.ts'
import { killedAtExit } from '../support/child.ts'
import { bundle } from '../support/daemon.ts'
import { freePort, isOpen } from '../support/free-port.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventually, within } from '../support/wait.ts'

const absent = (directory: string) =>
  JSON.stringify({
    kind: 'EncryptionConfiguration',
    apiVersion: 'apiserver.config.k8s.io/v1',
    resources: [
      { resources: ['*.*'], providers: [{ kms: { apiVersion: 'v2', name: 'absent', endpoint: `unix://${directory}/none.sock` } }] },
    ],
  })

/** Flags of a daemon whose start does not end. */
const waits: { readonly [what: string]: (directory: string) => Promise<readonly string[]> } = {
  'a KMS plugin that is not there': async (directory) => {
    const file = join(directory, 'encryption.json')
    writeFileSync(file, absent(directory))
    return [`--data-dir=${join(directory, 'data')}`, `--encryption-provider-config=${file}`]
  },
  'a cluster of stores that does not answer': async () => [`--kvstore-servers=http://127.0.0.1:${await freePort()}`],
}

for (const [what, flagsOf] of Object.entries(waits))
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    test(`${signal} ends a start that waits for ${what}`, async () => {
      const directory = temporaryDirectory('start-signal')
      const port = await freePort()
      const certificates = join(directory.path, 'pki')
      const usual = [`--secure-port=${port}`, '--bind-address=127.0.0.1', `--cert-dir=${certificates}`]
      const argv = [bundle, ...usual, ...(await flagsOf(directory.path))]
      const child = killedAtExit(spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] }))
      let log = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text
      })
      const ended = once(child, 'close')
      try {
        await eventually('the port is open, which is before the wait', () => isOpen(port))
        child.kill(signal)
        assert.deepEqual(await within('end of the daemon', ended), [0, null], log)
        assert.match(log, new RegExp(`ended during the start" signal="${signal}"`))
        const claims = readdirSync(certificates).filter((name) => name.startsWith('certificates.'))
        assert.deepEqual(claims, [], 'the process is no user of the certificates any more')
      } finally {
        child.kill('SIGKILL')
        directory.remove()
      }
    })

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`${signal} ends a start that waits for the process that writes certificates`, async () => {
    const directory = temporaryDirectory('start-signal')
    const certificates = join(directory.path, 'pki')
    mkdirSync(certificates)
    const writer = await takeOwnership(certificates, { role: 'writer' })
    const argv = [
      bundle,
      `--secure-port=${await freePort()}`,
      '--bind-address=127.0.0.1',
      `--cert-dir=${certificates}`,
      '--data-dir=:memory:',
    ]
    const child = killedAtExit(spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] }))
    let log = ''
    const waits = new Promise<void>((resolve) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text
        if (log.includes('waiting for it to finish')) resolve()
      })
    })
    const ended = once(child, 'close')
    try {
      await within('the wait', waits)
      child.kill(signal)
      assert.deepEqual(await within('end of the daemon', ended), [0, null], log)
      assert.match(log, new RegExp(`ended during the start" signal="${signal}"`))
    } finally {
      child.kill('SIGKILL')
      await writer.release()
      directory.remove()
    }
  })
