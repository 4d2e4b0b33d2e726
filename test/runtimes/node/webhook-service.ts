/**
 * A process that answers SubjectAccessReviews over TLS. The path selects the answer: `/allow`, `/deny`, `/slow` and
 * several failures. Prints its port.
 */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'

const { key, cert, ca } = JSON.parse(process.env['TLS'] ?? '{}') as { key: string; cert: string; ca: string }

const answer = (status: object) => JSON.stringify({ kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', status })
let count = 0

const server = createServer({ key, cert, ca, requestCert: true, rejectUnauthorized: false }, (request, response) => {
  count++
  request.resume()
  const end = (status: object) => response.end(answer(status))
  const { pathname } = new URL(request.url ?? '/', 'https://x')
  switch (pathname) {
    case '/allow':
      return end({ allowed: true, reason: `number ${count}` })
    case '/deny':
      return end({ allowed: false, denied: true, reason: 'never' })
    case '/none':
      return end({ allowed: false, reason: 'not mine' })
    case '/who': {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate()
      return end({ allowed: true, reason: `${subject?.CN ?? 'nobody'} ${request.headers.authorization ?? ''}` })
    }
    case '/slow':
      return void setTimeout(() => end({ allowed: true }), 60_000).unref()
    case '/stalled':
      response.write('{"status":')
      return
    case '/dead':
      return request.socket.destroy()
    case '/malformed':
      return response.end('{"status": {"allowed": tr')
    case '/html':
      return response.end('<html>welcome</html>')
    case '/huge': {
      const chunk = 'x'.repeat(64 * 1024)
      const more = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more)
      }
      response.write('{"status":{"reason":"')
      return more()
    }
    default:
      response.statusCode = Number(pathname.slice(1)) || 404
      return response.end('no')
  }
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
