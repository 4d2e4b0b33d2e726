import type { Outbox } from '../outbox.ts'
import { Pace } from '../pace.ts'
import type { Answers } from './answers.ts'
import { limits } from './limits.ts'
import type { ServerStream } from './stream.ts'
import type { Streams } from './streams.ts'

/** The overseer's view of a connection. */
export interface Overseen {
  greeted(): boolean
  /** Name of the incomplete frame or header list, if any. */
  unfinished(): string | undefined
  /** Closes gracefully with GOAWAY. */
  leave(): void
  cut(why: string): void
  /** The client does not read the response. */
  unread(stream: ServerStream): void
  /** The client does not send the body. */
  unsent(stream: ServerStream): void
}

/** Enforces all timeouts and minimum rates of a connection. */
export class Overseer {
  readonly #outbox: Outbox
  readonly #streams: Streams
  readonly #answers: Answers
  readonly #overseen: Overseen
  readonly #socketPace = new Pace(limits.socket)
  readonly #began: number
  #last: number
  /** Start time of a condition. */
  #unfinishedSince = 0
  #idleSince: number | undefined
  #drainingSince: number | undefined
  #draining = false
  #unfinished: string | undefined
  #lastId = 0
  #written = 0
  /** Time when the client last read something. */
  moved: number

  constructor(now: number, outbox: Outbox, streams: Streams, answers: Answers, overseen: Overseen) {
    this.#began = now
    this.#last = now
    this.moved = now
    this.#outbox = outbox
    this.#streams = streams
    this.#answers = answers
    this.#overseen = overseen
  }

  draining(): void {
    this.#draining = true
  }

  /** Checks everything. Returns the milliseconds since the last call. */
  sweep(now: number): number {
    const passed = now - this.#last
    this.#last = now
    this.#connection(now)
    for (const stream of this.#answers.sender.blocked as ReadonlySet<ServerStream>) this.#download(stream, now)
    for (const stream of this.#streams.open.values()) if (!stream.ended) this.#upload(stream, now)
    return passed
  }

  #connection(now: number): void {
    const { greeted, unfinished, cut } = this.#overseen
    if (!greeted() && now - this.#began >= limits.greeting) return void cut('the client says nothing')
    const what = unfinished()
    if (what !== this.#unfinished) {
      this.#unfinished = what
      this.#unfinishedSince = now
    }
    if (what !== undefined && now - this.#unfinishedSince >= limits.headers) return void cut(`${what}: timed out`)
    const { pending, written } = this.#outbox
    if (written !== this.#written) this.moved = now
    this.#written = written
    if (pending === 0) this.#socketPace.rest()
    else if (this.#socketPace.tooSlow(now, written)) return void cut('the client does not read')
    this.#idle(now)
  }

  #idle(now: number): void {
    const used = this.#streams.open.size > 0 || this.#streams.lastId !== this.#lastId
    this.#lastId = this.#streams.lastId
    this.#idleSince = used ? undefined : (this.#idleSince ?? now)
    if (this.#draining) {
      // The client does not acknowledge the ping, or does not close.
      this.#drainingSince ??= now
      if (!used && now - this.#drainingSince >= limits.leaving) this.#overseen.cut('the connection has ended')
    } else if (this.#idleSince !== undefined && now - this.#idleSince >= limits.idle) this.#overseen.leave()
  }

  #download(stream: ServerStream, now: number): void {
    stream.download ??= new Pace(limits.download)
    // While the socket is the bottleneck, #connection checks it.
    if (this.#outbox.pending > 0 || stream.tunnel) stream.download.rest()
    else if (stream.download.tooSlow(now, stream.moved)) this.#overseen.unread(stream)
  }

  #upload(stream: ServerStream, now: number): void {
    stream.upload ??= new Pace(limits.upload)
    // While the server grants no window, the client can't send.
    if (!stream.user?.reading || stream.receiveWindow <= 0) stream.upload.rest()
    else if (stream.upload.tooSlow(now, stream.received)) this.#overseen.unsent(stream)
  }
}
