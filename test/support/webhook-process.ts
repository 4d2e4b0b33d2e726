/** The admission webhooks of test/e2e/webhook-service.ts in a separate process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { authority, issued } from '../runtimes/node/support.ts'
import { killedAtExit } from './child.ts'
import { nodeArguments } from './root.ts'
import { within } from './wait.ts'

export interface WebhookProcess {
  readonly port: number
  /** Base64 of the PEM of its CA. */
  readonly caBundle: string
  stop(): void
}

/**
 * Its certificate is for 127.0.0.1, localhost and the service `hooks` in namespace default. `clientCa`: PEM of the CA
 * for client certificates.
 */
export async function startWebhookProcess(clientCa?: string): Promise<WebhookProcess> {
  const env = { ...process.env, TLS: JSON.stringify({ ...issued('hooks.default.svc', '127.0.0.1', 'localhost'), ca: clientCa }) }
  const program = nodeArguments(new URL('../e2e/webhook-service.ts', import.meta.url))
  const service = killedAtExit(spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'inherit'] }))
  const [chunk] = await within('port of the webhooks', once(service.stdout, 'data'))
  return { port: Number(String(chunk)), caBundle: Buffer.from(authority.certPem).toString('base64'), stop: () => service.kill() }
}
