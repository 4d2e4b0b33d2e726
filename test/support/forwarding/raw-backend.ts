/** A server behind another one that works on bytes: it says exactly what it got, and answers with any bytes. */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

/** A request, as it arrived. Texts have one character per byte. */
export interface RawRequest {
  readonly line: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Decoded, without what follows an upgrade. */
  readonly body: string
  /** What breaks RFC 9112. */
  readonly faults: readonly string[]
  /** Number of its connection. */
  readonly connection: number
}

/** Writes the answer; true: what follows on the connection is not a request. */
export type RawAnswer = (request: RawRequest, socket: Socket) => boolean | undefined

export interface RawBackend {
  readonly port: number
  /** All requests but this server's own. */
  readonly requests: RawRequest[]
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>
  /** Answers requests; default: 200 with a short body, or 403 for upgrades. */
  answer: RawAnswer
  /** While true, nothing is read from connections. */
  stalled: boolean
  close(): void
}

/** A response with a length. */
export const plainAnswer = (body: string, ...fields: readonly string[]) =>
  `HTTP/1.1 200 OK\r\n${[...fields, `Content-Length: ${Buffer.byteLength(body, 'latin1')}`].join('\r\n')}\r\n\r\n${body}`

const isUpgrade = ({ fields }: RawRequest) => fields.some(([name]) => name === 'upgrade')

const usual: RawAnswer = (request, socket) => {
  const answer = plainAnswer('ok', 'Content-Type: text/plain')
  socket.write(isUpgrade(request) ? answer.replace('200 OK', '403 Forbidden') : answer)
  return undefined
}

const requestLine = /^[A-Z]+ [!-~]+ HTTP\/1\.1$/
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\x80-\xff]*?)[ \t]*$/
const chunkLine = /^([0-9a-fA-F]{1,8})\r\n/

/** The request at the start of a text and what follows it; undefined: it is not complete. */
function parse(text: string, connection: number): { request: RawRequest; rest: string } | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...lines] = text.slice(0, end).split('\r\n')
  const faults: string[] = requestLine.test(line) ? [] : [`request line ${JSON.stringify(line)}`]
  const fields = lines.flatMap((each): [string, string][] => {
    const [, name = '', value = ''] = field.exec(each) ?? []
    if (name === '') faults.push(`field ${JSON.stringify(each)}`)
    return name === '' ? [] : [[name.toLowerCase(), value]]
  })
  const all = (name: string) => fields.filter(([each]) => each === name).map(([, value]) => value)
  const [lengths, codings] = [all('content-length'), all('transfer-encoding')]
  if (lengths.length + codings.length > 1) faults.push(`framing by ${[...lengths, ...codings].join(' and ')}`)
  if (all('host').length !== 1) faults.push(`hosts ${all('host').join(' and ')}`)
  const made = (body: string, rest: string) => ({ request: { line, fields, body, faults, connection }, rest })
  let rest = text.slice(end + 4)
  if (codings.length === 0) {
    if (!/^\d*$/.test(lengths[0] ?? '')) faults.push(`length ${lengths[0]}`)
    const length = Number(lengths[0] ?? 0)
    return rest.length < length ? undefined : made(rest.slice(0, length), rest.slice(length))
  }
  if (codings[0]?.toLowerCase() !== 'chunked') faults.push(`coding ${codings[0]}`)
  let body = ''
  for (;;) {
    const [head, digits = ''] = chunkLine.exec(rest) ?? []
    if (head === undefined) {
      if (rest.includes('\r\n')) faults.push(`chunk ${JSON.stringify(rest.slice(0, 40))}`)
      return rest.includes('\r\n') ? made(body, '') : undefined
    }
    const size = Number.parseInt(digits, 16)
    if (rest.length < head.length + size + 2) return undefined
    body += rest.slice(head.length, head.length + size)
    rest = rest.slice(head.length + size)
    if (size === 0) {
      if (!rest.startsWith('\r\n')) faults.push(`trailers ${JSON.stringify(rest.slice(0, 40))}`)
      return made(body, rest.slice(2))
    }
    if (!rest.startsWith('\r\n')) faults.push('a chunk without an end')
    rest = rest.slice(2)
  }
}

/** A server's own requests: discovery and OpenAPI of extension servers. */
const isOwn = ({ line }: RawRequest) => /^GET \/(apis|openapi\/v[23]|apis\/[^/? ]+\/[^/? ]+) /.test(line)

const document = (request: RawRequest) => {
  const [, groupVersion] = /^GET \/apis\/([^/ ]+\/[^/ ]+) /.exec(request.line) ?? []
  if (groupVersion === undefined) return 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'
  const resources = [{ name: 'any', singularName: '', namespaced: false, kind: 'Any', verbs: ['get'] }]
  return plainAnswer(
    JSON.stringify({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources }),
    'Content-Type: application/json',
  )
}

/** `tls`: PEM of certificate and key. */
export async function startRawBackend(address: string, tls?: { readonly cert: string; readonly key: string }): Promise<RawBackend> {
  const sockets = new Set<Socket>()
  const requests: RawRequest[] = []
  let connections = 0
  let isStalled = false
  const serve = (socket: Socket) => {
    const connection = connections++
    let text = ''
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
    socket.on('data', function receive(bytes: Buffer) {
      if (backend.stalled) {
        socket.pause().unshift(bytes)
        return
      }
      text += bytes.toString('latin1')
      for (;;) {
        const found = parse(text, connection)
        if (found === undefined) return
        text = found.rest
        const { request } = found
        if (isOwn(request)) {
          socket.write(document(request))
          continue
        }
        requests.push(request)
        if (backend.answer(request, socket) !== true) continue
        socket.removeListener('data', receive)
        return
      }
    })
  }
  const server: Server = tls
    ? createTlsServer({ ...tls, ALPNProtocols: ['http/1.1'], allowHalfOpen: true } as object, serve)
    : createServer({ allowHalfOpen: true }, serve)
  server.on('tlsClientError', () => undefined)
  server.listen(0, address)
  await once(server, 'listening')
  const backend: RawBackend = {
    port: (server.address() as { port: number }).port,
    requests,
    sockets,
    answer: usual,
    get stalled() {
      return isStalled
    },
    set stalled(stalls) {
      isStalled = stalls
      if (!stalls) for (const socket of sockets) socket.resume()
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
  return backend
}
