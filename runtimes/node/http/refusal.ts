/** Refuses connections with malformed requests, with the responses of Go's net/http. */
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

const statuses: { readonly [code: string]: string } = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  ERR_HTTP_VERSION: '505 HTTP Version Not Supported: unsupported protocol version',
}
const defaultStatus = '400 Bad Request'
/** In the form of an error of node:http's parser. */
export const badRequest = Object.assign(new Error('not a request'), { code: 'HPE_INVALID_VERSION' })
export const unsupportedVersion = Object.assign(new Error('unsupported protocol version'), { code: 'ERR_HTTP_VERSION' })
export const requestTimeout = Object.assign(new Error('request not received in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
/** Milliseconds to wait for the client to read the response, as in net/http. */
const lingerMilliseconds = 500

/**
 * Responds and half-closes, with TLS's close_notify, and keeps reading for a while: closing a socket with unread input resets it, and the
 * client may lose the response (RFC 9112 9.6).
 */
export function endWith(socket: Socket, answer = ''): void {
  if (socket.writableEnded) return
  // The client may have disconnected.
  socket.on('error', () => {})
  socket.end(answer)
  const timer = setTimeout(() => socket.destroy(), lingerMilliseconds)
  socket.once('close', () => clearTimeout(timer))
}

/** Responds to input that is not HTTP/1.1. `answering`: another response is being sent, which must not be mixed with this one. */
export function refuse(socket: Socket, error: NodeJS.ErrnoException, answering: boolean): void {
  if (socket.writableEnded) return
  if (!socket.writable || answering) {
    socket.destroy(error)
    return
  }
  // What follows a request that is the last one is no request.
  if (error.code === 'HPE_CLOSED_CONNECTION') {
    endWith(socket)
    return
  }
  const status = statuses[error.code ?? ''] ?? defaultStatus
  endWith(socket, `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`)
}

/** Closes a connection whose handshake failed. A client that sent plain HTTP gets a 400 that says so. */
export function refuseHandshake(socket: TLSSocket, error: NodeJS.ErrnoException): void {
  // The socket under it, in Node.
  const { _parent: plain } = socket as TLSSocket & { readonly _parent?: Socket }
  if (error.code === 'ERR_SSL_HTTP_REQUEST' && plain?.writable)
    endWith(plain, 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n')
  else socket.destroy()
}
