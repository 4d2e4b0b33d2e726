/** Files that are loaded again when they change. */
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { Clock, Files, Logger } from '../ports.ts'
import { digestOf } from '../schema/formats/digest.ts'
import { messageOf } from '../schema/message-of.ts'

export interface FollowFile<T> {
  readonly path: string
  readonly files: Files
  readonly logger: Logger
  /** Name in the log, such as `authorization configuration`. */
  readonly what: string
  /** End of the message about a file that can't be loaded; default `the last valid one stays in use`. */
  readonly otherwise?: string
  /** The text in use, which the caller has loaded. */
  readonly text: string
  /** Throws, or rejects with, an Error when the content can't be used. `closing` aborts when the file is not followed any more. */
  load(text: string, closing: AbortSignal): MaybePromise<T>
  /** Replaces what is in use. */
  use(value: T): void
  /** Receives what was loaded when the file is not followed any more; default: nothing happens. */
  drop?(value: T): void
  /** Errors after which the file is loaded again although it has not changed, and when in milliseconds; default: none. */
  readonly retry?: { readonly clock: Clock; readonly after: number; when(error: unknown): boolean }
  /** Called after a change, with the content if it is in use now. */
  reloaded?(text: string | undefined): void
}

/** The text of a file. */
export const readFileText = async (files: Pick<Files, 'read'>, path: string): Promise<string> =>
  new TextDecoder().decode(await files.read(path))

/** Runs `work`, which must not reject, one run after the other; calls during a run cause one more. */
export function oneAtATime(work: () => Promise<void>): () => void {
  let isWaiting = false
  let running = Promise.resolve()
  return () => {
    if (isWaiting) return
    isWaiting = true
    running = running.then(() => {
      isWaiting = false
      return work()
    })
  }
}

/** Follows a file: changed content is loaded, one after the other, and what can't be loaded is logged. The returned function ends it. */
export function followFile<T>(file: FollowFile<T>): () => void {
  const { path, files, logger, what, otherwise = 'the last valid one stays in use', retry } = file
  const closing = new AbortController()
  // Not the text, which may contain keys.
  let known: Promise<string> | undefined = digestOf(file.text)
  let cancel = () => {}

  async function reload(): Promise<void> {
    const text = await readFileText(files, path)
    const digest = await digestOf(text)
    if (closing.signal.aborted || (await known) === digest) return
    known = Promise.resolve(digest)
    const value = await file.load(text, closing.signal)
    if (closing.signal.aborted) return file.drop?.(value)
    file.use(value)
    file.reloaded?.(text)
    logger.info({ file: path }, `${what} reloaded`)
  }

  function failed(error: unknown): void {
    if (closing.signal.aborted) return
    file.reloaded?.(undefined)
    logger.error({ file: path, error: messageOf(error) }, `${what} not reloaded; ${otherwise}`)
    if (!retry?.when(error)) return
    known = undefined
    cancel = retry.clock.after(retry.after, follow)
  }

  const queue = oneAtATime(() => reload().catch(failed))
  function follow(): void {
    cancel()
    queue()
  }

  const stop = files.watch(path, follow)
  return () => {
    closing.abort()
    cancel()
    stop()
  }
}
