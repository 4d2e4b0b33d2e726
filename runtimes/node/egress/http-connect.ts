import { request } from 'node:http'
import type { Duplex } from 'node:stream'
import { dialTimeout } from './dial.ts'

/**
 * Asks the HTTP proxy at the other end of a connection for a tunnel (RFC 9110 9.3.6). Resolves to the connection, which is one to the authority
 * (`HOST:PORT`) from then on. Rejects when the proxy refuses, closes, or does not answer in time; then the connection is closed. `proxy`: the
 * proxy's name in errors. `headers`: fields of the request; Host is the authority by default. `limit`: milliseconds.
 */
export function tunnelThrough(
  socket: Duplex,
  proxy: string,
  authority: string,
  headers: { readonly [name: string]: string } = {},
  limit = dialTimeout,
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer)
      // It may break once more while it closes.
      socket.on('error', () => undefined).destroy()
      reject(error)
    }
    const unread = (why: string) => fail(new Error(`reading HTTP response from CONNECT to ${authority} via proxy ${proxy} failed: ${why}`))
    const refused = (code = 0, message = '') =>
      fail(new Error(`proxy error from ${proxy} while dialing ${authority}, code ${code}: ${code} ${message}`.trimEnd()))
    const timer = setTimeout(() => unread('i/o timeout'), limit)
    const connect = request({
      createConnection: () => socket,
      method: 'CONNECT',
      path: authority,
      headers: { Host: authority, ...headers },
    })
    connect.removeHeader('connection')
    connect.once('connect', ({ statusCode, statusMessage }, _socket, head: Buffer) => {
      if (statusCode !== 200) return refused(statusCode, statusMessage)
      // The client speaks first in TLS and HTTP: such bytes are not the server's.
      if (head.length > 0)
        return fail(new Error(`unexpected ${head.length} bytes of buffered data from CONNECT proxy ${JSON.stringify(proxy)}`))
      clearTimeout(timer)
      resolve(socket)
    })
    // Of several responses the first counts, as in the reference: interim ones could go on without an end.
    connect.once('information', ({ statusCode, statusMessage }) => refused(statusCode, statusMessage))
    connect.once('response', ({ statusCode, statusMessage }) => refused(statusCode, statusMessage))
    connect.on('error', ({ code, message }: NodeJS.ErrnoException) => unread(code === 'ECONNRESET' ? 'unexpected EOF' : message))
    connect.end()
  })
}
