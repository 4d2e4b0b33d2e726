/** In-memory connections for node:http. */
import { Agent } from 'node:http'
import { plainServer } from '../node/plain.ts'
import { SocketLike } from '../node/socket-like.ts'

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

/** An agent that sends all requests to the handler. */
export function memoryAgent(handle: (request: Request) => Promise<Response>): Agent {
  const server = plainServer(handle)
  const agent = new Agent()
  return Object.assign(agent, {
    createConnection() {
      const [client, served] = [new End(), new End()]
      client.other = served
      served.other = client
      server.emit('connection', served)
      return client
    },
  })
}
