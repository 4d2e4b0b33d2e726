/** The end of message stores that has the store. */
import { type Guard, type KeyValueStore, type ListOptions, StoreError, type StoreWatch } from '../../../core/ports.ts'
import { type Cells, EventCounter, SharedRevision } from './cells.ts'
import { Outbox } from './outbox.ts'
import { type Answer, type CallName, failureOf, type Link, type Request } from './protocol.ts'
import { SharedValues } from './shared-values.ts'

/** Maximum events that a client has not received. Beyond it its watches end, so that it reads anew when it gets to it. */
const maxUnread = 100_000

export interface ServedClient {
  /** Memory for the client's `messageStore`. */
  readonly cells: Cells
  /** Ends the client's watches. Calls that have arrived are carried out, and not answered. */
  close(): void
}

export interface StoreService {
  connect(link: Link): ServedClient
  close(): void
}

export interface ServiceOptions {
  /** Calls back when the current turn of the event loop has been worked off. */
  readonly atTurnsEnd: (callback: () => void) => void
  /** Maximum events that a client has not received before its watches end; default 100,000. */
  readonly maxUnread?: number
}

/**
 * Serves a store to other threads. The store must know its revision without I/O, and call all watches of a change before the change can be seen
 * in any other way, as embedded stores do.
 */
export function serveStore(store: KeyValueStore, { atTurnsEnd, maxUnread: bound = maxUnread }: ServiceOptions): StoreService {
  const current = store.currentRevision()
  if (typeof current !== 'number') throw new TypeError('serveStore: the store must know its revision without I/O')
  const revision = new SharedRevision()
  revision.advance(current)
  const values = new SharedValues()
  const clients = new Set<ServedClient>()
  // Other threads must not see the revision before all watches have counted its events: they are called in the same step as this one.
  const follow = () => queueMicrotask(() => revision.advance(revisionNow()))
  const revisionNow = () => {
    const now = store.currentRevision()
    return typeof now === 'number' ? now : 0
  }
  const following = store.watch('', current, { events: follow, progress() {}, end() {} }, { withoutPrevious: true })

  function connect(link: Link): ServedClient {
    const counter = new EventCounter()
    const watches = new Map<number, StoreWatch>()
    let closed = false
    const outbox = new Outbox<Answer>((answers) => closed || link.send({ sent: counter.sent, answers }), atTurnsEnd)

    function watch({ watch: id, prefix, after, withoutPrevious }: Extract<Request, { watch: number }>): void {
      let isLive = false
      const own = store.watch(
        prefix,
        after,
        {
          events(events) {
            if (!watches.has(id)) return
            counter.send(events.length)
            outbox.add({ watch: id, events: events.map((event) => values.event(event, withoutPrevious)) })
            if (counter.unread > bound) endAll(new StoreError('unavailable', 'the reader of the watch is too slow'))
          },
          progress() {
            if (isLive) return
            isLive = true
            outbox.add({ live: id })
          },
          end(error) {
            if (watches.delete(id)) outbox.add({ ended: id, ...(error && { failure: failureOf(error) }) })
          },
        },
        { withoutPrevious },
      )
      watches.set(id, own)
      own.requestProgress()
    }

    function endAll(error: StoreError): void {
      for (const [id, own] of watches) {
        watches.delete(id)
        own.close()
        outbox.add({ ended: id, failure: failureOf(error) })
      }
    }

    const calls: { readonly [name in CallName]: (...parameters: never[]) => Promise<unknown> } = {
      async get(key: string, at?: number) {
        const { kv, revision } = await store.get(key, at)
        return { ...(kv && { kv: values.kv(kv) }), revision }
      },
      async list(options: ListOptions) {
        const { items, ...rest } = await store.list(options)
        return { items: items.map(values.kv), ...rest }
      },
      count: async (prefix: string) => store.count(prefix),
      size: () => store.size(),
      async put(key: string, value: Uint8Array, expected: number, lease?: bigint, guards?: readonly Guard[]) {
        return swapped(await store.put(key, value, expected, lease, guards))
      },
      async delete(key: string, expected: number) {
        return swapped(await store.delete(key, expected))
      },
      compact: (to: number) => store.compact(to),
      grantLease: (seconds: number) => store.grantLease(seconds),
    }
    const swapped = (result: Awaited<ReturnType<KeyValueStore['put']>>) =>
      result.ok || !result.current ? result : { ...result, current: values.kv(result.current) }

    async function call({ call: name, id, parameters }: Extract<Request, { call: CallName }>): Promise<void> {
      try {
        const result = await calls[name](...(parameters as never[]))
        // Whoever gets the result may tell others, who must not find an older revision.
        revision.advance(revisionNow())
        outbox.add({ id, result })
      } catch (error) {
        outbox.add({ id, failure: failureOf(error) })
      }
    }

    link.receive((message) => {
      if (closed) return
      for (const request of message as readonly Request[]) {
        if ('call' in request) void call(request)
        else if ('watch' in request) watch(request)
        else watches.get(request.unwatch)?.close()
      }
    })

    const client: ServedClient = {
      cells: { revision: revision.buffer, events: counter.buffer },
      close() {
        closed = true
        clients.delete(client)
        for (const own of watches.values()) own.close()
        watches.clear()
      },
    }
    clients.add(client)
    return client
  }

  return {
    connect,
    close() {
      following.close()
      for (const client of clients) client.close()
    },
  }
}
