/**
 * Follows resources from their first object on. A server that continues a prepared state, such as a fork, has nothing of most resources that its plugins
 * follow, and the store and the watch cache of each cost as much as a request.
 */
import { type MaybePromise, then } from '../../common/maybe-promise.ts'
import type { KeyValueStore, StoreEvent, StoreWatch } from '../../ports.ts'
import type { Keys } from '../storage/keys.ts'
import type { Following } from './follow.ts'

/** One that has not begun. */
interface Waiting {
  /** Of the keys of its resource. */
  readonly prefix: string
  begin(): void
}

const keyOf = (event: StoreEvent) => (event.type === 'put' ? event.kv.key : event.key)

export class LateFollows {
  readonly #store: Pick<KeyValueStore, 'count' | 'currentRevision' | 'watch'>
  readonly #prefix: string
  readonly #waiting = new Set<Waiting>()
  /** Followers that are told the objects of a resource that had none. */
  readonly #beginning = new Set<Promise<void>>()
  #watch: MaybePromise<StoreWatch> | undefined

  /** `prefix`: of all keys, such as `/registry`. */
  constructor(store: Pick<KeyValueStore, 'count' | 'currentRevision' | 'watch'>, prefix: string) {
    this.#store = store
    this.#prefix = prefix
  }

  /** Follows with `open` when the resource with these keys has an object. Until then nothing of it is opened. */
  readonly follow = (keys: Pick<Keys, 'prefix'>, open: () => Following): Following => {
    const prefix = keys.prefix('')
    let following: Following | undefined
    const waiting: Waiting = {
      prefix,
      begin: () => {
        this.#waiting.delete(waiting)
        following = open()
        this.#keep(following.ready)
      },
    }
    this.#waiting.add(waiting)
    const ready = then(this.#hasObjects(prefix), (has) => {
      if (has && this.#waiting.has(waiting)) waiting.begin()
      return following?.ready
    })
    return {
      ready,
      close: () => {
        this.#waiting.delete(waiting)
        following?.close()
      },
    }
  }

  /** What a request waits for, so that it meets what was written before it; undefined: nothing. Rejects as `Following.ready` does. */
  beginning(): Promise<unknown> | undefined {
    return this.#beginning.size === 0 ? undefined : Promise.all(this.#beginning)
  }

  close(): void {
    this.#waiting.clear()
    if (this.#watch) void then(this.#watch, (watch) => watch.close())
  }

  /** Counts after the watch has begun: no object is missed. */
  #hasObjects(prefix: string): MaybePromise<boolean> {
    this.#watch ??= then(this.#store.currentRevision(), (revision) => this.#start(revision))
    const count = then(this.#watch, () => this.#store.count(prefix))
    return then(count, (objects) => objects > 0)
  }

  #start(revision: number): StoreWatch {
    return this.#store.watch(
      `${this.#prefix}/`,
      revision,
      {
        events: (events) => this.#note(events),
        progress() {},
        // Lost: who waits follows as if there were objects.
        end: (error) => error && this.#beginAll(() => true),
      },
      { withoutPrevious: true },
    )
  }

  #note(events: readonly StoreEvent[]): void {
    if (this.#waiting.size > 0) this.#beginAll(({ prefix }) => events.some((event) => keyOf(event).startsWith(prefix)))
  }

  #beginAll(isMeant: (waiting: Waiting) => boolean): void {
    for (const waiting of this.#waiting) if (isMeant(waiting)) waiting.begin()
  }

  #keep(ready: MaybePromise<void>): void {
    if (!(ready instanceof Promise)) return
    this.#beginning.add(ready)
    const told = () => void this.#beginning.delete(ready)
    ready.then(told, told)
  }
}
