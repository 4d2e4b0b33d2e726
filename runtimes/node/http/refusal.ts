/** What becomes of a connection on which something came that is no request, in the words of net/http. */
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

const statuses: { readonly [code: string]: string } = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}
const defaultStatus = '400 Bad Request'
/** As a parser's errors are. */
export const badRequest = Object.assign(new Error('not a request'), { code: 'HPE_INVALID_VERSION' })
export const requestTimeout = Object.assign(new Error('the request does not come'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
/** Milliseconds that a client has to take the answer, as many as net/http gives it. */
const lingerMilliseconds = 500

/**
 * Answers, and goes on reading for a while: a socket that is closed while bytes come in is reset, and a client may lose the answer
 * with that (RFC 9112 9.6).
 */
function endWith(socket: Socket, answer: string): void {
  // It may be gone already.
  socket.on('error', () => {})
  socket.end(answer)
  const timer = setTimeout(() => socket.destroy(), lingerMilliseconds)
  socket.once('close', () => clearTimeout(timer))
}

/** Answers what is no HTTP/1.1 request. `answering`: a response is under way, which must not be mixed with this one. */
export function refuse(socket: Socket, error: NodeJS.ErrnoException, answering: boolean): void {
  if (socket.writableEnded) return
  if (!socket.writable || answering) {
    socket.destroy(error)
    return
  }
  const status = statuses[error.code ?? ''] ?? defaultStatus
  endWith(socket, `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`)
}

/** Ends a connection whose handshake failed; one that spoke HTTP without TLS is told so. */
export function refuseHandshake(socket: TLSSocket, error: NodeJS.ErrnoException): void {
  // The socket under it, in Node.
  const { _parent: plain } = socket as TLSSocket & { readonly _parent?: Socket }
  if (error.code === 'ERR_SSL_HTTP_REQUEST' && plain?.writable)
    endWith(plain, 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n')
  else socket.destroy()
}
