/**
 * Bytes that come by and by, for one reader who takes them when it can. A watch is one: per event and watcher, promises and queues of a
 * ReadableStream would cost more than everything else.
 */
export interface ByteSource {
  /**
   * Begins. `ready` is called once, never from within `take`, when there may be something to take after `take` has returned nothing, or at
   * the end.
   */
  open(ready: () => void): void
  /** Whether `take` may come a while after `ready`: for those of which many are ready at a time. Otherwise it is to follow at once. */
  readonly patient: boolean
  /** The next bytes, or undefined when there are none at the moment. Throws when what was taken so far can't be completed. */
  take(): Uint8Array<ArrayBuffer> | undefined
  /** Nothing more comes than what can be taken now. */
  readonly ended: boolean
  /** The reader is gone. */
  cancel(): void
}

export const isByteSource = (body: unknown): body is ByteSource => typeof body === 'object' && body !== null && 'take' in body

/** The same for readers who know streams. */
export function streamOf(source: ByteSource): ReadableStream<Uint8Array<ArrayBuffer>> {
  let wake: (() => void) | undefined
  const pull = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void | Promise<void> => {
    const bytes = source.take()
    if (bytes !== undefined) return controller.enqueue(bytes)
    if (source.ended) return controller.close()
    return new Promise<void>((resolve) => {
      wake = resolve
    }).then(() => pull(controller))
  }
  source.open(() => {
    const waiting = wake
    wake = undefined
    waiting?.()
  })
  return new ReadableStream({ pull, cancel: () => source.cancel() }, { highWaterMark: 0 })
}
