import { FlagError } from '../../../core/flags/flag.ts'
import { type Handler, type Listener, type ListenOptions, listen } from '../network/listener.ts'

/** Rejects with a FlagError when the port can't be opened. */
export async function openListener(options: ListenOptions, handler: Handler): Promise<Listener> {
  const { address, port } = options
  try {
    return await listen(options, handler)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EADDRNOTAVAIL') throw new FlagError(`--bind-address: ${address}: no interface of this host has this address`)
    if (code === 'EADDRINUSE') throw new FlagError(`--secure-port: port ${port} of ${address} is in use by another process`)
    if (code === 'EACCES') throw new FlagError(`--secure-port: no permission to listen on port ${port}`)
    throw error
  }
}
