/**
 * Calls on a Unix socket, for clients on the same machine that got a ticket over a port (runtimes/wire/attached/ticket.ts): the same methods and
 * messages, without the cost of gRPC. The socket is for processes of the same user only, and a ticket has to be shown, so that it lets nobody
 * in who could not connect to the port.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, renameSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { CallError, type Clock } from '../../core/ports.ts'
import { withShortPath } from '../short-path.ts'
import { kinds, readCall, readFrame, writeFailure, writeFrame } from '../wire/attached/frames.ts'
import { keyLength, type Ticket, ticketMethod, writeTicket } from '../wire/attached/ticket.ts'
import { Messages } from '../wire/client/messages.ts'
import { Outbox } from '../wire/outbox.ts'
import { type Call, type CallHandler, type Method, type Service, told, tooLarge, unary, unknownMethod } from './calls.ts'
import { codes } from './errors.ts'
import { inlined } from './fields.ts'
import { type Message, message } from './message.ts'
import { emptyRequest } from './messages.ts'

/** Name of the socket in the directory of the store. */
const socketName = 'attach'
/** Milliseconds in which a ticket has to be used, and a new connection has to show one. */
const ticketTimeout = 5_000
/** Maximum number of tickets that are not used. */
const maxTickets = 1_000
/** Bytes of requests under way, and of responses that are not sent, beyond which nothing more is read from a connection. */
const maxHeld = 16 * 1024 * 1024
/** Bytes of a frame beside a request of the maximum size: kind, number, path. */
const frameOverhead = 512
const prefixLength = 5

export interface Attachment {
  /** The method that gives tickets away, by its path. */
  readonly methods: ReadonlyMap<string, Method>
  /** Takes no more connections and calls; resolves when there are none left, or after so many milliseconds. */
  close(graceMilliseconds: number): Promise<void>
}

class Tickets {
  readonly #directory: string
  readonly #clock: Clock
  /** By key, oldest first. */
  readonly #unused = new Map<string, { readonly proof: string; readonly expires: number }>()

  constructor(directory: string, clock: Clock) {
    this.#directory = directory
    this.#clock = clock
  }

  issue(peer: string, largest: number): Ticket {
    const now = this.#clock.monotonic()
    for (const [key, { expires }] of this.#unused) if (expires < now || this.#unused.size >= maxTickets) this.#unused.delete(key)
    const [key, proof] = [secret(), secret()]
    this.#unused.set(key, { proof, expires: now + ticketTimeout })
    return { directory: this.#directory, name: socketName, key, proof, peer, largest }
  }

  /** The proof of a ticket that may be used now; a ticket is used once. */
  use(key: string): string | undefined {
    const found = this.#unused.get(key)
    this.#unused.delete(key)
    return found !== undefined && found.expires >= this.#clock.monotonic() ? found.proof : undefined
  }
}

const secret = () => randomBytes(keyLength / 2).toString('hex')

class AttachedCall implements Call {
  readonly #connection: ServedConnection
  readonly #service: Service
  readonly #path: string
  readonly #id: number
  /** Bytes of its message. */
  readonly bytes: number
  /** Has one answer, and ends with it. */
  readonly isShort: boolean
  #isAnswered = false
  #isOver = false
  handler: CallHandler | undefined

  constructor(connection: ServedConnection, service: Service, path: string, id: number, bytes: number, isShort: boolean) {
    this.#connection = connection
    this.#service = service
    this.#path = path
    this.#id = id
    this.bytes = bytes
    this.isShort = isShort
  }

  get pending(): number {
    return this.#connection.pending
  }

  send<V>(type: Message<unknown, V>, value: V, size?: number): void {
    if (this.#isOver) return
    this.#isAnswered = true
    this.#connection.write(kinds.message, this.#id, this.#service.writer.message(type, value, size).subarray(prefixLength))
  }

  finish(): void {
    if (this.isShort && this.#isAnswered) this.over(codes.ok)
    else this.#fail(codes.ok, 'the call has ended')
  }

  refuse(error: unknown): void {
    const { code, message } = told(this.#service, this.#path, error)
    this.#fail(code, message)
  }

  #fail(code: number, text: string): void {
    if (this.#isOver) return
    this.#connection.write(kinds.failed, this.#id, writeFailure(code, text))
    this.over(code)
  }

  /** The handler is done. */
  over(code: number): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#service.ended?.(this.#path, code)
    this.#connection.forget(this.#id, this)
    const { handler } = this
    this.handler = undefined
    handler?.closed?.()
  }

  start(method: Method | undefined, message: Uint8Array): void {
    try {
      if (message.length > this.#service.maxMessageBytes) throw tooLarge(this.#service)
      if (method === undefined) throw unknownMethod(this.#service, this.#path)
      this.handler = method.open(this)
      this.handler.message(message)
      if (this.isShort) this.handler?.end?.()
    } catch (error) {
      this.refuse(error)
    }
  }
}

class ServedConnection {
  readonly #socket: Socket
  readonly #service: Service
  readonly #outbox: Outbox
  readonly #calls = new Map<number, AttachedCall>()
  readonly #tickets: Tickets
  readonly #cancelTimeout: () => void
  /** Absent: no ticket was shown. */
  #frames: Messages | undefined
  readonly #hello = new Messages(frameOverhead)
  #heldBytes = 0
  #isClosing = false

  constructor(socket: Socket, service: Service, tickets: Tickets, clock: Clock) {
    this.#socket = socket
    this.#service = service
    this.#tickets = tickets
    this.#outbox = new Outbox(socket, { drained: () => this.#drained() })
    this.#cancelTimeout = clock.after(ticketTimeout, () => socket.destroy())
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    socket.once('close', () => this.#closed())
  }

  /** Bytes that the client has not taken. */
  get pending(): number {
    return this.#outbox.pending
  }

  write(kind: number, call: number, content: Uint8Array): void {
    writeFrame(this.#outbox, kind, call, content)
    this.#pace()
  }

  forget(id: number, call: AttachedCall): void {
    if (this.#calls.get(id) !== call) return
    this.#calls.delete(id)
    this.#heldBytes -= call.bytes
    this.#pace()
    this.#endWhenIdle()
  }

  /** Ends when the calls that end by themselves have. */
  drain(): void {
    this.#isClosing = true
    this.#endWhenIdle()
  }

  #endWhenIdle(): void {
    if (this.#isClosing && ![...this.#calls.values()].some(({ isShort }) => isShort)) this.#outbox.end()
  }

  /** Reads no more than it can hold. */
  #pace(): void {
    const isFull = this.#heldBytes > maxHeld || this.#outbox.pending > maxHeld
    if (isFull === this.#socket.isPaused()) return
    if (isFull) this.#socket.pause()
    else this.#socket.resume()
  }

  #take(bytes: Buffer): void {
    const found = (this.#frames ?? this.#hello).take(bytes)
    if (found instanceof CallError) this.#socket.destroy()
    else for (const each of found) this.#frame(each)
  }

  #frame(bytes: Buffer): void {
    const frame = readFrame(bytes)
    if (frame === undefined) {
      this.#socket.destroy()
      return
    }
    const { kind, call: id, content } = frame
    if (this.#frames === undefined) this.#identify(kind, content)
    else if (kind === kinds.call || kind === kinds.stream) this.#open(kind, id, content)
    else if (kind === kinds.cancel) this.#calls.get(id)?.over(codes.cancelled)
    else if (kind === kinds.ping) this.write(kinds.ping, id, content)
    else this.#socket.destroy()
  }

  #identify(kind: number, content: Buffer): void {
    const proof = kind === kinds.hello ? this.#tickets.use(content.toString('latin1')) : undefined
    if (proof === undefined) {
      this.#socket.destroy()
      return
    }
    this.#cancelTimeout()
    this.#frames = new Messages(this.#service.maxMessageBytes + frameOverhead)
    this.write(kinds.hello, 0, Buffer.from(proof, 'latin1'))
  }

  #open(kind: number, id: number, content: Buffer): void {
    const read = readCall(content)
    if (read === undefined || this.#calls.has(id)) {
      this.#socket.destroy()
      return
    }
    const { path, message } = read
    const call = new AttachedCall(this, this.#service, path, id, message.length, kind === kinds.call)
    this.#calls.set(id, call)
    this.#heldBytes += message.length
    call.start(this.#service.methods.get(path), message)
    this.#pace()
  }

  #drained(): void {
    this.#pace()
    if (this.#outbox.pending === 0) for (const { handler } of this.#calls.values()) handler?.drained?.()
  }

  #closed(): void {
    this.#cancelTimeout()
    for (const call of this.#calls.values()) call.over(codes.cancelled)
  }
}

const ticketResponse = message('Ticket', { ticket: inlined(emptyRequest) })

/** Listens in a directory that this process owns. Rejects with the error of the system. */
export async function openAttachment(directory: string, service: () => Service, clock: Clock): Promise<Attachment> {
  const tickets = new Tickets(resolve(directory), clock)
  const connections = new Map<Socket, ServedConnection>()
  const server = createServer((socket) => {
    connections.set(socket, new ServedConnection(socket, service(), tickets, clock))
    socket.on('error', () => {}).once('close', () => connections.delete(socket))
  })
  await listen(server, directory)
  const issue: Method = unary(emptyRequest, ticketResponse, (_request, _bytes, { peer = '' }) => ({
    ticket: writeTicket(tickets.issue(peer, service().maxMessageBytes)),
  }))
  return {
    methods: new Map([[ticketMethod, issue]]),
    async close(graceMilliseconds) {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      rmSync(join(directory, socketName), { force: true })
      for (const connection of connections.values()) connection.drain()
      const cancel = clock.after(graceMilliseconds, () => {
        for (const socket of connections.keys()) socket.destroy()
      })
      await closed
      cancel()
    },
  }
}

/** The socket has its permissions before it has its name, whatever the umask. What an earlier process has left is replaced. */
function listen(server: Server, directory: string): Promise<void> {
  const draft = `${socketName}.new`
  rmSync(join(directory, draft), { force: true })
  return withShortPath(
    directory,
    draft,
    (path) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(path, () => {
          server.off('error', reject).on('error', () => {})
          chmodSync(join(directory, draft), 0o600)
          renameSync(join(directory, draft), join(directory, socketName))
          resolve()
        })
      }),
  )
}
