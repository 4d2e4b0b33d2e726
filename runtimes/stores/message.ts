/**
 * A KeyValueStore whose store another thread has (`serveStore`). Calls of one turn of the event loop are one message, and so are answers and
 * events. Values are in memory that the threads share. The current revision costs no message.
 */
import { untilAbortedLate } from '../../core/common/abort.ts'
import {
  type Clock,
  type Context,
  type KeyValue,
  type KeyValueStore,
  type ListResult,
  StoreError,
  type StoreEvent,
  type StoreWatch,
  type StoreWatcher,
  type SwapResult,
} from '../../core/ports.ts'
import { messageOf } from '../../core/schema/message-of.ts'
import { isClosed } from './engine.ts'
import { type Cells, EventCounter, SharedRevision } from './message/cells.ts'
import { Outbox } from './message/outbox.ts'
import { type Answer, type Answers, type CallName, type Calls, errorOf, type Link, type Request } from './message/protocol.ts'
import { sharedCopy } from './message/shared-values.ts'

export interface MessageStoreOptions {
  readonly link: Link
  /** Of the client that `serveStore` made for the other end of the link. */
  readonly cells: Cells
  readonly clock: Clock
  /** Calls back when the current turn of the event loop has been worked off. */
  readonly atTurnsEnd: (callback: () => void) => void
  /** Copy values out of the shared memory, which Web Crypto refuses. Default false. */
  readonly copiesValues?: boolean
}

interface Pending {
  resolve(result: unknown): void
  reject(error: StoreError): void
}

interface Watch {
  readonly id: number
  readonly watcher: StoreWatcher
  state: 'starting' | 'live' | 'ended'
  /** The highest revision that progress is wanted to; undefined: none is. */
  wanted: number | undefined
}

/** Maximum calls that wait for an answer. */
const maxPending = 100_000

export interface MessageStore extends KeyValueStore {
  /**
   * Undefined when all events have been received that were sent before this call, which includes those of all writes that are answered; otherwise
   * resolves when they have been.
   */
  received(): Promise<void> | undefined
}

export function messageStore({ link, cells, clock, atTurnsEnd, copiesValues = false }: MessageStoreOptions): MessageStore {
  const revision = new SharedRevision(cells.revision)
  const counter = new EventCounter(cells.events)
  const pending = new Map<number, Pending>()
  const watches = new Map<number, Watch>()
  /** What waits until the events that had been sent are received. */
  let waiting: { readonly sent: number; readonly tell: () => void }[] = []
  const outbox = new Outbox<Request>((requests) => link.send(requests), atTurnsEnd)
  let lastId = 0
  let closing: Promise<void> | undefined
  /** Called when the last pending call is answered. */
  let idle: (() => void) | undefined

  // ── Calls ─────────────────────────────────────────────────────────────────────────────────────

  function call<Name extends CallName>(name: Name, ...parameters: readonly unknown[]): ReturnType<Calls[Name]> {
    return new Promise((resolve, reject) => {
      if (closing) return reject(isClosed())
      if (pending.size >= maxPending) return reject(new StoreError('unavailable', 'too many calls wait for the store'))
      const id = ++lastId
      pending.set(id, { resolve, reject })
      outbox.add({ call: name, id, parameters })
    }) as ReturnType<Calls[Name]>
  }

  const waitFor = <T>(answer: Promise<T>, context: Context | undefined) => (context ? untilAbortedLate(answer, context, clock) : answer)

  // ── Values ────────────────────────────────────────────────────────────────────────────────────

  const ownKv = (kv: KeyValue): KeyValue => ({ ...kv, value: new Uint8Array(kv.value) })
  const ownEvent = (event: StoreEvent): StoreEvent => {
    const rest = event.previous ? { previous: ownKv(event.previous) } : {}
    return event.type === 'put' ? { ...event, kv: ownKv(event.kv), ...rest } : { ...event, ...rest }
  }
  const keepEvents = (events: readonly StoreEvent[]) => (copiesValues ? events.map(ownEvent) : events)
  const kept = (kv: KeyValue): KeyValue => (copiesValues ? ownKv(kv) : kv)
  const keptSwap = (result: SwapResult): SwapResult =>
    result.ok || !result.current ? result : { ...result, current: kept(result.current) }
  const keptList = (list: ListResult): ListResult => (copiesValues ? { ...list, items: list.items.map(ownKv) } : list)

  // ── Watches ───────────────────────────────────────────────────────────────────────────────────

  function end(watch: Watch, error?: StoreError): void {
    if (watch.state === 'ended') return
    watch.state = 'ended'
    watches.delete(watch.id)
    queueMicrotask(() => watch.watcher.end(error))
  }

  /** A watcher that throws loses its watch; others are not affected. */
  function tell(watch: Watch, use: (watcher: StoreWatcher) => void): void {
    if (watch.state === 'ended') return
    try {
      use(watch.watcher)
    } catch (error) {
      leave(watch, new StoreError('unavailable', `watcher failed: ${messageOf(error)}`))
    }
  }

  function leave(watch: Watch, error?: StoreError): void {
    if (watch.state === 'ended') return
    outbox.add({ unwatch: watch.id })
    end(watch, error)
  }

  /** Reports progress to the wanted revision, once all events up to it have been received. */
  function report(watch: Watch): void {
    const { state, wanted } = watch
    if (state !== 'live' || wanted === undefined) return
    const { sent } = counter
    const done = () => {
      if (watch.wanted === wanted) watch.wanted = undefined
      tell(watch, (watcher) => watcher.progress(wanted))
    }
    if (counter.hasReceived(sent)) done()
    else waiting.push({ sent, tell: done })
  }

  function watch(prefix: string, after: number, watcher: StoreWatcher, { withoutPrevious = false } = {}): StoreWatch {
    const own: Watch = { id: ++lastId, watcher, state: 'starting', wanted: undefined }
    if (closing) end(own, isClosed())
    else {
      watches.set(own.id, own)
      outbox.add({ watch: own.id, prefix, after, withoutPrevious })
    }
    return {
      close: () => leave(own),
      requestProgress(to = revision.value) {
        if (own.wanted !== undefined && own.wanted >= to) return
        own.wanted = to
        queueMicrotask(() => report(own))
      },
    }
  }

  // ── Answers ───────────────────────────────────────────────────────────────────────────────────

  function settle(id: number, use: (pending: Pending) => void): void {
    const waiter = pending.get(id)
    pending.delete(id)
    if (waiter) use(waiter)
    if (pending.size === 0) idle?.()
  }

  function handle(answer: Answer): void {
    if ('events' in answer) {
      const own = watches.get(answer.watch)
      if (own) tell(own, (watcher) => watcher.events(keepEvents(answer.events)))
    } else if ('live' in answer) {
      const own = watches.get(answer.live)
      if (own?.state !== 'starting') return
      own.state = 'live'
      // It may have waited for a later revision.
      if (own.wanted !== undefined) own.wanted = Math.max(own.wanted, revision.value)
      report(own)
    } else if ('ended' in answer) {
      const own = watches.get(answer.ended)
      if (own) end(own, answer.failure && errorOf(answer.failure))
    } else if ('failure' in answer) {
      const { id, failure } = answer
      settle(id, ({ reject }) => reject(errorOf(failure)))
    } else {
      const { id, result } = answer
      settle(id, ({ resolve }) => resolve(result))
    }
  }

  link.receive((message) => {
    const { sent, answers } = message as Answers
    for (const answer of answers) handle(answer)
    counter.receive(sent)
    if (waiting.length === 0) return
    const due = waiting.filter((each) => counter.hasReceived(each.sent))
    waiting = waiting.filter((each) => !due.includes(each))
    for (const each of due) each.tell()
  })

  async function close(): Promise<void> {
    if (pending.size > 0) {
      await new Promise<void>((resolve) => {
        idle = resolve
      })
    }
    // Events of writes came before their results.
    for (const own of watches.values()) leave(own)
  }

  return {
    holdsValues: !copiesValues,
    async get(key, at, context) {
      const { kv, ...rest } = await waitFor(call('get', key, at), context)
      return { ...(kv && { kv: kept(kv) }), ...rest }
    },
    list: async (options, context) => keptList(await waitFor(call('list', options), context)),
    count: (prefix) => call('count', prefix),
    size: () => call('size'),
    put: async (key, value, expected, lease, guards) => keptSwap(await call('put', key, sharedCopy(value), expected, lease, guards)),
    delete: async (key, expected) => keptSwap(await call('delete', key, expected)),
    watch,
    received() {
      const { sent } = counter
      if (counter.hasReceived(sent)) return undefined
      return new Promise((resolve) => waiting.push({ sent, tell: resolve }))
    },
    currentRevision: () => (closing ? Promise.reject(isClosed()) : revision.value),
    compact: (to) => call('compact', to),
    grantLease: (seconds) => call('grantLease', seconds),
    close() {
      closing ??= close()
      return closing
    },
  }
}
