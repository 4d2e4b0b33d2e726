/**
 * A node agent for tests, as a program: an HTTPS server that asks for client certificates, and runs real processes. Its first argument is a
 * JSON object (AgentSettings); it prints its port as JSON. Ends with the process that started it.
 *
 * The log of a container is the output of the shell command that its name stands for; `exec` runs the command of the request, `attach` a shell.
 * Any other path answers with the request as JSON.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { acceptOf } from '../websocket.ts'
import { SpdyConnection, type SpdyStream } from './spdy.ts'
import { Channels } from './websocket.ts'

export interface AgentSettings {
  /** It speaks v5 over WebSockets, too. */
  readonly webSocketV5?: boolean
  readonly address: string
  /** PEM. Without them, the agent speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca: string }
}

const settings = JSON.parse(process.argv[2] ?? '') as AgentSettings

/** Open streams and processes, for tests of what is left behind. */
const state = { logs: 0, commands: 0, forwards: 0, upgrades: 0, pings: 0, received: 0 }

const logs: { readonly [container: string]: string } = {
  lines: 'seq 1 1000',
  ticks: 'i=0; while true; do echo "tick $i"; i=$((i+1)); sleep 0.05; done',
  quiet: 'echo started; exec sleep 1000',
  flood: 'exec cat /dev/zero',
  hundred: 'exec head -c 104857600 /dev/zero',
}

const refusals: { readonly [container: string]: readonly [status: number, body: string] } = {
  bad: [400, 'container "bad" in pod is waiting to start: ContainerCreating'],
  missing: [404, 'pod does not exist'],
  broken: [500, 'failed to try resolving symlinks'],
  busy: [429, 'later'],
  moved: [302, ''],
}

function sendLog(container: string, query: URLSearchParams, response: ServerResponse): void {
  const [status, body] = refusals[container] ?? []
  if (status !== undefined) return void response.writeHead(status, { location: 'https://192.0.2.66/' }).end(body)
  response.setHeader('content-type', 'text/plain')
  if (container === 'options') return void response.end(`${query}\n`)
  const child = spawn('sh', ['-c', logs[container] ?? 'true'], { stdio: ['ignore', 'pipe', 'ignore'] })
  state.logs++
  response.once('close', () => {
    state.logs--
    child.kill('SIGKILL')
  })
  child.stdout.pipe(response)
}

const hash = createHash

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '', rawHeaders } = request
  const digest = hash('sha256')
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    digest.update(chunk)
    bytes += chunk.length
  }
  const certificate =
    'getPeerCertificate' in request.socket
      ? (request.socket as unknown as { getPeerCertificate(): { subject?: { CN?: string } } }).getPeerCertificate().subject?.CN
      : undefined
  if (url.startsWith('/html')) {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    return void response.end(
      '<body background=/bg.png><a href="/x?a=1&amp;b">t</a><img src=rel.png><script src="/s.js">"<a href=/no>"</script>',
    )
  }
  if (url.startsWith('/moved'))
    return void response
      .writeHead(302, { location: '/there/?x=1', 'access-control-allow-origin': '*', connection: 'x-hop', 'x-hop': '1' })
      .end()
  if (url.startsWith('/state')) return void response.end(JSON.stringify(state))
  if (url.startsWith('/zeros/')) {
    let left = Number(url.slice('/zeros/'.length))
    const zeros = Buffer.alloc(65_536)
    const more = () => {
      while (left > 0) {
        const piece = zeros.subarray(0, Math.min(left, zeros.length))
        left -= piece.length
        if (!response.write(piece)) return
      }
      response.end()
    }
    response.on('drain', more)
    return more()
  }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ method, url, rawHeaders, bytes, sha256: digest.digest('hex'), certificate }))
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '', 'https://agent')
  const [, action, , , container = ''] = pathname.split('/')
  response.on('error', () => undefined)
  if (action === 'containerLogs') sendLog(container, searchParams, response)
  else void echo(request, response).catch(() => response.destroy())
}

// ── Streams ───────────────────────────────────────────────────────────────────────────────────────

const success = JSON.stringify({ metadata: {}, status: 'Success' })

function failure(code: number): string {
  const causes = [{ reason: 'ExitCode', message: String(code) }]
  const message = `command terminated with non-zero exit code: exit status ${code}`
  return JSON.stringify({ metadata: {}, status: 'Failure', message, reason: 'NonZeroExitCode', details: { causes } })
}

const quoted = (words: readonly string[]) => words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')

/** Runs a command with the streams that the client opens, in a terminal if it asks for one. Sizes are printed as `size COLUMNSxROWS`. */
function run(command: readonly string[], wanted: readonly string[], socket: Duplex): (stream: SpdyStream) => void {
  const streams = new Map<string, SpdyStream>()
  let child: ChildProcess | undefined
  const begin = () => {
    const [program = 'sh', ...rest] = wanted.includes('resize') ? ['script', '-qefc', quoted(command), '/dev/null'] : command
    const started = spawn(program, rest, { stdio: ['pipe', 'pipe', 'pipe'] })
    child = started
    state.commands++
    socket.once('close', () => started.kill('SIGKILL'))
    started.once('close', () => state.commands--)
    const { stdin, stdout, stderr } = started
    stdin.on('error', () => undefined).setMaxListeners(0)
    const input = streams.get('stdin')
    if (input) {
      input.data = async (bytes) => {
        state.received += bytes.length
        if (!stdin.destroyed && !stdin.write(bytes))
          await new Promise<void>((resolve) => stdin.once('drain', resolve).once('close', resolve))
      }
      input.ended = () => void stdin.end()
    } else stdin.end()
    const copy = async (from: AsyncIterable<Buffer>, to: SpdyStream | undefined) => {
      for await (const chunk of from) await to?.write(chunk)
      to?.end()
    }
    const status = new Promise<string>((resolve) => {
      started.once('error', (error) =>
        resolve(JSON.stringify({ metadata: {}, status: 'Failure', message: error.message, reason: 'InternalError', code: 500 })),
      )
      started.once('exit', (code, signal) => resolve(code === 0 ? success : failure(code ?? 128 + (signal ? 9 : 0))))
    })
    void Promise.all([status, copy(stdout, streams.get('stdout')), copy(stderr, streams.get('stderr'))]).then(async ([text]) => {
      const errors = streams.get('error')
      await errors?.write(Buffer.from(text))
      errors?.end()
      for (const stream of streams.values()) stream.end()
    })
  }
  return (stream) => {
    streams.set(stream.headers['streamtype'] ?? '', stream)
    if (stream.headers['streamtype'] === 'resize') {
      stream.data = async (bytes) => {
        const { Width, Height } = JSON.parse(String(bytes)) as { Width: number; Height: number }
        await streams.get('stdout')?.write(Buffer.from(`size ${Width}x${Height}\r\n`))
      }
    }
    if (child === undefined && wanted.every((each) => streams.has(each))) begin()
  }
}

/** Joins data streams to connections of this host. */
function forward(socket: Duplex): (stream: SpdyStream) => void {
  const errors = new Map<string, SpdyStream>()
  return (stream) => {
    const { streamtype, port, requestid = '' } = stream.headers
    if (streamtype === 'error') return void errors.set(requestid, stream)
    const target = connect(Number(port), '127.0.0.1')
    target.setMaxListeners(0)
    state.forwards++
    socket.once('close', () => target.destroy())
    target.once('close', () => state.forwards--)
    target.once('error', (error) => void errors.get(requestid)?.write(Buffer.from(`error forwarding port ${port}: ${error.message}`)))
    target.once('close', () => {
      errors.get(requestid)?.end()
      stream.end()
    })
    stream.data = async (bytes) => {
      if (!target.destroyed && !target.write(bytes))
        await new Promise<void>((resolve) => target.once('drain', resolve).once('close', resolve))
    }
    stream.ended = () => void target.end()
    target.on('data', (bytes) => {
      target.pause()
      void stream.write(bytes).then(() => target.resume())
    })
  }
}

const commandProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io']

/** Subprotocols of WebSockets; the empty one is no subprotocol. */
const webSocketCommands = ['', 'channel.k8s.io', 'base64.channel.k8s.io', 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io']
const webSocketForwards = ['', 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io']

const channelsOf = ['stdin', 'stdout', 'stderr', 'error', 'resize']

/** Answers with a WebSocket; undefined: no subprotocol of the client is supported. */
function openWebSocket(request: IncomingMessage, socket: Duplex, supported: readonly string[]): string | undefined {
  const { 'sec-websocket-protocol': asked = '', 'sec-websocket-key': key = '' } = request.headers
  const protocol = asked.split(/, ?/).find((each) => supported.includes(each))
  const fields = ['Connection: Upgrade', 'Upgrade: websocket', `Sec-WebSocket-Accept: ${acceptOf(key)}`]
  if (protocol) fields.push(`Sec-WebSocket-Protocol: ${protocol}`)
  if (protocol === undefined) {
    const text = `requested protocol(s) are not supported: [${asked}]; supports [${supported.join(' ')}]`
    socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Length: ${text.length}\r\n\r\n${text}`)
  } else socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields.join('\r\n')}\r\n\r\n`)
  return protocol
}

function webSocketCommand(request: IncomingMessage, socket: Duplex, command: readonly string[], wanted: readonly string[]): void {
  const supported = settings.webSocketV5 ? [...webSocketCommands, 'v5.channel.k8s.io'] : webSocketCommands
  const protocol = openWebSocket(request, socket, supported)
  if (protocol === undefined) return
  const names = channelsOf.map((streamtype) => (wanted.includes(streamtype) ? { streamtype } : undefined))
  const channels = new Channels(socket, protocol, names, [channelsOf.indexOf('error')])
  // Tells the client that the connection is open.
  void channels.send(
    Math.max(1, channelsOf.indexOf(wanted.find((each) => each.startsWith('std') && each !== 'stdin') ?? 'error')),
    Buffer.alloc(0),
  )
  const start = run(command, wanted, socket)
  for (const stream of channels.streams) {
    if (stream === undefined) continue
    if (stream.headers['streamtype'] === 'error' && !/^v[45]/.test(protocol)) {
      const { write } = stream
      stream.write = async (bytes) => {
        const { status, message } = JSON.parse(String(bytes)) as { status: string; message?: string }
        if (status !== 'Success') await write(Buffer.from(message ?? 'failed'))
      }
    }
    start(stream)
  }
  void channels.peer
    .serve()
    .catch(() => undefined)
    .finally(() => socket.destroy())
}

function webSocketForward(request: IncomingMessage, socket: Duplex, ports: readonly string[]): void {
  const protocol = openWebSocket(request, socket, webSocketForwards)
  if (protocol === undefined) return
  const headers = ports.flatMap((port, at) => ['data', 'error'].map((streamtype) => ({ streamtype, port, requestid: String(at) })))
  const channels = new Channels(
    socket,
    protocol,
    headers,
    headers.map((_, at) => at),
  )
  const start = forward(socket)
  for (const stream of channels.streams)
    void stream?.write(Buffer.of(Number(stream.headers['port']) & 255, Number(stream.headers['port']) >> 8))
  for (const stream of channels.streams.toReversed()) if (stream) start(stream)
  void channels.peer
    .serve()
    .catch(() => undefined)
    .finally(() => socket.destroy())
}

function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  socket.on('error', () => undefined).setMaxListeners(0)
  const { pathname, searchParams } = new URL(request.url ?? '', 'https://agent')
  const [, action = ''] = pathname.split('/')
  const asked = String(request.headers['x-stream-protocol-version'] ?? '').split(/, ?/)
  const answer = (status: string, headers: readonly string[], body = '') =>
    socket.write(`HTTP/1.1 ${status}\r\n${headers.map((each) => `${each}\r\n`).join('')}\r\n${body}`)
  const refuse = (status: string, headers: readonly string[], body = '') => {
    answer(status, headers, body)
    socket.end()
  }
  if (action === 'refused') return void refuse('403 Forbidden', ['X-Why: test', 'Content-Length: 6'], 'refuse')
  if (action === 'ignored') return void refuse('200 OK', ['Content-Length: 2'], 'no')
  state.upgrades++
  socket.once('close', () => state.upgrades--)
  if (head.length > 0) socket.unshift(head)
  if (action === 'echo') {
    answer('101 Switching Protocols', ['Connection: Upgrade', `Upgrade: ${request.headers.upgrade}`, `X-Seen: ${request.url}`])
    return void socket.pipe(socket)
  }
  if (action === 'hold') {
    answer('101 Switching Protocols', ['Connection: Upgrade', `Upgrade: ${request.headers.upgrade}`])
    return
  }
  const isWebSocket = request.headers.upgrade === 'websocket'
  if (isWebSocket && action === 'portForward') return void webSocketForward(request, socket, (searchParams.get('port') ?? '').split(','))
  const protocol = action === 'portForward' ? 'portforward.k8s.io' : asked.find((each) => commandProtocols.includes(each))
  if (!isWebSocket && (request.headers.upgrade !== 'SPDY/3.1' || protocol === undefined))
    return void refuse('400 Bad Request', ['Content-Length: 0'])
  if (!isWebSocket)
    answer('101 Switching Protocols', ['Connection: Upgrade', 'Upgrade: SPDY/3.1', `X-Stream-Protocol-Version: ${protocol}`])
  const flags: readonly (readonly [parameter: string, stream: string])[] = [
    ['input', 'stdin'],
    ['output', 'stdout'],
    ['error', 'stderr'],
    ['tty', 'resize'],
  ]
  const isTerminal = searchParams.get('tty') === '1'
  const wanted = [
    'error',
    ...flags
      .filter(([parameter, stream]) => searchParams.get(parameter) === '1' && !(isTerminal && stream === 'stderr'))
      .map(([, stream]) => stream),
  ]
  const command = action === 'exec' ? searchParams.getAll('command') : ['sh']
  if (isWebSocket) return void webSocketCommand(request, socket, command, wanted)
  let opened: (stream: SpdyStream) => void = () => undefined
  const connection = new SpdyConnection(socket, false, (stream) => opened(stream))
  opened = action === 'portForward' ? forward(socket) : run(command, wanted, socket)
  connection
    .serve()
    .catch(() => undefined)
    .finally(() => {
      state.pings += connection.pings.length
      socket.end()
    })
}

const { tls } = settings
const server = tls
  ? createServer({ ...tls, requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] }, handle)
  : createPlain(handle)
server.on('upgrade', upgrade)
server.keepAliveTimeout = 60_000
server.listen(0, settings.address, () => console.log(JSON.stringify({ port: (server.address() as { port: number }).port })))
process.stdin.on('end', () => process.exit(0)).resume()
