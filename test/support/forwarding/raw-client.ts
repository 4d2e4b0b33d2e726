/** A client that works on bytes. Texts have one character per byte. */
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import type { Daemon } from '../daemon.ts'
import { within } from '../wait.ts'
import { credentialsOf } from './routes.ts'

export interface RawResponse {
  readonly status: number
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** The responses in what a client received; `faults`: what is no response. */
export function responsesOf(
  received: string,
  isHead = false,
): { readonly responses: readonly RawResponse[]; readonly faults: readonly string[] } {
  const responses: RawResponse[] = []
  const faults: string[] = []
  let rest = received
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const [line = '', ...lines] = rest.slice(0, Math.max(end, 0)).split('\r\n')
    const [, status] = /^HTTP\/1\.1 (\d{3}) [ -~]*$/.exec(line) ?? []
    if (status === undefined) {
      faults.push(rest.slice(0, 200))
      break
    }
    const fields = lines.map((each): [string, string] => {
      const colon = each.indexOf(':')
      if (!/^[!-9;-~]+: [\t -~\x80-\xff]*$/.test(each)) faults.push(each)
      return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()]
    })
    const value = (name: string) => fields.find(([each]) => each === name)?.[1]
    rest = rest.slice(end + 4)
    let body = ''
    if (value('transfer-encoding') === 'chunked') {
      for (;;) {
        const [head = '', digits = ''] = /^([0-9a-f]+)\r\n/i.exec(rest) ?? []
        const size = Number.parseInt(digits, 16)
        // The response was cut.
        if (head === '' || rest.length < head.length + size + 2) {
          rest = ''
          break
        }
        body += rest.slice(head.length, head.length + size)
        rest = rest.slice(head.length + size + 2)
        if (size === 0) break
      }
    } else if (Number(status) >= 200 && !(isHead && responses.length === 0) && Number(status) !== 304) {
      const length = Number(value('content-length') ?? (value('connection') === 'close' ? rest.length : 0))
      body = rest.slice(0, length)
      rest = rest.slice(length)
    }
    responses.push({ status: Number(status), fields, body })
  }
  return { responses, faults }
}

/** A connection as administrator; `received` grows. */
export async function openRaw(
  daemon: Daemon,
): Promise<{ readonly socket: TLSSocket; received(): string; readonly closed: Promise<unknown> }> {
  const { ca, cert = '', key = '' } = credentialsOf(daemon)
  const socket = connect({ port: daemon.port, host: daemon.host, ca, cert, key, ALPNProtocols: ['http/1.1'] })
  let text = ''
  socket.on('error', () => undefined)
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  // `once` would reject when the connection is reset.
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await within('the connection', once(socket, 'secureConnect'))
  return { socket, received: () => text, closed }
}

/** Sends bytes, and the end of the stream if the server would wait for more; resolves to what the server sent until it closed. */
export async function exchangeRaw(daemon: Daemon, bytes: string, ends: boolean): Promise<string> {
  const { socket, received, closed } = await openRaw(daemon)
  socket.write(Buffer.from(bytes, 'latin1'))
  if (ends) socket.end()
  await within(`the end of the connection after ${JSON.stringify(received().slice(0, 200))}`, closed)
  return received()
}
