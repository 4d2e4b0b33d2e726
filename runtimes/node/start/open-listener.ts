import { FlagError } from '../../../core/flags/flag.ts'
import { type BoundSocket, type Handler, type Listener, type ListenOptions, listen } from '../network/listener.ts'

/** What a start says when a port can't be opened for this reason; otherwise the error itself. */
export function portError(error: unknown, { address, port }: Pick<ListenOptions, 'address' | 'port'>): unknown {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EADDRNOTAVAIL') return new FlagError(`--bind-address: ${address}: no interface of this host has this address`)
  if (code === 'EADDRINUSE') return new FlagError(`--secure-port: port ${port} of ${address} is in use by another process`)
  if (code === 'EACCES') return new FlagError(`--secure-port: no permission to listen on port ${port}`)
  return error
}

/** Rejects with a FlagError when the port can't be opened. `bound`: the socket, if it is bound already. */
export async function openListener(options: ListenOptions, handler: Handler, bound?: BoundSocket): Promise<Listener> {
  try {
    return await listen(options, handler, bound)
  } catch (error) {
    throw portError(error, options)
  }
}
