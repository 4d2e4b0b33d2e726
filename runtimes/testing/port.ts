/** Listeners on 127.0.0.1, for clients in other processes. */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { type Handler, listen } from '../node/network/listener.ts'
import { plainServer } from '../node/observe/plain.ts'
import { issue, issueAuthority, newKey } from '../node/pki/issue.ts'
import { tokenKubeconfig } from '../node/pki/kubeconfig.ts'

export interface OpenPort {
  readonly url: string
  /** PEM of the CA of the serving certificate; absent without TLS. */
  readonly authority?: string
  close(): Promise<void>
}

const host = '127.0.0.1'

/** Listens without TLS. Port 0: any free port. */
export async function openPort(port: number, handler: Handler): Promise<OpenPort> {
  const http = plainServer(handler)
  const sockets = new Set<Socket>()
  // Bun's own HTTP server sends the head of a watch only with its first event; connections that it is given are served by other code.
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    http.emit('connection', socket)
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('listen: no address')
  return {
    url: `http://${host}:${address.port}`,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Listens with TLS, HTTP/1.1 and HTTP/2, and a generated certificate. */
export async function openTlsPort(port: number, handler: Handler): Promise<OpenPort> {
  const now = Date.now()
  const authority = issueAuthority('test server authority', newKey(), now)
  const { certPem: cert, keyPem: key } = issue(authority, { commonName: 'test server', names: [host, 'localhost'] }, now)
  const listener = await listen({ address: host, port, cert, key }, handler)
  return { url: `https://${host}:${listener.port}`, authority: authority.certPem, close: () => listener.close(0) }
}

/** Writes a kubeconfig with a token, mode 0600. */
export async function writeKubeconfig(path: string, port: OpenPort, user: string, token: string): Promise<void> {
  await writeFile(path, tokenKubeconfig({ name: 'test', user, token, ...port }), { mode: 0o600 })
}
