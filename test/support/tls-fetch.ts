/** `fetch` with a client certificate, over a pool of connections. Response bodies are not decompressed. */
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent, request } from 'node:https'
import { Readable } from 'node:stream'

export type Fetch = (path: string, init?: RequestInit) => Promise<Response>

/** PEM texts. */
export interface ClientFiles {
  readonly ca: string
  /** Without a certificate the client is anonymous, or uses a token. */
  readonly cert?: string
  readonly key?: string
}

const withoutBody = new Set([204, 304])

function responseOf(message: IncomingMessage): Response {
  const headers = new Headers()
  for (let at = 0; at < message.rawHeaders.length; at += 2) headers.append(message.rawHeaders[at] ?? '', message.rawHeaders[at + 1] ?? '')
  const status = message.statusCode ?? 0
  if (withoutBody.has(status)) return new Response(null, { status, headers })
  return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array>, { status, headers })
}

async function bodyOf(init: RequestInit): Promise<Uint8Array | undefined> {
  if (init.body === undefined || init.body === null) return undefined
  return new Uint8Array(await new Response(init.body).arrayBuffer())
}

export interface PooledFetch {
  readonly fetch: Fetch
  close(): void
}

export const tlsFetch = (url: string, client: ClientFiles): PooledFetch => pooled(url, request, new Agent({ ...client, keepAlive: true }))

/** The same without TLS, for servers that close kept connections at any time: a request that meets that is sent again. */
export const plainFetch = (url: string): PooledFetch => pooled(url, plainRequest, new PlainAgent({ keepAlive: true }), true)

function pooled(url: string, send: typeof request, agent: Agent | PlainAgent, sendsAgain = false): PooledFetch {
  return {
    async fetch(path, init = {}) {
      const body = await bodyOf(init)
      const headers = Object.fromEntries(new Headers(init.headers))
      const attempt = (resolve: (response: Response) => void, reject: (error: Error) => void): void => {
        const outgoing = send(`${url}${path}`, {
          agent,
          method: init.method ?? 'GET',
          headers: { ...headers, ...(body && { 'content-length': String(body.length) }) },
          ...(init.signal && { signal: init.signal }),
        })
        let isAnswered = false
        outgoing.on('response', (message) => {
          isAnswered = true
          resolve(responseOf(message))
        })
        outgoing.on('error', (error: NodeJS.ErrnoException) => {
          if (sendsAgain && !isAnswered && outgoing.reusedSocket && error.code === 'ECONNRESET') attempt(resolve, reject)
          else reject(error)
        })
        outgoing.end(body)
      }
      return new Promise(attempt)
    },
    close: () => agent.destroy(),
  }
}
