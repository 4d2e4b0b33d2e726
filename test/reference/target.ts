/** A server that the suite sends requests to, over kept connections of HTTP/1.1. */
import { Agent, request } from 'node:https'
import type { Command } from '../support/daemon.ts'
import type { Answer, Call } from './exchange.ts'
import { run } from './program.ts'
import { exchanged } from './raw.ts'
import { conversation, handshake } from './websocket.ts'

export interface Target {
  readonly url: string
  send(call: Call): Promise<Answer>
  close(): void
}

/** Maximum duration of a request in milliseconds; a longer one gets an answer of status 0. */
const longest = 20_000
const maxSockets = 64
/** Nothing was sent. */
const unanswered: Answer = { status: 0, headers: [], body: Buffer.from('') }

/** The server at a URL; its certificate is not verified. `token`: of an administrator; `program`: for calls with the method RUN. */
export function openTarget(url: string, token: string, program?: Command): Target {
  const agent = new Agent({ keepAlive: true, maxSockets, rejectUnauthorized: false })
  /** For WebSockets, which keep their connection. */
  const alone = new Agent({ rejectUnauthorized: false })
  const { hostname, port } = new URL(url)

  function attempt(call: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const body = call.body === undefined ? undefined : Buffer.from(call.body, call.headers?.['x-latin1'] ? 'latin1' : 'utf8')
      const own = call.token ?? token
      const isWebSocket = call.method === 'WEBSOCKET'
      const headers: Record<string, string> = {
        accept: 'application/json',
        'user-agent': 'reference-suite',
        ...(own !== '' && { authorization: `Bearer ${own}` }),
        ...(isWebSocket && handshake),
        ...call.headers,
        ...(body && { 'content-length': String(body.length) }),
      }
      delete headers['x-latin1']
      const method = isWebSocket ? 'GET' : call.method
      const outgoing = request({
        agent: isWebSocket ? alone : agent,
        host: hostname,
        port,
        method,
        path: call.path,
        headers,
        timeout: longest,
      })
      outgoing.on('upgrade', ({ statusCode = 0, rawHeaders }, socket, head) => {
        socket.unshift(head)
        conversation(socket).then((read) => resolve({ status: statusCode, headers: pairs(rawHeaders), body: read }), reject)
      })
      outgoing.on('response', (message) => {
        const chunks: Buffer[] = []
        message.on('data', (chunk: Buffer) => chunks.push(chunk))
        message.on('error', reject)
        message.on('end', () =>
          resolve({ status: message.statusCode ?? 0, headers: pairs(message.rawHeaders), body: Buffer.concat(chunks) }),
        )
      })
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')))
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }

  return {
    url,
    async send(call) {
      if (call.method === 'RAW') return exchanged(url, call.body ?? '')
      if (call.method === 'RUN') return program === undefined ? unanswered : run(program, call.path)
      // A kept connection may be closed by the server at the moment of the request, so a failure is tried once more.
      try {
        return await attempt(call)
      } catch {
        return attempt(call).catch((error: Error) => ({ status: 0, headers: [], body: Buffer.from(withoutPorts(error.message)) }))
      }
    },
    close: () => agent.destroy(),
  }
}

const withoutPorts = (text: string) => text.replaceAll(/:\d+/g, '')

function pairs(raw: readonly string[]): [string, string][] {
  const result: [string, string][] = []
  for (let at = 0; at < raw.length; at += 2) result.push([(raw[at] ?? '').toLowerCase(), raw[at + 1] ?? ''])
  return result
}
