/** Watches: many on one stream (server/etcdserver/api/v3rpc/watch.go and server/storage/mvcc/watchable_store.go of etcd). */
import type { StoreError, StoreEvent, StoreWatch } from '../../core/ports.ts'
import type { History } from '../stores/history.ts'
import type { Call, CallHandler, Method } from './calls.ts'
import { refusal, textOf } from './errors.ts'
import type { WrittenKeyValue } from './key-value.ts'
import type { Member } from './member.ts'
import { decode, encode } from './message.ts'
import { event as eventMessage, type WatchCreateRequest, type WatchResponse, watchRequest, watchResponse } from './messages.ts'
import { isSelected, type Selected, selected } from './views.ts'

/** Of a response that is about no single watch. */
const noWatch = -1
/** Bytes that a client has not read, beyond which its watches stop until it has: then they continue from the history. */
const maxPending = 8 * 1024 * 1024

const filters = { noPut: 0, noDelete: 1 } as const
const eventTypes = { put: 0, delete: 1 } as const

const keyOf = (event: StoreEvent) => (event.type === 'put' ? event.kv.key : event.key)
const revisionOf = (event: StoreEvent) => (event.type === 'put' ? event.kv.modRevision : event.revision)

/** The longest prefix that all selected keys have. */
function prefixOf(keys: Selected): string {
  if ('key' in keys) return keys.key
  const { from, to } = keys
  if (to === undefined) return ''
  // The end of all keys with a prefix is the prefix with its last byte one higher.
  const last = from.charCodeAt(from.length - 1)
  if (from.slice(0, -1) + String.fromCharCode(last + 1) === to) return from
  let length = 0
  while (length < from.length && from[length] === to[length]) length++
  return from.slice(0, length)
}

/** Events as messages: each is encoded once for all watches. */
class EncodedEvents {
  readonly #history: () => History
  readonly #plain = new WeakMap<StoreEvent, Uint8Array>()
  readonly #withPrevious = new WeakMap<StoreEvent, Uint8Array>()

  constructor(history: () => History) {
    this.#history = history
  }

  of(event: StoreEvent, withPrevious: boolean): Uint8Array {
    const known = withPrevious ? this.#withPrevious : this.#plain
    let message = known.get(event)
    if (message === undefined) {
      message = this.#encode(event, withPrevious)
      known.set(event, message)
    }
    return message
  }

  #encode(event: StoreEvent, withPrevious: boolean): Uint8Array {
    const history = this.#history()
    const [key, revision] = [keyOf(event), revisionOf(event)]
    const change = history.lineage(key, revision, event.type === 'delete')
    const kv = event.type === 'put' ? { ...event.kv, ...pick(change) } : { key: event.key, modRevision: event.revision }
    const prevKv = withPrevious && revision > history.oldest ? previousOf(history, event, key, revision) : undefined
    const size = eventBytes + sizeOf(kv) + (prevKv ? sizeOf(prevKv) : 0)
    return encode(eventMessage, { type: eventTypes[event.type], kv, ...(prevKv && { prevKv }) }, size)
  }
}

/** About how many bytes an event has beside its keys and values. */
const eventBytes = 128
const sizeOf = ({ key, value }: WrittenKeyValue) => (key?.length ?? 0) + (value?.length ?? 0)

/** What was there before the transaction, which may have changed the key twice. */
function previousOf(history: History, { previous }: StoreEvent, key: string, revision: number): WrittenKeyValue | undefined {
  const state = history.state(key, revision - 1)
  if (state === undefined || previous?.modRevision !== state.modRevision) return state
  // The event has its value, which would be read from the disk.
  return { ...previous, version: state.version, lease: state.lease }
}

const pick = (lineage: { readonly version: number; readonly lease: bigint } | undefined) =>
  lineage && { version: lineage.version, lease: lineage.lease }

interface Watch {
  readonly id: number
  readonly keys: Selected
  readonly prefix: string
  readonly request: WatchCreateRequest
  /** All events up to this revision are sent, or not wanted. */
  after: number
  /** Absent: it is stopped until the client has read. */
  feed: StoreWatch | undefined
  /** Whether the next notification of progress is due: no event came since the last one. */
  isQuiet: boolean
}

class WatchStream implements CallHandler {
  readonly #member: Member
  readonly #call: Call
  readonly #events: EncodedEvents
  readonly #watches = new Map<number, Watch>()
  #nextId = 0
  #isStopped = false
  #stopping = false
  #cancelTimer: () => void

  constructor(member: Member, call: Call, events: EncodedEvents) {
    this.#member = member
    this.#call = call
    this.#events = events
    this.#cancelTimer = this.#schedule()
  }

  message(message: Uint8Array): void {
    const { create, cancel, progress } = decode(watchRequest, message)
    if (create !== undefined) this.#create(create)
    else if (cancel !== undefined) this.#cancel(cancel.watchId)
    else if (progress !== undefined) this.#requestProgress()
  }

  closed(): void {
    this.#cancelTimer()
    for (const { feed } of this.#watches.values()) feed?.close()
    this.#watches.clear()
  }

  drained(): void {
    if (!this.#isStopped || this.#call.pending > 0) return
    this.#isStopped = false
    for (const watch of this.#watches.values()) if (watch.feed === undefined) this.#start(watch)
  }

  // ── Requests ────────────────────────────────────────────────────────────────────────────────────

  #create(given: WatchCreateRequest): void {
    const request = given.key === '' ? { ...given, key: '\0' } : given
    const { startRevision } = request
    const cancelReason = this.#problem(request)
    if (cancelReason !== undefined) {
      this.#send({ watchId: noWatch, created: true, canceled: true, cancelReason })
      return
    }
    const keys = selected(request)
    const id = request.watchId === 0 ? this.#freeId() : request.watchId
    const { revision } = this.#member.history
    const after = startRevision === 0 ? revision : startRevision - 1
    const watch: Watch = { id, keys, prefix: prefixOf(keys), request, after, feed: undefined, isQuiet: request.progressNotify }
    this.#watches.set(id, watch)
    this.#send({ watchId: id, created: true })
    if (!this.#isStopped) this.#start(watch)
  }

  #problem({ key, rangeEnd, startRevision, watchId }: WatchCreateRequest): string | undefined {
    if (startRevision < 0) return textOf('compacted')
    if (rangeEnd !== '' && rangeEnd !== '\0' && key >= rangeEnd) return 'mvcc: watcher range is empty'
    return watchId !== 0 && this.#watches.has(watchId) ? 'mvcc: duplicate watch ID provided on the WatchStream' : undefined
  }

  #freeId(): number {
    while (this.#watches.has(this.#nextId)) this.#nextId++
    return this.#nextId++
  }

  #cancel(id: number): void {
    const watch = this.#watches.get(id)
    if (watch === undefined) return
    this.#watches.delete(id)
    watch.feed?.close()
    this.#send({ watchId: id, canceled: true })
  }

  /** Told for all watches at once, and not while one of them is behind, or when there is none. */
  #requestProgress(): void {
    // A watch that was just created gets what is past first.
    queueMicrotask(() => {
      const watches = [...this.#watches.values()]
      const isDue = !this.#isStopped && watches.length > 0 && watches.every((watch) => this.#isCurrent(watch))
      if (isDue) this.#send({ watchId: noWatch })
    })
  }

  /** Whether all events so far are sent, and there may have been some: not before the revision that the client named. */
  #isCurrent({ feed, after, request }: Watch): boolean {
    const { revision } = this.#member.history
    return feed !== undefined && after <= revision && request.startRevision <= revision
  }

  // ── Events ────────────────────────────────────────────────────────────────────────────────────

  #start(watch: Watch): void {
    this.#deliverOldest(watch)
    const feed: StoreWatch = this.#member.options.engine.watch(watch.prefix, watch.after, {
      events: (events) => {
        if (watch.feed === feed) this.#deliver(watch, events)
      },
      progress() {},
      end: (error) => {
        if (watch.feed === feed && error !== undefined) this.#end(watch, error)
      },
    })
    watch.feed = feed
  }

  /** The store's history has no events of the oldest revision, but its values, which etcd sends to a watch from there on. */
  #deliverOldest(watch: Watch): void {
    const { history } = this.#member
    if (watch.after !== history.oldest - 1 || history.oldest === 1) return
    watch.after = history.oldest
    const states = history.range({ from: '' }, { revision: history.oldest }).filter(({ modRevision }) => modRevision === history.oldest)
    this.#deliver(
      watch,
      states.map(({ key, value, createRevision, modRevision }) => ({ type: 'put', kv: { key, value, createRevision, modRevision } })),
    )
  }

  #deliver(watch: Watch, events: readonly StoreEvent[]): void {
    const { keys, request } = watch
    const isWanted = (event: StoreEvent) =>
      isSelected(keys, keyOf(event)) && !request.filters.includes(event.type === 'put' ? filters.noPut : filters.noDelete)
    const wanted = events.filter(isWanted).map((event) => this.#events.of(event, request.prevKv))
    const last = events.at(-1)
    if (last !== undefined) watch.after = Math.max(watch.after, revisionOf(last))
    if (wanted.length === 0) return
    watch.isQuiet = false
    this.#sendEvents(watch, wanted)
    if (this.#call.pending > maxPending) this.#stop(watch)
  }

  #sendEvents({ id: watchId, request }: Watch, events: readonly Uint8Array[]): void {
    const maxRequestBytes = request.fragment ? this.#member.options.maxRequestBytes : Number.POSITIVE_INFINITY
    let [first, size] = [0, 0]
    for (const [at, { length }] of events.entries()) {
      if (at > first && size + length + perEvent >= maxRequestBytes) {
        this.#send({ watchId, events: events.slice(first, at), fragment: true })
        first = at
        size = 0
      }
      size += length + perEvent
    }
    this.#send({ watchId, events: first === 0 ? events : events.slice(first) })
  }

  /** The client does not read: its watches continue from the history when it has. */
  #stop(reached: Watch): void {
    reached.feed?.close()
    reached.feed = undefined
    this.#isStopped = true
    if (this.#stopping) return
    this.#stopping = true
    // When the events of this commit have reached all watches, they all are where the store is.
    queueMicrotask(() => {
      this.#stopping = false
      if (!this.#isStopped || this.#watches.size === 0) return
      const { revision } = this.#member.history
      for (const watch of this.#watches.values()) {
        if (watch.feed === undefined) continue
        watch.feed.close()
        watch.feed = undefined
        watch.after = Math.max(watch.after, revision)
      }
    })
  }

  /** A watch ends because of the store. */
  #end(watch: Watch, { code, revision }: StoreError): void {
    this.#watches.delete(watch.id)
    if (code === 'compacted') {
      const cancelled = { header: this.#member.header(0), watchId: watch.id, canceled: true, compactRevision: revision ?? 0 }
      this.#call.send(watchResponse, cancelled)
    } else this.#call.refuse(refusal('stopped'))
  }

  // ── Progress ────────────────────────────────────────────────────────────────────────────────────

  #schedule(): () => void {
    const { engine, progressInterval } = this.#member.options
    // Not all clients at once.
    const wait = progressInterval * (1 + Math.random() / 10)
    return engine.clock.after(wait, () => {
      this.#cancelTimer = this.#schedule()
      for (const watch of this.#watches.values()) {
        if (!watch.request.progressNotify) continue
        if (watch.isQuiet && this.#isCurrent(watch)) this.#send({ watchId: watch.id })
        watch.isQuiet = true
      }
    })
  }

  #send(response: WatchResponse): void {
    this.#call.send(watchResponse, { header: this.#member.header(), ...response })
  }
}

/** Bytes of an event in a response, beside what is encoded. */
const perEvent = 8

export function watchMethod(member: Member): Method {
  const events = new EncodedEvents(() => member.history)
  return { request: watchRequest, isStream: true, open: (call) => new WatchStream(member, call, events) }
}
