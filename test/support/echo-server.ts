/**
 * A listener with upgraded streams on the runtime that runs this file; prints its port and CA as one line of JSON.
 * `/echo` returns what it gets, `/relay` does so through an outgoing upgrade to `/echo`, `/flood` writes and does not read, `/first` ends its side
 * first, `/refuse` does not switch. `/log` lists how streams have ended, `/body` returns a body
 * as an ordinary response.
 */
import type { ByteStream, Connection } from '../../core/ports.ts'
import { listen } from '../../runtimes/node/network/listener.ts'
import { createOutbound } from '../../runtimes/node/network/outbound.ts'
import { issue, issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'

const authority = issueAuthority('echo-ca', newKey(), Date.now())
const serving = issue(authority, { commonName: 'localhost', names: ['localhost', '127.0.0.1'] }, Date.now())
const outbound = createOutbound()
const log: string[] = []
let flooded = 0

async function join(one: ByteStream, other: ByteStream): Promise<void> {
  await Promise.all([one.readable.pipeTo(other.writable), other.readable.pipeTo(one.writable)])
}

const streams: { readonly [path: string]: (stream: ByteStream) => Promise<void> } = {
  '/echo': ({ readable, writable }) => readable.pipeTo(writable),
  async '/relay'(stream) {
    const headers = { connection: 'Upgrade', upgrade: 'echo' }
    const request = new Request(`https://127.0.0.1:${listener.port}/`, { headers })
    const answer = await outbound.upgrade?.(request, { certificateAuthority: authority.certPem, target: '/x/../echo' })
    if (answer?.stream === undefined) throw new Error(`not upgraded: ${answer?.status}`)
    await join(stream, answer.stream)
  },
  async '/flood'({ writable }) {
    const writer = writable.getWriter()
    for (;;) {
      await writer.write(new Uint8Array(65_536))
      flooded += 65_536
    }
  },
  async '/first'({ readable, writable }) {
    const writer = writable.getWriter()
    await writer.write(new TextEncoder().encode('bye'))
    await writer.close()
    let count = 0
    for await (const chunk of readable as unknown as AsyncIterable<Uint8Array>) count += chunk.byteLength
    log.push(`/first: ${count} bytes after its end`)
  },
}

async function handle(request: Request, connection: Connection): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/body') return new Response(`${request.method} ${request.headers.get('upgrade')} ${await request.text()}`)
  if (pathname === '/log') return Response.json({ log, flooded })
  const use = streams[pathname]
  const wanted = request.headers.get('upgrade')
  if (use === undefined || wanted === null || connection.upgrade === undefined) return new Response('no upgrade here', { status: 403 })
  return connection.upgrade({ upgrade: wanted }, (stream) => {
    use(stream).then(
      () => log.push(`${pathname}: ended`),
      (error: unknown) => {
        log.push(`${pathname}: aborted`)
        void stream.writable.abort(error).catch(() => undefined)
      },
    )
  })
}

const listener = await listen({ address: '127.0.0.1', cert: serving.certPem, key: serving.keyPem }, handle)
console.log(JSON.stringify({ port: listener.port, ca: authority.certPem }))
// Ends with the process that started it.
process.stdin.on('end', () => process.exit(0)).resume()
