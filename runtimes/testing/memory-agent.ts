/** In-memory connections for node:http and undici. */
import { Agent } from 'node:http'
import { SocketLike } from '../node/network/socket-like.ts'
import { plainServer } from '../node/observe/plain.ts'

/** One end of a connection: data written here is read at the other end. */
class End extends SocketLike {
  other: End | undefined
  #resume: (() => void) | undefined

  override _read(): void {
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const { other } = this
    if (other === undefined || other.destroyed) done()
    else if (other.push(chunk)) done()
    else other.#resume = done
  }

  override _final(done: () => void): void {
    this.other?.push(null)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { other } = this
    this.other = undefined
    this.#resume?.()
    if (other && !other.destroyed) queueMicrotask(() => other.destroy())
    done(error)
  }
}

/** Opens a connection. */
export type Connect = () => SocketLike

/** Connections to the handler. */
export function memoryConnections(handle: (request: Request) => Promise<Response>): Connect {
  const server = plainServer(handle)
  return () => {
    const [client, served] = [new End(), new End()]
    client.other = served
    served.other = client
    server.emit('connection', served)
    return client
  }
}

/** An agent of node:http that sends all requests over such connections. */
export const memoryAgent = (connect: Connect): Agent => Object.assign(new Agent(), { createConnection: connect })

/** Like the given agent of undici, but all its requests go over such connections. The class is that of the caller's copy of undici. */
export function memoryDispatcher(connect: Connect, usual: object): object {
  const UndiciAgent = usual.constructor as new (options: {
    connect(target: unknown, connected: (error: Error | null, socket: SocketLike) => void): void
  }) => object
  // Undici expects that it takes time: it would wait for ever for a socket that is there before `connect` returns.
  return new UndiciAgent({ connect: (_target, connected) => queueMicrotask(() => connected(null, connect())) })
}
