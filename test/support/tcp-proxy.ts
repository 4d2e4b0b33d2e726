/** A TCP proxy whose connections a test can cut. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  readonly port: number
  /** Number of open connections. */
  open(): number
  /** Resets all connections, as when a network fails. */
  cut(): void
  /** Stops and continues what comes from the port: requests arrive there, and nothing is answered. New connections are accepted. */
  stall(isStalled: boolean): void
  close(): Promise<void>
}

/** Forwards connections to a port of 127.0.0.1. */
export async function tcpProxy(to: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let stalled = false
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    const pair = [near, far] as const
    pairs.add(pair)
    near.pipe(far).pipe(near)
    if (stalled) far.unpipe(near).pause()
    for (const socket of pair)
      socket
        .on('error', () => {})
        .on('close', () => {
          pairs.delete(pair)
          for (const each of pair) each.destroy()
        })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const cut = () => {
    for (const pair of [...pairs]) for (const socket of pair) socket.resetAndDestroy()
  }
  return {
    port: address.port,
    open: () => pairs.size,
    cut,
    stall(isStalled) {
      // A second pipe would send every chunk twice.
      if (stalled === isStalled) return
      stalled = isStalled
      for (const [near, far] of pairs) {
        if (stalled) far.unpipe(near).pause()
        else far.pipe(near)
      }
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
