import { StoreError, type StoreEvent, type StoreWatcher } from '../../../core/ports.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { PrefixIndex } from '../prefix-index.ts'
import { revisionOf } from './keys.ts'

/** One watch of the KeyValueStore port. */
export interface Subscriber {
  readonly prefix: string
  readonly watcher: StoreWatcher
  /** Events up to this revision are not delivered (any more). */
  after: number
  /** Revision at which requested progress is due; undefined: none is requested. */
  due?: number
  ended: boolean
}

/** Ends a watch: calls `end` of its watcher in a microtask, so that calls never nest. */
export function endOf(subscriber: Subscriber, error?: StoreError): void {
  if (subscriber.ended) return
  subscriber.ended = true
  queueMicrotask(() => subscriber.watcher.end(error))
}

/** The watches of one feed. */
export class Group {
  readonly #all = new Set<Subscriber>()
  readonly #index = new PrefixIndex<Subscriber>()
  /** Watches with requested progress. */
  readonly #waiting = new Set<Subscriber>()

  get size(): number {
    return this.#all.size
  }

  get subscribers(): Iterable<Subscriber> {
    return this.#all
  }

  has(subscriber: Subscriber): boolean {
    return this.#all.has(subscriber)
  }

  add(subscriber: Subscriber): void {
    this.#all.add(subscriber)
    this.#index.add(subscriber.prefix, subscriber)
    if (subscriber.due !== undefined) this.#waiting.add(subscriber)
  }

  delete(subscriber: Subscriber): void {
    this.#all.delete(subscriber)
    this.#index.delete(subscriber.prefix, subscriber)
    this.#waiting.delete(subscriber)
  }

  deliver(events: readonly StoreEvent[]): void {
    for (const [subscribers, selected] of this.#index.select(events)) {
      const first = revisionOf(selected[0]!)
      for (const subscriber of subscribers) {
        const wanted = first > subscriber.after ? selected : selected.filter((event) => revisionOf(event) > subscriber.after)
        if (wanted.length > 0) this.#call(subscriber, (watcher) => watcher.events(wanted))
      }
    }
  }

  /** Reports requested progress; call it when everything up to the position has been delivered. */
  progress(position: number): void {
    for (const subscriber of this.#waiting) {
      if (subscriber.due === undefined || subscriber.due > position) continue
      this.#waiting.delete(subscriber)
      delete subscriber.due
      this.#call(subscriber, (watcher) => watcher.progress(position))
    }
  }

  /** Requests a progress report at this revision. */
  expect(subscriber: Subscriber, due: number): void {
    subscriber.due = due
    this.#waiting.add(subscriber)
  }

  /** A watcher that throws loses its watch; others are not affected. */
  #call(subscriber: Subscriber, call: (watcher: StoreWatcher) => void): void {
    if (subscriber.ended) return
    try {
      call(subscriber.watcher)
    } catch (error) {
      this.delete(subscriber)
      endOf(subscriber, new StoreError('unavailable', `watcher failed: ${messageOf(error)}`))
    }
  }
}
