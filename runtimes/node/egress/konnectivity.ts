/** Connections through a konnectivity server on a Unix socket: one HTTP/2 connection each, as konnectivity's client makes them. */
import { connect as connectHttp2 } from 'node:http2'
import { connectProxy, dialTimeout, type ProxyAddress } from './dial.ts'
import { proxyMethod } from './packets.ts'
import { Tunnel } from './tunnel.ts'

/** Receive window in bytes of a connection. */
const windowSize = 1024 * 1024

/** Resolves when the server is ready; the returned function dials `HOST:PORT` and must be called once. Both reject within `limit` milliseconds. */
export async function connectKonnectivity(at: ProxyAddress, limit = dialTimeout): Promise<(authority: string) => Promise<Tunnel>> {
  const socket = await connectProxy(at, undefined, limit).catch((error: Error) => {
    throw new Error(`connection error: desc = ${JSON.stringify(`transport: error while dialing: ${error.message}`)}`, { cause: error })
  })
  const session = connectHttp2('http://localhost', {
    createConnection: () => socket,
    settings: { initialWindowSize: windowSize, enablePush: false },
  })
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer)
      session.on('error', () => undefined).destroy()
      reject(error)
    }
    const timer = setTimeout(() => fail(new Error('context deadline exceeded')), limit)
    session.once('remoteSettings', () => {
      clearTimeout(timer)
      session.setLocalWindowSize(windowSize)
      session.off('error', fail)
      // The stream has the error, too.
      session.on('error', () => undefined)
      resolve()
    })
    session.once('error', fail)
    session.once('close', () => fail(new Error('connection error: desc = "error reading server preface: EOF"')))
  })
  const stream = session.request(
    { ':method': 'POST', ':path': proxyMethod, 'content-type': 'application/grpc', te: 'trailers' },
    { endStream: false },
  )
  stream.once('close', () => session.close())
  return (authority) => new Tunnel(stream).dial(authority, limit)
}
