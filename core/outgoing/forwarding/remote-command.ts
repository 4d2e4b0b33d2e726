/**
 * Commands in containers for clients with WebSockets, translated to SPDY, which every node agent speaks
 * (apiserver/pkg/util/proxy/streamtranslator.go).
 */
import type { Platform } from '../../platform.ts'
import type { ByteStream, Upgraded } from '../../ports.ts'
import type { Exchange } from '../../request/exchange.ts'
import { isObject } from '../../schema/json/is-object.ts'
import { parseJsonText } from '../../schema/json/text.ts'
import { messageOf } from '../../schema/message-of.ts'
import { dialError } from '../dial-error.ts'
import { SpdyClient, type SpdyReceiver } from '../spdy/client.ts'
import { pauseFor } from '../time-limit.ts'
import { opcodes, type Piece, WebSocketError } from '../websocket/frames.ts'
import { negotiate, offered } from '../websocket/handshake.ts'
import type { WebSocketEnd } from '../websocket/socket.ts'
import { type CommandStatus, commandStatus, failedCommand } from './command-status.ts'
import { type Destination, urlOf } from './destination.ts'
import type { AgentServices } from './metrics.ts'
import { createRateLimit, type RateLimit } from './rate-limit.ts'
import { readStart } from './read-start.ts'
import { webSocketAnswer } from './websocket-answer.ts'

/** The streams that the client asks for. */
export interface CommandStreams {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** The subprotocol that is translated. It alone can signal the end of a single stream. */
const translated = 'v5.channel.<domain>'

/** Protocols to offer to node agents, best first. */
const agentProtocols = [translated, 'v4.channel.<domain>', 'v3.channel.<domain>', 'v2.channel.<domain>', 'channel.<domain>']

/** Protocols in which agents report a Status. */
const structured = agentProtocols.slice(0, 2)

/** Numbers of the channels of a WebSocket. */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const

/** First byte of a message that ends a stream; the second byte is the number of its channel. */
const closeSignal = 255

/** Bytes of an agent's report or refusal that are read. */
const maxReportBytes = 64 * 1024

/** Milliseconds after which a connection ends on which the client neither sends nor gets anything. */
const idleTimeout = 4 * 3600_000

/** Milliseconds to wait for the agent to close its side. */
const closeTimeout = 5_000

/** Whether the client asks for the version that is translated. */
export const wantsTranslation = (request: Request, platform: Platform) => offered(request).includes(platform.name(translated))

/** What an agent says about a refused upgrade: the message of a Status, or the text as it is. */
function refusalText(text: string): string {
  let said: unknown
  try {
    said = parseJsonText(text)
  } catch {
    // Plain text, as node agents usually answer.
  }
  const message = isObject(said) ? (said['message'] ?? said['error']) : undefined
  const found = typeof message === 'string' && message.trim() !== '' ? message : text
  return found.trim() || 'empty server response'
}

async function dial(
  destination: Destination,
  signal: AbortSignal,
  { outbound, platform }: AgentServices,
): Promise<{ stream: ByteStream; protocol: string }> {
  const { origin, options } = destination
  const posting = `error sending request: Post ${JSON.stringify(urlOf(destination))}`
  const headers = {
    connection: 'Upgrade',
    upgrade: 'SPDY/3.1',
    'x-stream-protocol-version': agentProtocols.map((each) => platform.name(each)).join(', '),
  }
  const request = new Request(origin, { method: 'POST', headers, signal })
  let answer: Upgraded
  try {
    if (outbound.upgrade === undefined) throw new Error('this runtime has no upgraded streams to other servers')
    answer = await outbound.upgrade(request, options)
  } catch (error) {
    throw new Error(`${posting}: ${dialError(error, origin)}`)
  }
  const { stream, status, headers: given, body } = answer
  if (stream !== undefined) return { stream, protocol: given.get('x-stream-protocol-version') ?? '' }
  if (status >= 300 && status < 400) throw new Error(`${posting}: redirect not allowed`)
  throw new Error(`unable to upgrade connection: ${refusalText(await readStart(body, maxReportBytes))}`)
}

/** Passes what the client sends to the agent's streams. */
class ClientInput {
  readonly #agent: SpdyClient
  readonly #ids: ReadonlyMap<number, number>
  readonly #ended = new Set<number>()
  readonly #stdin: RateLimit
  readonly #signal: AbortSignal
  /** Channel of the message that is being received; undefined: it has not begun. */
  #channel: number | undefined

  constructor(agent: SpdyClient, ids: ReadonlyMap<number, number>, stdin: RateLimit, signal: AbortSignal) {
    this.#agent = agent
    this.#ids = ids
    this.#stdin = stdin
    this.#signal = signal
  }

  async take({ bytes, last }: Piece): Promise<void> {
    let rest = bytes
    if (this.#channel === undefined && rest.length > 0) {
      this.#channel = rest[0] as number
      rest = rest.subarray(1)
    }
    const channel = this.#channel
    if (last) this.#channel = undefined
    if (channel === undefined || rest.length === 0) return
    if (channel === closeSignal) {
      const [ended = 0] = rest
      if (rest.length > 1 || ended > channels.resize) throw new WebSocketError('malformed close signal')
      return this.#end(ended)
    }
    const id = this.#ids.get(channel)
    if (id === undefined || this.#ended.has(channel)) return
    if (channel === channels.stdin) await this.#stdin(rest, (piece) => this.#agent.write(id, piece), this.#signal)
    else await this.#agent.write(id, rest)
  }

  async #end(channel: number): Promise<void> {
    const id = this.#ids.get(channel)
    if (id === undefined || this.#ended.has(channel)) return
    this.#ended.add(channel)
    await this.#agent.end(id)
  }
}

async function run(
  client: WebSocketEnd,
  agent: SpdyClient,
  wanted: CommandStreams,
  isStructured: boolean,
  limits: { readonly limitOf: () => RateLimit; readonly signal: AbortSignal },
  ready: (input: ClientInput) => void,
): Promise<CommandStatus> {
  let report = ''
  const decoder = new TextDecoder()
  const ends: Promise<void>[] = []
  const receiver = (data: (bytes: Uint8Array<ArrayBuffer>) => Promise<void> | void, counts: boolean): SpdyReceiver => {
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    if (counts) ends.push(ended)
    return { data, end }
  }
  const { limitOf, signal } = limits
  const output = (channel: number) => {
    const limited = limitOf()
    return receiver((bytes) => limited(bytes, (piece) => client.send(opcodes.binary, Uint8Array.of(channel), piece), signal), true)
  }
  const errors = receiver((bytes) => {
    if (report.length < maxReportBytes) report += decoder.decode(bytes, { stream: true })
  }, true)
  const ignored = () => receiver(() => undefined, false)
  const ids = new Map<number, number>()
  const open = async (streamtype: string, into: SpdyReceiver) => agent.open({ streamtype }, into)
  await open('error', errors)
  if (wanted.stdin) ids.set(channels.stdin, await open('stdin', ignored()))
  if (wanted.stdout) await open('stdout', output(channels.stdout))
  if (wanted.stderr && !wanted.tty) await open('stderr', output(channels.stderr))
  if (wanted.tty) ids.set(channels.resize, await open('resize', ignored()))
  ready(new ClientInput(agent, ids, limitOf(), signal))
  await Promise.all(ends)
  return commandStatus(report, isStructured)
}

/** Serves one client: connects to the agent, copies, and reports the end on the error channel. */
async function serve(client: WebSocketEnd, destination: Destination, wanted: CommandStreams, signal: AbortSignal, services: AgentServices) {
  client.endWhenIdle(idleTimeout)
  // Each stream has a limit of its own, as in the reference.
  const limitOf = () => createRateLimit(services.maxConnectionBytesPerSecond ?? 0, services.clock)
  const ending = new AbortController()
  const ends = AbortSignal.any([signal, ending.signal])
  const gone = () => client.abort(ends.reason)
  signal.addEventListener('abort', gone, { once: true })
  const report = async (status: CommandStatus) => {
    // The code of a command is not the server's: what ends by itself is a success.
    services.forwarding.translated.add([String(status.code ?? 200)])
    await client.send(opcodes.binary, Uint8Array.of(channels.error), new TextEncoder().encode(JSON.stringify(status)))
    await client.close()
  }
  const first = wanted.stdout ? channels.stdout : wanted.stderr ? channels.stderr : channels.error
  let useInput = (_input: ClientInput) => {}
  const input = new Promise<ClientInput>((resolve) => {
    useInput = resolve
  })
  try {
    // Tells the client that the connection is open.
    await client.send(opcodes.binary, Uint8Array.of(first))
    const { stream: connected, protocol } = await dial(destination, ends, services)
    const slices = services.pauses.slices(() => signal)
    const agent = new SpdyClient(connected, services.clock, slices)
    const served = agent.serve()
    // The client ends a single stream by a message; if it closes the connection, it does not wait for the command.
    const closed = () => ending.abort(new Error('the client has closed the connection'))
    client.receive(async (piece) => (await input).take(piece)).then(closed, closed)
    const isStructured = structured.some((each) => services.platform.name(each) === protocol)
    await report(await run(client, agent, wanted, isStructured, { limitOf, signal: ends }, useInput))
    await agent.close()
    await Promise.race([served, pauseFor(services.clock, closeTimeout, undefined)])
  } catch (error) {
    await report(failedCommand(messageOf(error))).catch(() => undefined)
  } finally {
    signal.removeEventListener('abort', gone)
    ending.abort(new Error('the command has ended'))
  }
}

/** Answers a request for a WebSocket of the translated version. */
export function relayCommand(
  exchange: Exchange,
  destination: Destination,
  wanted: CommandStreams,
  services: AgentServices,
): Promise<Response> {
  const answer = webSocketAnswer(
    exchange,
    services,
    () => negotiate(exchange.request, [services.platform.name(translated)]),
    (client, signal) => serve(client, destination, wanted, signal, services),
  )
  return answer.then((response) => {
    if (response.status >= 400) services.forwarding.translated.add(['400'])
    return response
  })
}
