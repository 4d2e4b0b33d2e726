import { connect } from 'node:net'
import { Client, connectivityState, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { type Call, CallError } from '../../../core/ports.ts'

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const maxClients = 100

/** Text of Go's context package, which clients and dashboards of this API match. */
const outOfTime = 'context deadline exceeded'
const reasons: { readonly [code: string]: string } = {
  EACCES: 'permission denied',
  ECONNREFUSED: 'connection refused',
  ENOENT: 'no such file or directory',
}

/** For a call that timed out without a connection: the error of connecting now. */
function whyNoConnection(unixSocket: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(unixSocket)
    socket.once('connect', () => {
      socket.destroy()
      resolve(outOfTime)
    })
    socket.once('error', ({ code = '', message }: NodeJS.ErrnoException) => {
      const dial = `dial unix ${unixSocket.replace('\0', '@')}: connect: ${reasons[code] ?? message}`
      resolve(`latest balancer error: connection error: desc = ${JSON.stringify(`transport: Error while dialing: ${dial}`)}`)
    })
  })
}

/**
 * Makes unary calls over unix sockets. Connections are reused; the library reconnects when one breaks, and calls wait for that until their
 * timeout.
 */
export function createCalls(): (call: Call) => Promise<Uint8Array> {
  const clients = new Map<string, Client>()
  const clientFor = (unixSocket: string) => {
    const found = clients.get(unixSocket)
    if (found !== undefined) return found
    const [oldest] = clients
    if (oldest !== undefined && clients.size >= maxClients) {
      clients.delete(oldest[0])
      oldest[1].close()
    }
    // No proxy, and short reconnect delays: the server is on this machine.
    const options = { 'grpc.enable_http_proxy': 0, 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 1_000 }
    const client = new Client(`unix:${unixSocket}`, credentials.createInsecure(), options)
    clients.set(unixSocket, client)
    return client
  }

  return ({ unixSocket, method, message, timeout }) =>
    new Promise((resolve, reject) => {
      const client = clientFor(unixSocket)
      // Not the library's deadline, which is a date: a clock that is set would change the timeout.
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        call.cancel()
      }, timeout)
      const fail = ({ code, details }: ServiceError) => {
        if (!isLate) return reject(new CallError(code, details))
        const late = (why: string) => reject(new CallError(status.DEADLINE_EXCEEDED, why))
        if (client.getChannel().getConnectivityState(false) === connectivityState.READY) late(outOfTime)
        else void whyNoConnection(unixSocket).then(late)
      }
      const done = (error: ServiceError | null, answer?: Uint8Array) => {
        clearTimeout(timer)
        if (error === null) resolve(answer ?? new Uint8Array())
        else fail(error)
      }
      const asRead = (bytes: Buffer): Uint8Array => bytes
      const call = client.makeUnaryRequest(method, asBuffer, asRead, message, new Metadata({ waitForReady: true }), done)
    })
}
