/** Rows for encryption at rest: encrypted secrets compared with plain ones. The store is in memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tlsFetch } from '../support/tls-fetch.ts'
import type { Compare } from './api-rows.ts'
import { startDaemon } from './daemon.ts'
import { load } from './load.ts'

const keys = { keys: [{ name: 'k', secret: Buffer.alloc(32, 7).toString('base64') }] }
const providers = { identity: { identity: {} }, aesgcm: { aesgcm: keys }, secretbox: { secretbox: keys } }
const path = '/api/v1/namespaces/default/secrets'
const data = {
  password: Buffer.from('correct horse battery staple').toString('base64'),
  bundle: Buffer.alloc(1_500, 120).toString('base64'),
}
const secret = (name: string) => JSON.stringify({ kind: 'Secret', apiVersion: 'v1', metadata: { name }, data })
const headers = { 'content-type': 'application/json' }

type Measure = (options: { readonly method: string; readonly path: string; readonly body?: string }) => Promise<number>

interface Target {
  readonly measure: Measure
  stop(): Promise<void>
}

async function startWith(provider: object, seconds: number, port: number): Promise<Target> {
  const directory = mkdtempSync(join(tmpdir(), 'apiserver-bench-'))
  const file = join(directory, 'encryption.json')
  const resources = [{ resources: ['secrets'], providers: [provider] }]
  writeFileSync(file, JSON.stringify({ kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', resources }))
  const daemon = await startDaemon(port, ['--data-dir=:memory:', `--encryption-provider-config=${file}`])
  const { url, ca, cert, key } = daemon
  const { fetch, close } = tlsFetch(url, { ca, cert, key })
  const created = await fetch(path, { method: 'POST', headers, body: secret('one') })
  if (!created.ok) throw new Error(`POST ${path}: ${created.status}`)
  await created.arrayBuffer()
  return {
    async measure(options) {
      const { requestsPerSecond, failures } = await load({ ...options, url, ca, cert, key, seconds, headers, connections: 32 })
      if (failures > 0) throw new Error(`${failures} requests failed: ${options.method} ${options.path}`)
      return requestsPerSecond
    },
    async stop() {
      close()
      await daemon.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Measures all rows of this file; the limit is a server without encryption. */
export async function encryptionRows<Row>(compare: Compare<Row>, seconds: number, port: number): Promise<Row[]> {
  const rows: Row[] = []
  for (const name of ['aesgcm', 'secretbox'] as const) {
    const plain = await startWith(providers.identity, seconds, port)
    const encrypted = await startWith(providers[name], seconds, port + 1)
    try {
      const row = (title: string, options: Parameters<Measure>[0]) =>
        compare(
          `${title}, ${name}`,
          '',
          () => encrypted.measure(options),
          () => plain.measure(options),
        )
      rows.push(await row('GET a secret', { method: 'GET', path: `${path}/one` }))
      rows.push(await row('CREATE secrets', { method: 'POST', path, body: secret('s-{n}') }))
    } finally {
      await Promise.all([plain.stop(), encrypted.stop()])
    }
  }
  return rows
}
