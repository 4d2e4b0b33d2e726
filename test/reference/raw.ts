/** Bytes as they are, on a connection of their own: every response that follows, and how the connection ended. */
import { once } from 'node:events'
import { connect } from 'node:tls'
import type { Answer } from './exchange.ts'

/** Milliseconds without a byte from the server, after which the connection counts as open. */
const quiet = 5_000

interface Message {
  readonly line: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  readonly rest: Buffer
}

const separator = Buffer.from('\r\n\r\n')

/** The content of chunks, and what follows it; undefined: they are cut off. */
function dechunked(bytes: Buffer): { body: Buffer; rest: Buffer } | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at)
    const size = end < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (Number.isNaN(size)) return undefined
    if (size === 0) {
      const last = bytes.indexOf('\r\n', end + 2)
      return { body: Buffer.concat(parts), rest: last < 0 ? Buffer.alloc(0) : bytes.subarray(last + 2) }
    }
    parts.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
}

/** The first response in the bytes; undefined: there is none. `method`: of the request that it answers. */
function message(bytes: Buffer, method: string | undefined): Message | undefined {
  const end = bytes.indexOf(separator)
  if (end < 0) return undefined
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = fields.map((field): [string, string] => {
    const colon = field.indexOf(':')
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
  })
  const after = bytes.subarray(end + separator.length)
  const header = (name: string) => headers.find(([each]) => each === name)?.[1]
  const code = Number(line.split(' ')[1])
  // What follows is another protocol.
  if (code === 101) return { line, headers, body: Buffer.alloc(0), rest: Buffer.alloc(0) }
  if (code < 200 || code === 204 || code === 304 || method === 'HEAD') return { line, headers, body: Buffer.alloc(0), rest: after }
  if (header('transfer-encoding') === 'chunked') return { line, headers, ...(dechunked(after) ?? { body: after, rest: Buffer.alloc(0) }) }
  const length = Number(header('content-length') ?? after.length)
  return { line, headers, body: after.subarray(0, length), rest: after.subarray(length) }
}

/** Headers of the connection that clients act on. */
const told = ['connection: close', 'connection: upgrade', 'upgrade: websocket', 'upgrade: spdy/3.1']

const described = ({ line, headers, body }: Message) => {
  const text = body.toString()
  let content: unknown = text
  try {
    content = JSON.parse(text)
  } catch {}
  const framing = headers.map(([name, value]) => `${name}: ${value}`.toLowerCase()).filter((field) => told.includes(field))
  return { line: line.replace(/^HTTP\/1\.[01] |: .*$/g, ''), framing: framing.toSorted(), content }
}

/**
 * Sends the text, each character of which is a byte, and reads until the server closes or says nothing. The answer has the code and headers of
 * the first final response, and a line of JSON for each response and for the end.
 */
export async function exchanged(url: string, text: string): Promise<Answer> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
  await once(socket, 'secureConnect')
  const chunks: Buffer[] = []
  const end = await new Promise<string>((resolve) => {
    socket.setTimeout(quiet, () => resolve('open'))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    for (const event of ['end', 'close', 'error']) socket.once(event, () => resolve('closed'))
    socket.write(Buffer.from(text, 'latin1'))
  })
  socket.destroy()
  const methods = [...text.matchAll(/^([A-Za-z]+) \S+ HTTP\/1\.[01]\r?$/gm)].map(([, method]) => method)
  const messages: Message[] = []
  let rest = Buffer.concat(chunks)
  for (let finals = 0; rest.length > 0; ) {
    const next = message(rest, methods[finals])
    if (next === undefined) break
    messages.push(next)
    if (!/ 1\d\d/.test(next.line)) finals++
    rest = Buffer.from(next.rest)
  }
  const first = messages.find(({ line }) => !/ 1\d\d/.test(line)) ?? messages[0]
  const lines = [...messages.map(described), { end, ...(rest.length > 0 && { rest: rest.toString('latin1') }) }]
  return {
    status: Number(first?.line.split(' ')[1] ?? 0),
    headers: first?.headers ?? [],
    body: Buffer.from(lines.map((each) => `${JSON.stringify(each)}\n`).join('')),
  }
}
