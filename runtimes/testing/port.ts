import { once } from 'node:events'
import type { Handler } from '../node/http/exchange.ts'
import { plainServer } from '../node/plain.ts'

/** Listens on a port of 127.0.0.1, 0: a free one, without TLS. */
export async function openPort(port: number, handler: Handler): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = plainServer(handler)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('listen: no address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
