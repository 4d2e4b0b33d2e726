/** A process with admission webhooks over TLS, selected by the path. Prints its port. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'

interface Review {
  readonly kind: string
  readonly apiVersion: string
  readonly request: {
    readonly uid: string
    readonly object: { readonly metadata: { readonly labels?: object }; readonly spec?: unknown } | null
  }
}

/** `ca`: issuer of required client certificates. */
const { ca, ...tls } = JSON.parse(process.env['TLS'] ?? '{}') as { key: string; cert: string; ca?: string }
const encode = (operations: object[]) => Buffer.from(JSON.stringify(operations)).toString('base64')
const patch = (...operations: object[]) => ({ allowed: true, patchType: 'JSONPatch', patch: encode(operations) })

/** Members of the response, by path. */
const answers: { readonly [path: string]: (review: Review) => object } = {
  '/label': ({ request: { object } }) => {
    const path = object?.metadata.labels ? '/metadata/labels/checked' : '/metadata/labels'
    return patch({ op: 'add', path, value: object?.metadata.labels ? 'yes' : { checked: 'yes' } })
  },
  '/annotate': () => ({ allowed: true, auditAnnotations: { seen: 'yes', why: 'because' } }),
  '/deny': () => ({ allowed: false, auditAnnotations: { seen: 'no' }, status: { code: 403, message: 'not here' } }),
  '/no-latest': ({ request: { object } }) =>
    JSON.stringify(object?.spec ?? '').includes(':latest')
      ? { allowed: false, status: { code: 403, reason: 'Forbidden', message: 'images need a fixed tag' } }
      : { allowed: true, warnings: ['images were looked at'] },
}

const server = createServer({ ...tls, ...(ca && { ca, requestCert: true, rejectUnauthorized: true }) }, (request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'https://x')
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (pathname === '/hang') return
    if (pathname === '/close') return request.socket.destroy()
    if (pathname === '/huge') {
      response.write('{"response":{"warnings":["')
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
        if (!response.destroyed) response.once('drain', more)
      }
      return more()
    }
    const review = JSON.parse(Buffer.concat(chunks).toString()) as Review
    const { kind, apiVersion } = review
    const caller = () => `${(request.socket as TLSSocket).getPeerCertificate().subject?.CN} ${request.headers.authorization}`
    const noted: { readonly [path: string]: () => string } = { '/who': caller, '/connection': () => String(request.socket.remotePort) }
    const note = noted[pathname]
    const answer = note ? { allowed: true, warnings: [note()] } : (answers[pathname]?.(review) ?? { allowed: true })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ kind, apiVersion, response: { uid: review.request.uid, ...answer } }))
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
