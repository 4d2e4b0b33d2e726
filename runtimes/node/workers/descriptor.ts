/**
 * One port that several threads listen on: with SO_REUSEPORT each has a socket of its own, and the kernel spreads the connections. Before Node 22.12
 * the main thread binds one socket and never listens, so that it accepts nothing; each worker listens on a descriptor of its own of that socket,
 * because a thread closes its descriptors when it ends. Node can't duplicate a descriptor within a process: a child process inherits it, and sends it
 * back.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net, { isIPv6 } from 'node:net'
import { getSystemErrorName } from 'node:util'
import type { BoundSocket } from '../network/listener.ts'

interface Bound extends BoundSocket {
  getsockname(address: { address?: string; port?: number }): number
  close(): void
}

/** What node:cluster binds sockets with. */
type CreateHandle = (address: string, port: number, family: 4 | 6, descriptor: -1, flags: 0) => Bound | number
const { _createServerHandle: createHandle } = net as unknown as { readonly _createServerHandle: CreateHandle }

export interface Port {
  readonly address: string
  readonly port: number
  /** Undefined: each worker binds a socket of its own to the port (SO_REUSEPORT). */
  readonly descriptor: number | undefined
  close(): void
}

function failed(code: string): Error {
  return Object.assign(new Error(`bind: ${code}`), { code })
}

function bind(host: string, port: number): Bound {
  const handle = createHandle(host, port, isIPv6(host) ? 6 : 4, -1, 0)
  if (typeof handle === 'number') throw failed(getSystemErrorName(handle))
  return handle
}

const noFamily = ['EAFNOSUPPORT', 'EADDRNOTAVAIL']

/** Binds a port. Throws an Error with a code, such as EADDRINUSE. */
export function bindPort({ address = '', port = 0 }: { readonly address?: string; readonly port?: number }): Port {
  const everywhere = ['', '0.0.0.0', '::'].includes(address)
  let handle: Bound
  try {
    handle = bind(everywhere ? '::' : address, port)
  } catch (error) {
    if (!everywhere || !noFamily.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    handle = bind('0.0.0.0', port)
  }
  const name: { address?: string; port?: number } = {}
  handle.getsockname(name)
  // A port that is in use is told when somebody listens.
  if (!name.port) {
    handle.close()
    throw failed('EADDRINUSE')
  }
  return { address: name.address ?? address, port: name.port, descriptor: handle.fd, close: () => handle.close() }
}

/** A port that is free, where each worker listens with SO_REUSEPORT. */
export async function freePort({ address, port = 0 }: { readonly address?: string; readonly port?: number }): Promise<Port> {
  const server = net.createServer()
  server.listen({ port, ...(address && { host: address }) })
  await once(server, 'listening')
  const bound = server.address() as net.AddressInfo
  server.close()
  await once(server, 'close')
  return { address: bound.address, port: bound.port, descriptor: undefined, close() {} }
}

/** Descriptor of the socket in the child. */
const inherited = 4
/** Sends its descriptor to its parent. Nothing is read: the socket only listens. */
const program = `
const socket = new (require('node:net').Socket)({ fd: ${inherited}, readable: false, writable: false })
process.send('', socket._handle, () => process.disconnect())`

/** A descriptor of this thread's own for a socket of the process. */
export async function ownDescriptor(descriptor: number): Promise<BoundSocket> {
  const child = spawn(process.execPath, ['-e', program], { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc', descriptor] })
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`the descriptor of the port could not be duplicated: the child process ended with ${signal ?? code}`)
  })
  ended.catch(() => {})
  const [, handle] = await Promise.race([once(child, 'message'), ended])
  if (!handle) throw new Error('the descriptor of the port could not be duplicated')
  return handle as BoundSocket
}
