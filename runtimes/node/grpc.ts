import { Client, credentials, type ServiceError } from '@grpc/grpc-js'
import { type Call, CallError } from '../../core/ports.ts'

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const mostClients = 100

/** Makes unary calls over unix sockets. A socket's connection is kept, and made anew by the library when it breaks. */
export function createCalls(): (call: Call) => Promise<Uint8Array> {
  const clients = new Map<string, Client>()
  const clientFor = (unixSocket: string) => {
    const found = clients.get(unixSocket)
    if (found !== undefined) return found
    const [oldest] = clients
    if (oldest !== undefined && clients.size >= mostClients) {
      clients.delete(oldest[0])
      oldest[1].close()
    }
    // No proxy, and no long waits between tries: the other end is on this machine.
    const options = { 'grpc.enable_http_proxy': 0, 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 1_000 }
    const client = new Client(`unix:${unixSocket}`, credentials.createInsecure(), options)
    clients.set(unixSocket, client)
    return client
  }

  return ({ unixSocket, method, message, timeout }) =>
    new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, answer?: Uint8Array) =>
        error === null ? resolve(answer ?? new Uint8Array()) : reject(new CallError(error.code, error.details))
      const deadline = Date.now() + timeout
      clientFor(unixSocket).makeUnaryRequest(method, asBuffer, (bytes: Buffer): Uint8Array => bytes, message, { deadline }, done)
    })
}
