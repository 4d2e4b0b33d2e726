/** Upgraded streams over HTTP/1.1 and HTTP/2, on every runtime: both directions, half-close, back pressure, abort, refusal, and a relay. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import type { Duplex } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { connect } from 'node:tls'
import { root } from '../../../support/root.ts'
import { runtimeBinary, without } from '../../../support/runtimes.ts'
import { eventually, within } from '../../../support/wait.ts'

interface Server {
  readonly port: number
  readonly ca: string
}

/** Opens a stream; rejects with the status when it is refused. */
type Open = (server: Server, path: string) => Promise<Duplex>

async function overHttp1({ port, ca }: Server, path: string): Promise<Duplex> {
  const socket = connect({ host: '127.0.0.1', port, ca, ALPNProtocols: ['http/1.1'] })
  socket.allowHalfOpen = true
  socket.on('error', () => {})
  await within('the handshake', once(socket, 'secureConnect'))
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`)
  let head = ''
  while (!head.includes('\r\n\r\n')) {
    const [bytes] = (await within('the head', once(socket, 'data'))) as [Buffer]
    head += bytes.toString('latin1')
  }
  socket.pause()
  const end = head.indexOf('\r\n\r\n') + 4
  if (!head.startsWith('HTTP/1.1 101 ')) {
    socket.resume()
    let rest = head.slice(end)
    socket.on('data', (bytes) => (rest += bytes))
    await within('the end', once(socket, 'end'))
    socket.destroy()
    throw new Error(`${head.slice(9, 12)} ${rest}`)
  }
  assert.match(head, /\r\nupgrade: echo\r\n/i)
  if (end < head.length) socket.unshift(Buffer.from(head.slice(end), 'latin1'))
  return socket
}

async function overHttp2({ port, ca }: Server, path: string): Promise<Duplex> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca })
  session.on('error', () => {})
  await within('the settings', once(session, 'remoteSettings'))
  const stream = session.request({
    ':method': 'CONNECT',
    ':protocol': 'echo',
    ':path': path,
    ':scheme': 'https',
    ':authority': 'x',
  })
  stream.on('error', () => {}).once('close', () => session.close())
  const [head] = (await within('the answer', once(stream, 'response'))) as [{ ':status': number }]
  if (head[':status'] === 200) return stream
  let text = ''
  stream.on('data', (bytes) => (text += bytes))
  await within('the end', once(stream, 'end'))
  stream.close()
  throw new Error(`${head[':status']} ${text}`)
}

const protocols: { readonly [name: string]: Open } = { 'HTTP/1.1': overHttp1, 'HTTP/2': overHttp2 }

async function logOf({ port, ca }: Server): Promise<{ log: string[]; flooded: number }> {
  const outgoing = request(`https://127.0.0.1:${port}/log`, { ca, agent: false }).end()
  const [incoming] = await within('the log', once(outgoing, 'response'))
  let text = ''
  for await (const chunk of incoming) text += chunk
  return JSON.parse(text)
}

const count = async (stream: Duplex) => {
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  stream.resume()
  await within('the end', once(stream, 'end'))
  return bytes
}

const runtimes = [
  { on: 'Node', command: (file: string) => [process.execPath, '--import', 'tsx', file], skip: false as const },
  { on: 'Bun', command: (file: string) => [runtimeBinary('bun') ?? '', file], skip: without('bun') },
  { on: 'Deno', command: () => [], skip: 'Deno has no upgraded streams yet (hasUpgrades)' },
]

for (const { on, command, skip } of runtimes)
  describe(`upgraded streams on ${on}`, { skip, timeout: 3_600_000 }, () => {
    let child: ChildProcess | undefined
    let server: Server = { port: 0, ca: '' }
    before(async () => {
      const [program = '', ...parameters] = command('test/support/echo-server.ts')
      const started = spawn(program, parameters, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] })
      child = started
      let text = ''
      started.stdout.on('data', (bytes) => (text += bytes))
      await eventually('the port', async () => text.includes('\n'))
      server = JSON.parse(text)
    })
    after(() => child?.kill())

    for (const [protocol, open] of Object.entries(protocols)) {
      for (const path of ['/echo', '/relay']) {
        test(`${protocol} ${path}: words there and back, then half-close after a MiB`, async () => {
          const stream = await open(server, path)
          for (const word of ['there', 'and', 'back']) {
            const echo = once(stream, 'data')
            stream.resume()
            stream.write(word)
            assert.equal(String((await within('the echo', echo))[0]), word)
            stream.pause()
          }
          const counted = count(stream)
          stream.end(Buffer.alloc(1 << 20))
          assert.equal(await counted, 1 << 20)
          stream.destroy()
        })
      }

      test(`${protocol}: the server ends its side first`, async () => {
        const before = (await logOf(server)).log.length
        const stream = await open(server, '/first')
        assert.equal(await count(stream), 3)
        stream.end('still heard')
        await eventually('the bytes', async () => (await logOf(server)).log.slice(before).includes('/first: 11 bytes after its end'))
        stream.destroy()
      })

      test(`${protocol}: a client that does not read holds the server back, and aborts it`, async () => {
        const stream = await open(server, '/flood')
        stream.pause()
        let last = -1
        await eventually('a standstill', async () => {
          await new Promise((resolve) => setTimeout(resolve, 300))
          const { flooded } = await logOf(server)
          const still = flooded > 0 && flooded === last
          last = flooded
          return still
        })
        const before = (await logOf(server)).log.length
        stream.destroy()
        await eventually('the abort', async () => (await logOf(server)).log.slice(before).includes('/flood: aborted'))
      })

      test(`${protocol}: a response that does not switch`, async () => {
        await assert.rejects(open(server, '/refuse'), { message: '403 no upgrade here' })
      })
    }

    const asking = 'Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'
    const ordinary: { readonly [what: string]: string } = {
      'a length': `POST /body HTTP/1.1\r\n${asking}Content-Length: 5\r\n\r\nhello`,
      chunks: `POST /body HTTP/1.1\r\n${asking}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
      'an expectation': `POST /body HTTP/1.1\r\n${asking}Content-Length: 5\r\nExpect: 100-continue\r\n\r\nhello`,
    }
    const last = 'GET /body HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

    /** Bodies of the responses to what is sent, until the server closes. */
    async function bodies(text: string): Promise<string[]> {
      const socket = connect({ host: '127.0.0.1', port: server.port, ca: server.ca, ALPNProtocols: ['http/1.1'] })
      await within('the handshake', once(socket, 'secureConnect'))
      let received = ''
      socket.on('data', (bytes) => (received += bytes))
      socket.write(text)
      await within('the end', once(socket, 'end'))
      socket.destroy()
      const told = /(?:GET|POST) null \w*|no upgrade here/
      return received.split(/(?=HTTP\/1\.1 \d)/).map((each) => `${each.slice(9, 12)} ${told.exec(each)?.[0] ?? ''}`)
    }

    for (const [what, bytes] of Object.entries(ordinary))
      test(`a request to upgrade with ${what} is an ordinary one, and its connection stays`, async () => {
        const answers = await bodies(bytes + last)
        assert.deepEqual(answers, [...(what === 'an expectation' ? ['100 '] : []), '200 POST null hello', '200 GET null '])
      })

    test('such a request waits for those before it', async () => {
      const answers = await bodies(last.replace('Connection: close\r\n', '') + ordinary['a length'] + ordinary['chunks'] + last)
      assert.deepEqual(answers, ['200 GET null ', '200 POST null hello', '200 POST null hello', '200 GET null '])
    })

    test('HTTP/1.0 knows no upgrade', async () => {
      assert.deepEqual(await bodies(`GET /echo HTTP/1.0\r\n${asking}\r\n`), ['403 no upgrade here'])
    })
  })
