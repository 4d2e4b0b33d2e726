import { concatenate } from '../schema/bytes.ts'
/**
 * Bytes produced over time, pulled by one reader. Used for watches: promises and queues of a ReadableStream per event and watcher would cost
 * more than everything else.
 */
export interface ByteSource {
  /** Starts the source. `ready` is called (never from within `take`) once bytes may be available after `take` returned undefined, or at the end. */
  open(ready: () => void): void
  /** Whether `take` may be deferred after `ready`, for sources of which many become ready together; otherwise call it at once. */
  readonly isDeferrable: boolean
  /** The next bytes, or undefined when there are none at the moment. Throws when the body can't be completed. */
  take(): Uint8Array<ArrayBuffer> | undefined
  /** No more bytes follow after those that `take` returns now. */
  readonly ended: boolean
  /** The reader is gone. */
  cancel(): void
}

export const isByteSource = (body: unknown): body is ByteSource => typeof body === 'object' && body !== null && 'take' in body

/** A source of these bytes. */
export function sourceOf(bytes: Uint8Array): ByteSource {
  let rest = bytes.length === 0 ? undefined : bytes
  const take = () => {
    const taken = rest
    rest = undefined
    return taken as Uint8Array<ArrayBuffer> | undefined
  }
  return {
    isDeferrable: false,
    get ended() {
      return rest === undefined
    },
    open() {},
    take,
    cancel: () => void take(),
  }
}

/** The same source, which reports the bytes that were taken when it ends or is cancelled. */
export function counted(source: ByteSource, report: (bytes: number) => void): ByteSource {
  let bytes = 0
  let isReported = false
  const end = () => {
    if (isReported) return
    isReported = true
    report(bytes)
  }
  return {
    isDeferrable: source.isDeferrable,
    get ended() {
      return source.ended
    },
    open: (ready) => source.open(ready),
    take() {
      const taken = source.take()
      bytes += taken?.length ?? 0
      if (source.ended) end()
      return taken
    },
    cancel() {
      source.cancel()
      end()
    },
  }
}

/** Adapts a source to a ReadableStream. */
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

/** All bytes of a source, which nothing else reads. Rejects when the body can't be completed. */
export async function collect(source: ByteSource): Promise<Uint8Array<ArrayBuffer>> {
  let wake = () => {}
  source.open(() => wake())
  const parts: Uint8Array[] = []
  for (;;) {
    const bytes = source.take()
    if (bytes !== undefined) parts.push(bytes)
    else if (source.ended) return parts.length === 1 ? (parts[0] as Uint8Array<ArrayBuffer>) : concatenate(parts)
    else
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
}
