/** One connection to a server's Unix socket: the client's end. */
import { connect, type Socket } from 'node:net'
import { CallError, type Clock, type Context } from '../../../core/ports.ts'
import { withShortPath } from '../../short-path.ts'
import type { StreamHandler } from '../client/channel.ts'
import { resourceExhausted } from '../client/codes.ts'
import { deadline as deadlineOf } from '../client/deadline.ts'
import { failure } from '../client/failure.ts'
import { KeepAlive } from '../client/keepalive.ts'
import { Messages } from '../client/messages.ts'
import { Outbox } from '../outbox.ts'
import { kinds, readFailure, readFrame, writeFrame, writePath } from './frames.ts'
import type { Ticket } from './ticket.ts'

/** Milliseconds until the server must have answered the key. */
const helloTimeout = 1_000
/** Maximum bytes of one message; a page of a list is smaller. */
const maxMessageBytes = 1024 * 1024 * 1024
/** As those of the connections of gRPC. */
const outboxOptions = { turnsToWait: 4, highWater: 24 * 1024 }
const maxId = 2 ** 32 - 1
const nothing = Buffer.alloc(0)

interface Receiver {
  message(message: Buffer): void
  end(error: CallError): void
}

export class AttachedConnection {
  readonly #socket: Socket
  readonly #outbox: Outbox
  readonly #keepAlive: KeepAlive
  readonly #clock: Clock
  readonly #messages = new Messages(maxMessageBytes)
  readonly #calls = new Map<number, Receiver>()
  readonly #paths = new Map<string, Uint8Array>()
  readonly #largest: number
  #greeting: { resolve(): void; reject(error: Error): void; readonly proof: string } | undefined
  #lastId = 0
  #isEnded = false
  #isClosing = false

  private constructor(socket: Socket, clock: Clock, largest: number) {
    this.#largest = largest
    this.#socket = socket
    this.#clock = clock
    this.#outbox = new Outbox(socket, outboxOptions)
    this.#keepAlive = new KeepAlive(clock, {
      busy: () => this.#calls.size > 0,
      ping: () => writeFrame(this.#outbox, kinds.ping, 0),
      dead: () => this.#fail('the server does not acknowledge pings'),
    })
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    socket.on('error', ({ message }) => this.#fail(message))
    for (const event of ['end', 'close']) socket.on(event, () => this.#fail('the server closed the connection'))
  }

  /** Rejects when the socket can't be reached, or its server does not know the ticket. */
  static async open({ directory, name, key, proof, largest }: Ticket, clock: Clock): Promise<AttachedConnection> {
    const socket = await withShortPath(directory, name, connected)
    const connection = new AttachedConnection(socket, clock, largest)
    const cancel = clock.after(helloTimeout, () => connection.#fail('the server does not answer the key'))
    try {
      await new Promise<void>((resolve, reject) => {
        connection.#greeting = { resolve, reject, proof }
        writeFrame(connection.#outbox, kinds.hello, 0, Buffer.from(key, 'latin1'))
        connection.#outbox.flush()
      })
    } finally {
      cancel()
    }
    return connection
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** As `Channel.call`. */
  call(path: string, message: Uint8Array, deadline: number, context: Context | undefined): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const stop = (error: unknown) => {
        finish()
        this.#cancel(id)
        reject(error)
      }
      const finish = deadlineOf(this.#clock, deadline, context, stop)
      const id = this.#open(kinds.call, path, message, {
        message: (answer) => {
          finish()
          this.#forget(id)
          resolve(answer)
        },
        end: (error) => {
          finish()
          reject(error)
        },
      })
    })
  }

  /** As `Channel.stream`. */
  stream(path: string, message: Uint8Array, handler: StreamHandler): () => void {
    const id = this.#open(kinds.stream, path, message, handler)
    return () => this.#cancel(id)
  }

  flush(): void {
    this.#outbox.flush()
  }

  /** Closes after the open calls have ended. */
  close(): void {
    this.#isClosing = true
    this.#destroyWhenIdle()
  }

  #open(kind: number, path: string, message: Uint8Array, receiver: Receiver): number {
    const id = this.#nextId()
    const problem = this.#problem(message)
    if (problem !== undefined) {
      queueMicrotask(() => receiver.end(problem))
      return id
    }
    this.#calls.set(id, receiver)
    writeFrame(this.#outbox, kind, id, this.#pathOf(path), message)
    this.#keepAlive.start()
    return id
  }

  /** Why the message can not be sent. The server would end the connection of one that is too large. */
  #problem({ length }: Uint8Array): CallError | undefined {
    if (this.#isEnded) return failure('the connection has ended', false)
    return length > this.#largest
      ? new CallError(resourceExhausted, `the message is larger than max (${length} vs. ${this.#largest})`)
      : undefined
  }

  /** A number that no open call has. */
  #nextId(): number {
    do this.#lastId = this.#lastId === maxId ? 1 : this.#lastId + 1
    while (this.#calls.has(this.#lastId))
    return this.#lastId
  }

  #pathOf(path: string): Uint8Array {
    let bytes = this.#paths.get(path)
    if (bytes === undefined) {
      bytes = writePath(path)
      this.#paths.set(path, bytes)
    }
    return bytes
  }

  #cancel(id: number): void {
    if (!this.#calls.has(id)) return
    writeFrame(this.#outbox, kinds.cancel, id)
    this.#forget(id)
  }

  #forget(id: number): void {
    this.#calls.delete(id)
    this.#destroyWhenIdle()
  }

  #destroyWhenIdle(): void {
    if (!this.#isClosing || this.#calls.size > 0) return
    this.#outbox.flush()
    this.#fail('the connection is closed')
  }

  #take(bytes: Buffer): void {
    const found = this.#messages.take(bytes)
    if (found instanceof CallError) this.#fail(found.message)
    else for (const each of found) this.#frame(each)
  }

  #frame(bytes: Buffer): void {
    const { kind, call: id, content } = readFrame(bytes) ?? { kind: -1, call: 0, content: nothing }
    const receiver = this.#calls.get(id)
    if (kind === kinds.message) receiver?.message(content)
    else if (kind === kinds.failed) {
      this.#forget(id)
      const { code, text } = readFailure(content)
      receiver?.end(new CallError(code, text))
    } else if (kind === kinds.ping) this.#keepAlive.answered()
    else if (kind === kinds.hello && content.toString('latin1') === this.#greeting?.proof) this.#greeting.resolve()
    else this.#fail('malformed frame')
  }

  #fail(why: string): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#keepAlive.stop()
    this.#socket.destroy()
    this.#greeting?.reject(new Error(why))
    const calls = [...this.#calls.values()]
    this.#calls.clear()
    for (const call of calls) call.end(failure(why, true))
  }
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('error', reject).once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}
