/**
 * All watches of a store. Watches at about the same revision share a feed; those that need previous values have separate feeds. A watch that
 * starts at an older revision gets its own feed until that has caught up with another one.
 */
import { type Clock, type Logger, StoreError, type StoreWatch, type StoreWatcher, type WatchOptions } from '../../../core/ports.ts'
import type { Endpoints } from './endpoints.ts'
import { Feed } from './feed.ts'
import { endOf, Group, type Subscriber } from './group.ts'

/** Milliseconds between checks for silent feeds. */
const lookInterval = 3_000
const progressRetry = 500

interface Line {
  readonly feed: Feed
  readonly group: Group
}

export class Watches {
  readonly #endpoints: Endpoints
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #currentRevision: () => Promise<number>
  readonly #lines = new Set<Line>()
  readonly #reached = new Set<() => void>()
  #cancelLook: (() => void) | undefined
  #closed = false

  constructor(endpoints: Endpoints, clock: Clock, logger: Logger, currentRevision: () => Promise<number>) {
    this.#endpoints = endpoints
    this.#clock = clock
    this.#logger = logger
    this.#currentRevision = currentRevision
    endpoints.onMove((left) => {
      for (const { feed } of this.#lines) if (feed.client === left) feed.restart()
    })
  }

  watch(prefix: string, after: number, watcher: StoreWatcher, { withoutPrevious = false }: WatchOptions = {}): StoreWatch {
    const subscriber: Subscriber = { prefix, watcher, after, ended: false }
    if (this.#closed) endOf(subscriber, new StoreError('unavailable', 'the store is closed'))
    else this.#lineFor(after, !withoutPrevious).group.add(subscriber)
    let asked = false
    return {
      close: () => this.#leave(subscriber),
      requestProgress: (to) => {
        if (to !== undefined) return queueMicrotask(() => this.#expect(subscriber, to))
        if (asked || subscriber.due !== undefined || subscriber.ended) return
        asked = true
        void this.#askProgress(subscriber).finally(() => {
          asked = false
        })
      },
    }
  }

  /** Resolves when all feeds have reached the revision, or after `timeout` milliseconds. */
  reached(revision: number, timeout: number): Promise<void> {
    const behind = () => [...this.#lines].some(({ feed }) => feed.position < revision)
    if (!behind()) return Promise.resolve()
    return new Promise((resolve) => {
      const finish = () => {
        cancel()
        this.#reached.delete(look)
        resolve()
      }
      const look = () => {
        if (!behind()) finish()
      }
      const cancel = this.#clock.after(timeout, finish)
      this.#reached.add(look)
    })
  }

  /** Call when the store's revision is lower than one seen before (a backup was restored): ends watches at later revisions. */
  wentBack(to: number): void {
    for (const line of this.#lines) {
      if (line.feed.position > to) this.#abandon(line, new StoreError('compacted', `store revision went backwards to ${to}`))
    }
  }

  /** Largest revision that any watch has seen. */
  get newest(): number {
    let newest = 0
    for (const { feed } of this.#lines) newest = Math.max(newest, feed.received)
    return newest
  }

  close(): void {
    this.#closed = true
    this.#cancelLook?.()
    for (const line of this.#lines) this.#abandon(line)
  }

  /** The feed with the highest position up to the revision, or a new one. */
  #lineFor(after: number, previous: boolean): Line {
    let best: Line | undefined
    for (const line of this.#lines) {
      const { position } = line.feed
      if (line.feed.previous === previous && position <= Math.max(after, 1) && (best === undefined || position > best.feed.position))
        best = line
    }
    return best ?? this.#newLine(after, previous)
  }

  #newLine(after: number, previous: boolean): Line {
    const group = new Group()
    const feed: Feed = new Feed(after, previous, this.#endpoints, this.#clock, this.#logger, {
      events: (events, before) => {
        group.deliver(events)
        group.progress(feed.position)
        this.#merge(line, before)
        for (const look of this.#reached) look()
      },
      lost: (error) => this.#abandon(line, error),
    })
    const line = { feed, group }
    this.#lines.add(line)
    this.#cancelLook ??= this.#clock.after(lookInterval, () => void this.#look(new Map(), 0))
    return line
  }

  /** Merges a feed into another one that it has caught up with. */
  #merge(line: Line, before: number): void {
    const { position, previous } = line.feed
    const ahead = [...this.#lines].find(
      ({ feed }) => feed !== line.feed && feed.previous === previous && feed.position > before && feed.position <= position,
    )
    if (ahead === undefined) return
    this.#lines.delete(line)
    line.feed.close()
    for (const subscriber of line.group.subscribers) {
      subscriber.after = Math.max(subscriber.after, position)
      ahead.group.add(subscriber)
    }
    ahead.group.progress(ahead.feed.position)
  }

  #leave(subscriber: Subscriber): void {
    for (const line of this.#lines) {
      line.group.delete(subscriber)
      if (line.group.size === 0) this.#abandon(line)
    }
    endOf(subscriber)
  }

  #abandon(line: Line, error?: StoreError): void {
    this.#lines.delete(line)
    line.feed.close()
    for (const subscriber of line.group.subscribers) endOf(subscriber, error)
    for (const look of this.#reached) look()
  }

  /** Reports progress to this watch once its feed has reached the revision. */
  #expect(subscriber: Subscriber, revision: number): void {
    const line = [...this.#lines].find(({ group }) => group.has(subscriber))
    if (line === undefined) return
    line.group.expect(subscriber, Math.max(revision, subscriber.after, subscriber.due ?? 0))
    line.group.progress(line.feed.position)
  }

  async #askProgress(subscriber: Subscriber): Promise<void> {
    for (;;) {
      try {
        return this.#expect(subscriber, await this.#currentRevision())
      } catch {
        if (subscriber.ended) return
        await new Promise<void>((resolve) => this.#clock.after(progressRetry, resolve))
      }
    }
  }

  /**
   * A stream can stall without an error: its member is suspended, or partitioned. Restarts feeds that have not advanced since the last check,
   * although the store was ahead of them then.
   */
  async #look(before: ReadonlyMap<Feed, number>, revision: number): Promise<void> {
    const positions = new Map([...this.#lines].map(({ feed }) => [feed, feed.position] as const))
    for (const [feed, position] of positions) {
      if (position < revision && before.get(feed) === position) {
        this.#logger.warn({ server: feed.client?.server, position, revision }, 'etcd watch stalled; resuming')
        feed.restart()
      }
    }
    const current = await this.#currentRevision().catch(() => revision)
    if (this.#closed) return
    this.#cancelLook = this.#lines.size === 0 ? undefined : this.#clock.after(lookInterval, () => void this.#look(positions, current))
  }
}
