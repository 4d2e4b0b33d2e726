import { type Clock, type Logger, StoreError, type StoreEvent } from '../../../core/ports.ts'
import type { Client } from './client.ts'
import type { Endpoints } from './endpoints.ts'
import { storeError } from './errors.ts'
import { everything, revisionOf } from './keys.ts'
import type { WatchResponse } from './messages.ts'

const firstRetry = 50
const maxRetry = 1_000

export interface FeedHandler {
  /** Events in revision order, all of a revision together. `before`: the feed's position before them; it is already updated. */
  events(events: readonly StoreEvent[], before: number): void
  /** The feed has ended: its revision is compacted. */
  lost(error: StoreError): void
}

/** etcd omits previous values that are compacted. */
const lacksPrevious = (event: StoreEvent) =>
  event.previous === undefined && (event.type === 'delete' || event.kv.createRevision !== event.kv.modRevision)

/**
 * All events of the store after a revision, through one etcd watch. Each etcd revision has at least one event, so a gap in revisions means a
 * lost event, and progress follows from the events themselves. (etcd's own progress notifications may overtake events before 3.4.25 and
 * 3.5.8.) A broken stream resumes where it ended, on another member if necessary.
 */
export class Feed {
  /** Request previous values, which doubles the data that etcd reads and sends. */
  readonly previous: boolean
  readonly #endpoints: Endpoints
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #handler: FeedHandler
  #position: number
  #received = 0
  #client: Client | undefined
  #cancelWatch: (() => void) | undefined
  /** Events of a revision that may be incomplete, because etcd fragments large responses. */
  #held: StoreEvent[] = []
  #retry = firstRetry
  #cancelRetry = () => {}
  #closed = false

  constructor(after: number, previous: boolean, endpoints: Endpoints, clock: Clock, logger: Logger, handler: FeedHandler) {
    // Revision 1, the empty store, has no event.
    this.#position = Math.max(after, 1)
    this.previous = previous
    this.#endpoints = endpoints
    this.#clock = clock
    this.#logger = logger
    this.#handler = handler
    this.#open()
  }

  /** All events up to this revision have been delivered. */
  get position(): number {
    return this.#position
  }

  /** The newest received revision; 0: none yet. A watch may start at a future revision. */
  get received(): number {
    return this.#received
  }

  get client(): Client | undefined {
    return this.#client
  }

  /** Resumes the watch, on the current member. */
  restart(): void {
    this.#drop()
    this.#open()
  }

  close(): void {
    this.#closed = true
    this.#drop()
  }

  #drop(): void {
    this.#cancelRetry()
    this.#cancelWatch?.()
    this.#cancelWatch = undefined
    this.#held = []
  }

  #open(): void {
    const client = this.#endpoints.current
    this.#client = client
    this.#cancelWatch = client.watch(
      { key: everything, rangeEnd: everything, startRevision: this.#position + 1, prevKv: this.previous },
      { response: (response) => this.#receive(client, response), end: (error) => this.#broken(client, storeError(error)) },
    )
  }

  #receive(client: Client, { events, fragment, canceled, cancelReason, compactRevision }: WatchResponse): void {
    if (canceled) {
      if (compactRevision > 0) this.#lost(`revision ${this.#position + 1} has been compacted`, compactRevision)
      else this.#broken(client, storeError(new Error(cancelReason || 'the watch was cancelled')))
      return
    }
    this.#retry = firstRetry
    for (const event of events) if (!this.#take(event)) return
    this.#release(fragment)
  }

  /** Adds an event to the incomplete revision; false when the event shows that the feed can't continue. */
  #take(event: StoreEvent): boolean {
    const revision = revisionOf(event)
    if (revision <= this.#position) return true
    const held = this.#held.at(-1)
    const due = (held ? revisionOf(held) : this.#position) + 1
    const forgotten = this.previous && lacksPrevious(event)
    if (!forgotten && revision <= due) {
      this.#held.push(event)
      return true
    }
    if (forgotten) this.#lost(`what revision ${revision} replaced has been compacted`)
    else this.#lost(`the events from revision ${due} to ${revision - 1} are gone`, revision)
    return false
  }

  #release(cut: boolean): void {
    const last = this.#held.at(-1)
    if (last === undefined) return
    const rest = cut ? this.#held.filter((event) => revisionOf(event) === revisionOf(last)) : []
    const events = cut ? this.#held.slice(0, this.#held.length - rest.length) : this.#held
    this.#held = rest
    const newest = events.at(-1)
    if (newest === undefined) return
    const before = this.#position
    this.#position = revisionOf(newest)
    this.#received = this.#position
    this.#handler.events(events, before)
  }

  #lost(why: string, oldest?: number): void {
    this.close()
    this.#handler.lost(new StoreError('compacted', why, oldest))
  }

  #broken(client: Client, error: StoreError): void {
    this.#drop()
    this.#logger.debug({ server: client.server, error: error.message, after: this.#position }, 'etcd watch ended; resuming')
    this.#endpoints.failed(client, error)
    // Switching members may have restarted this feed already.
    if (this.#closed || this.#cancelWatch !== undefined) return
    const wait = this.#retry
    this.#retry = Math.min(wait * 2, maxRetry)
    this.#cancelRetry = this.#clock.after(wait, () => this.#open())
  }
}
