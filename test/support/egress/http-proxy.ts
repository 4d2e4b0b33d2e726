/** An HTTP proxy that only tunnels (RFC 9110 9.3.6). */
import { createServer as createHttp, type Server } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { connect, type Socket } from 'node:net'
import type { Routes } from './routes.ts'

/** `tls`: its certificate, and the authority of client certificates, which are required. */
export function httpProxy(routes: Routes, tls?: { readonly cert: string; readonly key: string; readonly ca: string }): Server {
  const server = tls ? createHttps({ ...tls, requestCert: true, rejectUnauthorized: true }) : createHttp()
  server.on('connect', (request, near: Socket) => {
    near.on('error', () => undefined)
    const to = routes.find(request.url ?? '')
    if (to === undefined) return void near.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const far = connect({ ...to, allowHalfOpen: true }, () => {
      near.write('HTTP/1.1 200 OK\r\n\r\n')
      near.pipe(far).pipe(near)
    })
    far.on('error', () => near.destroy()).on('close', () => near.destroy())
    near.on('close', () => far.destroy())
  })
  return server
}
