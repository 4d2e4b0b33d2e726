/** A token webhook in a separate process, and the kubeconfig for it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOutbound } from '../../runtimes/node/network/outbound.ts'
import { authority, client, serving } from '../runtimes/node/support.ts'
import { killedAtExit } from './child.ts'
import { nodeArguments } from './root.ts'
import { within } from './wait.ts'

export interface TokenWebhook {
  readonly pid: number
  /** Path of the kubeconfig. */
  readonly connectionFile: string
  /** Number of reviews by token. */
  counts(): Promise<{ readonly [token: string]: number }>
  stop(): Promise<void>
}

/** Starts the service and writes its kubeconfig into the directory. */
export async function startTokenWebhook(directory: string): Promise<TokenWebhook> {
  const program = nodeArguments(new URL('../runtimes/node/token-webhook-service.ts', import.meta.url))
  const TLS = JSON.stringify({ ...serving, ca: authority.certPem })
  const service = killedAtExit(spawn(process.execPath, program, { env: { ...process.env, TLS }, stdio: ['ignore', 'pipe', 'inherit'] }))
  const ended = once(service, 'close')
  const [chunk] = await within('port of the token webhook', once(service.stdout, 'data'))
  const url = `https://127.0.0.1:${String(chunk).trim()}`
  const caller = client('apiserver')
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const connectionFile = join(directory, 'token-webhook.yaml')
  writeFileSync(
    connectionFile,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'hook',
      contexts: [{ name: 'hook', context: { cluster: 'hook', user: 'apiserver' } }],
      clusters: [{ name: 'hook', cluster: { server: `${url}/review`, 'certificate-authority-data': base64(authority.certPem) } }],
      users: [{ name: 'apiserver', user: { 'client-certificate-data': base64(caller.cert), 'client-key-data': base64(caller.key) } }],
    }),
  )
  const { fetch } = createOutbound()
  return {
    pid: service.pid ?? 0,
    connectionFile,
    async counts() {
      const options = { certificateAuthority: authority.certPem, clientCertificate: { certificate: caller.cert, key: caller.key } }
      return (await fetch(new Request(`${url}/count`), options)).json()
    },
    async stop() {
      service.kill('SIGTERM')
      await ended
    },
  }
}
