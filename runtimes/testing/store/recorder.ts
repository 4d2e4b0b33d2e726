import type { KeyValueStore, StoreError, StoreEvent, StoreWatch, StoreWatcher } from '../../../core/ports.ts'

/** A watcher that records its calls in order, and lets a test wait for them. */
export class Recorder implements StoreWatcher {
  readonly batches: (readonly StoreEvent[])[] = []
  readonly log: (number | 'end')[] = []
  readonly progressed: number[] = []
  ended: { readonly error?: StoreError } | undefined
  #waiters: (() => void)[] = []

  get received(): StoreEvent[] {
    return this.batches.flat()
  }

  events(events: readonly StoreEvent[]): void {
    this.batches.push(events)
    for (const event of events) this.log.push(revisionOf(event))
    this.#wake()
  }

  progress(revision: number): void {
    this.progressed.push(revision)
    this.#wake()
  }

  end(error?: StoreError): void {
    this.ended = error ? { error } : {}
    this.log.push('end')
    this.#wake()
  }

  /** Resolves when the condition holds; rejects after a minute. */
  async until(condition: (recorder: this) => boolean, what = 'condition'): Promise<this> {
    const deadline = performance.now() + 60_000
    while (!condition(this)) {
      const left = deadline - performance.now()
      if (left <= 0) throw new Error(`timed out waiting for ${what}; got ${this.log.length} events, progress ${this.progressed}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.#waiters.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
    return this
  }

  /** Resolves when all events up to the store's current revision have arrived. */
  async caughtUp(store: KeyValueStore, watch: StoreWatch): Promise<this> {
    const revision = await store.currentRevision()
    const before = this.progressed.length
    watch.requestProgress()
    return this.until(({ progressed }) => progressed.slice(before).some((seen) => seen >= revision), `progress to ${revision}`)
  }

  #wake(): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) waiter()
  }
}

export function revisionOf(event: StoreEvent): number {
  return event.type === 'put' ? event.kv.modRevision : event.revision
}

/** An event as one line: `put a=1 (was 0)`. */
export function describeEvent(event: StoreEvent): string {
  const was = event.previous ? ` (was ${text(event.previous.value)})` : ''
  return event.type === 'put' ? `put ${event.kv.key}=${text(event.kv.value)}${was}` : `delete ${event.key}${was}`
}

export function bytes(value: string): Uint8Array {
  return new TextEncoder().encode(value)
}

export function text(value: Uint8Array | undefined): string | undefined {
  return value && new TextDecoder().decode(value)
}
