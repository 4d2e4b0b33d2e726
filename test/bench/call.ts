import { request } from 'node:https'
import type { BenchDaemon } from './daemon.ts'

/** One JSON request as administrator. */
export function call(
  daemon: BenchDaemon,
  method: string,
  path: string,
  body?: object,
  types: Record<string, string> = { 'content-type': 'application/json' },
): Promise<{ headers: Record<string, string>; body: string }> {
  const { url, ca, cert, key } = daemon
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, ca, cert, key, headers: types }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ headers: response.headers as Record<string, string>, body: Buffer.concat(chunks).toString() }))
    })
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}
